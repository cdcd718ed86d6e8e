// Operations on a pipe in the arms of branches: at most one of them happens, so that an iteration a cycle is possible.

kernel __attribute__((reqd_work_group_size(1, 1, 1))) void either(read_only pipe int in, write_only pipe int out, int n)
{
    for (int k = 0; k < n; k++) {
        int x;
        while (read_pipe(in, &x)) {}
        if (x & 1) {
            while (write_pipe(out, &x)) {}
        } else {
            int y = x * 3;
            while (write_pipe(out, &y)) {}
        }
    }
}

// Two pipes, in the same order in two arms, and one of them in the third.
kernel __attribute__((reqd_work_group_size(1, 1, 1))) void three(read_only pipe int in, write_only pipe int a, write_only pipe int b, int n)
{
    for (int k = 0; k < n; k++) {
        int x, y, z;
        while (read_pipe(in, &x)) {}
        const int arm = x & 3;
        if (arm == 0) {
            y = x;
            z = x + 1;
            while (write_pipe(a, &y)) {}
            while (write_pipe(b, &z)) {}
        } else if (arm == 1) {
            y = -x;
            z = x >> 1;
            while (write_pipe(a, &y)) {}
            while (write_pipe(b, &z)) {}
        } else {
            while (write_pipe(b, &x)) {}
        }
    }
}

// A packet is read in either arm, and stores stand between.
kernel __attribute__((reqd_work_group_size(1, 1, 1))) void read_in_arms(read_only pipe int in, global const int *pick, global int *out,
                                                                        global int *seen, int n)
{
    for (int k = 0; k < n; k++) {
        int v;
        if (pick[k] > 0) {
            while (read_pipe(in, &v)) {}
            seen[k] = v;
            v = 2 * v;
        } else {
            while (read_pipe(in, &v)) {}
            v = v + 5;
        }
        out[k] = v;
    }
}

// One attempt in either arm, until one succeeds; how many there were is stored, so that none of them waits.
kernel __attribute__((reqd_work_group_size(1, 1, 1))) void repeated(global const int *in, write_only pipe int out, global int *most, int n)
{
    int worst = 0;
    for (int k = 0; k < n; k++) {
        int x = in[k], y = x ^ 255, tries = 0, refused;
        do {
            if (x < 0)
                refused = write_pipe(out, &x);
            else
                refused = write_pipe(out, &y);
            tries++;
        } while (refused);
        worst = max(worst, tries);
    }
    *most = worst > 0;
}

// Packets wider than the widest value: each iteration reads one in either arm, and writes it or a header.
kernel __attribute__((reqd_work_group_size(1, 1, 1))) void wide(read_only pipe int8 in, write_only pipe int8 out, int n)
{
    for (int k = 0; k < n; k++) {
        int8 v;
        if (k & 1) {
            while (read_pipe(in, &v)) {}
            v = -v;
        } else {
            while (read_pipe(in, &v)) {}
            v.s7 = k;
        }
        if (k % 5 == 0) {
            int8 header = (int8)(k, n, 0, 0, 0, 0, 0, v.s0);
            while (write_pipe(out, &header)) {}
        } else {
            while (write_pipe(out, &v)) {}
        }
    }
}
