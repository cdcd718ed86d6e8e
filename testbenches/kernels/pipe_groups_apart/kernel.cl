// Work-items of a group take different ways between reserving packets together and committing them together. Compilers copy the commit
// into both ways where they may.

kernel void read_apart(read_only pipe int in, global int *out)
{
    const int l = get_local_id(0), i = get_global_id(0);
    int value = 0;
    const reserve_id_t id = work_group_reserve_read_pipe(in, get_local_size(0));
    if (l & 1) {
        read_pipe(in, id, l, &value);
        value = -value;
    } else {
        read_pipe(in, id, l, &out[i]);
    }
    work_group_commit_read_pipe(in, id);
    if (l & 1)
        out[i] = value;
}

// The first half of each group writes.
kernel void write_half(write_only pipe int out, global int *written)
{
    const int l = get_local_id(0), half_ = get_local_size(0) / 2;
    const reserve_id_t id = work_group_reserve_write_pipe(out, half_);
    if (l < half_) {
        int value = 100 * (int)get_group_id(0) + l * l;
        write_pipe(out, id, l, &value);
    }
    work_group_commit_write_pipe(out, id);
    if (l < half_)
        written[get_global_id(0)] = 1;
}
