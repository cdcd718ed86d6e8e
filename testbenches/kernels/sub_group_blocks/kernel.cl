// Blocks that sub-groups load and store (cl_intel_subgroups and its relatives), declared here because clang has no headers for them.
#define BLOCKS(SUFFIX, T)                                                                             \
  T __attribute__((overloadable)) intel_sub_group_block_read##SUFFIX(const global T *p);              \
  T##2 __attribute__((overloadable)) intel_sub_group_block_read##SUFFIX##2(const global T *p);        \
  T##4 __attribute__((overloadable)) intel_sub_group_block_read##SUFFIX##4(const global T *p);        \
  T##8 __attribute__((overloadable)) intel_sub_group_block_read##SUFFIX##8(const global T *p);        \
  void __attribute__((overloadable)) intel_sub_group_block_write##SUFFIX(global T *p, T v);           \
  void __attribute__((overloadable)) intel_sub_group_block_write##SUFFIX##2(global T *p, T##2 v);     \
  void __attribute__((overloadable)) intel_sub_group_block_write##SUFFIX##4(global T *p, T##4 v);     \
  void __attribute__((overloadable)) intel_sub_group_block_write##SUFFIX##8(global T *p, T##8 v);     \
  /* of each 15 elements a work-item: 1, 2, 4 and 8 in blocks */                                      \
  kernel void of_##T(global const T *in, global T *out) {                                             \
    size_t size = get_max_sub_group_size();                                                           \
    size_t first = (get_group_id(0) * get_num_sub_groups() + get_sub_group_id()) * 15 * size;         \
    const global T *from = in + first;                                                                \
    global T *to = out + first;                                                                       \
    T one = intel_sub_group_block_read##SUFFIX(from);                                                 \
    T##2 two = intel_sub_group_block_read##SUFFIX##2(from + size);                                    \
    T##4 four = intel_sub_group_block_read##SUFFIX##4(from + 3 * size);                               \
    T##8 eight = intel_sub_group_block_read##SUFFIX##8(from + 7 * size);                              \
    intel_sub_group_block_write##SUFFIX(to, one + (T)get_sub_group_local_id());                       \
    intel_sub_group_block_write##SUFFIX##2(to + size, two.yx);                                        \
    intel_sub_group_block_write##SUFFIX##4(to + 3 * size, four + (T)1);                               \
    intel_sub_group_block_write##SUFFIX##8(to + 7 * size, eight.s76543210);                           \
  }

BLOCKS(, uint)
BLOCKS(_us, ushort)
BLOCKS(_uc, uchar)
BLOCKS(_ul, ulong)
