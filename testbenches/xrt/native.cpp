// A kernel through XRT's C++ interface.
#include <cstdlib>
#include <stdexcept>
#include <string>
#include <vector>

#include <xrt/xrt_bo.h>
#include <xrt/xrt_device.h>
#include <xrt/xrt_kernel.h>

#include "work.h"

int main(int argc, char **argv) {
    if (argc != 3) return 1;
    const std::string name = argv[2];
    const work w = work_of(argv[2]);
    xrt::device device(0);
    const auto uuid = device.load_xclbin(argv[1]);
    xrt::kernel kernel(device, uuid, name + ":{" + name + "_1}");
    const auto bytes = [&](int b) { return size_t(w.items[b]) * sizeof(float); };
    // one in the program's own memory, which must be a page's
    auto *own = static_cast<float *>(std::aligned_alloc(4096, 4096));
    for (int i = 0; i < w.items[1]; ++i) own[i] = input(1, i);
    xrt::bo first(device, bytes(0), kernel.group_id(0));
    xrt::bo second(device, own, bytes(1), kernel.group_id(1));
    xrt::bo third(device, bytes(2), kernel.group_id(2));
    auto *in = first.map<float *>(), *out = third.map<float *>();
    for (int i = 0; i < w.items[0]; ++i) in[i] = input(0, i);
    for (int i = 0; i < w.items[2]; ++i) out[i] = input(2, i);
    for (auto *bo : {&first, &second, &third}) bo->sync(XCL_BO_SYNC_BO_TO_DEVICE);
    const auto &v = w.values;
    const auto &r = w.range;
    xrt::run run;
    if (w.scalars == 1)
        run = kernel(first, second, third, v[0], r[0], r[1], r[2], r[3], r[4], r[5], r[6], r[7], r[8], r[9], r[10], r[11],
                     r[12]);
    else
        run = kernel(first, second, third, v[0], v[1], v[2], r[0], r[1], r[2], r[3], r[4], r[5], r[6], r[7], r[8], r[9],
                     r[10], r[11], r[12]);
    if (run.wait() != ERT_CMD_STATE_COMPLETED) throw std::runtime_error("not completed");
    third.sync(XCL_BO_SYNC_BO_FROM_DEVICE);
    return verdict(argv[2], out);
}
