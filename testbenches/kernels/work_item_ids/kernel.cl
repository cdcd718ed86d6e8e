// All work-item functions of OpenCL 1.2 in one to three dimensions, with offsets.

#define FIELDS 20

__kernel void ids(__global ulong *out)
{
    size_t x = get_global_id(0) - get_global_offset(0);
    size_t y = get_global_id(1) - get_global_offset(1);
    size_t z = get_global_id(2) - get_global_offset(2);
    size_t at = ((z * get_global_size(1) + y) * get_global_size(0) + x) * FIELDS;
    for (uint d = 0; d < 3; d++) {                 // the dimension is a variable
        out[at + d] = get_global_id(d);
        out[at + 3 + d] = get_local_id(d);
        out[at + 6 + d] = get_group_id(d);
        out[at + 9 + d] = get_global_size(d);
        out[at + 12 + d] = get_local_size(d);
        out[at + 15 + d] = get_num_groups(d);
    }
    out[at + 18] = get_work_dim();
    out[at + 19] = get_global_offset(0) + 10 * get_global_offset(1) + 100 * get_global_offset(2);
}

// Dimensions that the launch does not have: identifiers are 0, sizes are 1.
__kernel void beyond(__global uint *out, uint dimension)
{
    size_t i = get_global_id(0);
    out[8 * i] = get_global_id(dimension);
    out[8 * i + 1] = get_local_id(dimension);
    out[8 * i + 2] = get_group_id(dimension);
    out[8 * i + 3] = get_global_size(dimension);
    out[8 * i + 4] = get_local_size(dimension);
    out[8 * i + 5] = get_num_groups(dimension);
    out[8 * i + 6] = get_global_offset(dimension);
    out[8 * i + 7] = get_work_dim();
}

// Sizes and identifiers in 64-bit arithmetic that a 32-bit product would lose.
__kernel void wide_index(__global ulong *out, uint pitch)
{
    size_t i = get_global_id(0);
    size_t address = i * pitch * get_global_size(0) + ((size_t)get_group_id(0) << 33);
    out[i - get_global_offset(0)] = address;
}

__kernel __attribute__((reqd_work_group_size(4, 3, 2)))
void fixed_size(__global uint *out)
{
    uint local_index = (get_local_id(2) * get_local_size(1) + get_local_id(1)) * get_local_size(0) + get_local_id(0);
    uint group_index = (get_group_id(2) * get_num_groups(1) + get_group_id(1)) * get_num_groups(0) + get_group_id(0);
    out[group_index * 24 + local_index] = group_index << 16 | local_index;
}
