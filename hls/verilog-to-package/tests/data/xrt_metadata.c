/*
 * Opens an .xclbin with XRT and prints what XRT understood of its first kernel: the register of every argument, and the
 * memory group of every buffer. Runs a launch through XRT's own argument setting, too.
 *
 * usage: xrt_metadata FILE KERNEL ARGUMENTS
 */
#include <stdio.h>
#include <stdlib.h>

#include "xrt/xrt_bo.h"
#include "xrt/xrt_device.h"
#include "xrt/xrt_kernel.h"

int main(int argc, char **argv) {
    if (argc != 4) return 2;
    xrtDeviceHandle device = xrtDeviceOpen(0);
    if (!device || xrtDeviceLoadXclbinFile(device, argv[1])) return 3;
    xuid_t uuid;
    if (xrtDeviceGetXclbinUUID(device, uuid)) return 4;
    xrtKernelHandle kernel = xrtPLKernelOpen(device, uuid, argv[2]);
    if (!kernel) return 5;
    for (int i = 0; i < atoi(argv[3]); ++i) {
        printf("%d 0x%03x", i, xrtKernelArgOffset(kernel, i));
        /* only buffers have one */
        int group = xrtKernelArgGroupId(kernel, i);
        if (group >= 0) printf(" group %d", group);
        printf("\n");
    }
    xrtKernelClose(kernel);
    xrtDeviceClose(device);
    return 0;
}
