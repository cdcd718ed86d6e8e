// Pointer chasing by a single work-item: a list of nodes by index, reversal in place, and a binary tree.

typedef struct {
    int value;
    int next;
} node;

__kernel void walk(__global const node *nodes, int head, __global int *out, __global int *length)
{
    int n = 0;
    for (int at = head; at >= 0; at = nodes[at].next)
        out[n++] = nodes[at].value;
    *length = n;
}

__kernel void reverse(__global node *nodes, __global int *head)
{
    int previous = -1, at = *head;
    while (at >= 0) {
        int next = nodes[at].next;
        nodes[at].next = previous;
        previous = at;
        at = next;
    }
    *head = previous;
}

typedef struct {
    int key;
    int left, right;
} tree_node;

// Insertion of keys into a search tree that grows in `tree`; gives each key's depth.
__kernel void grow_tree(__global const int *keys, int n, __global tree_node *tree, __global int *depth)
{
    int used = 0;
    for (int i = 0; i < n; i++) {
        int key = keys[i], at = 0, d = 0;
        while (used > 0) {
            __global int *link = key < tree[at].key ? &tree[at].left : &tree[at].right;
            d++;
            if (*link < 0) {
                *link = used;
                break;
            }
            at = *link;
        }
        tree_node fresh = {key, -1, -1};
        tree[used++] = fresh;
        depth[i] = d;
    }
}

// Two places that go through the list at different speeds: what each comes to is known at another time, the first one's later.
__kernel __attribute__((reqd_work_group_size(1, 1, 1)))
void race(__global const int *restrict next, int a, int b, int n, __global int *restrict out)
{
    int apart = 0;
    for (int k = 0; k < n; k++) {
        a = next[next[a]];
        b = next[b];
        apart += (a ^ b) * k;
    }
    out[0] = a;
    out[1] = b;
    out[2] = apart;
}
