// Pointers of which only the running kernel knows in which memory they point: vectors and structures through them, functions that
// are called with different sets of memories, atomic operations, and pointers in memory.
#define VECTORS(T)                                                                       \
  kernel void load_##T(global const T *in, global T *out) {                              \
    local T mirrored[16];                                                                \
    int l = get_local_id(0);                                                             \
    mirrored[15 - l] = in[l] + (T)1;                                                     \
    barrier(CLK_LOCAL_MEM_FENCE);                                                        \
    const T *p;                                                                          \
    if (l % 3 == 1) p = in + l; else p = mirrored + l;                                   \
    out[l] = *p;                                                                         \
  }                                                                                      \
  kernel void store_##T(global T *out, global const T *in) {                             \
    local T here[16];                                                                    \
    int l = get_local_id(0);                                                             \
    here[l] = (T)9;                                                                      \
    T *p;                                                                                \
    if (l % 3 == 1) p = out + l; else p = here + l;                                      \
    *p = in[l];                                                                          \
    barrier(CLK_LOCAL_MEM_FENCE);                                                        \
    out[16 + l] = here[15 - l];                                                          \
  }

VECTORS(char2)
VECTORS(short4)
VECTORS(int3)
VECTORS(float2)
VECTORS(long2)
VECTORS(float8)
VECTORS(uchar16)

typedef struct { int a; float4 v; short s[3]; } record;

kernel void structures(global const record *in, global record *out) {
  local record kept[16];
  int l = get_local_id(0);
  kept[15 - l] = in[l];
  barrier(CLK_LOCAL_MEM_FENCE);
  record own = in[l];
  own.a = -own.a;
  const record *p = &own;
  if (l % 3 == 1) p = &in[15 - l];
  if (l % 3 == 2) p = &kept[l];
  record r = *p;
  r.s[1] += (short)l;
  // not what pads the structure
  out[l].a = r.a;
  out[l].v = r.v;
  for (int k = 0; k < 3; k++) out[l].s[k] = r.s[k];
}

int sum(const int *p, int n) {
  int s = 0;
  for (int i = 0; i < n; i++) s = 3 * s + p[i];
  return s;
}

void scale(int *p, int n, int by) {
  for (int i = 0; i < n; i++) p[i] *= by;
}

// sum: private or global; scale: local or global; the atomic operation: local or global
kernel void different_sets(global int *data, global int *out, int in_data) {
  local int shared[16];
  int own[8];
  int l = get_local_id(0);
  for (int i = 0; i < 8; i++) own[i] = i * l;
  shared[l] = 100 + l;
  barrier(CLK_LOCAL_MEM_FENCE);
  const int *a = own;
  if (l & 1) a = data + 8;
  int s = sum(a, 8);
  int *b = shared;
  if (in_data) b = data;
  barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
  if (l == 0) scale(b, 8, 3);
  barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
  int *t;
  if (l & 1) t = &data[16]; else t = &shared[0];
  atomic_fetch_add((volatile atomic_int *)t, l + 1);
  barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
  out[2 * l] = s;
  out[2 * l + 1] = shared[l & 7] + b[l & 7];
}

typedef struct { const float4 *data; int n; } view;

// a pointer that is loaded, and one into local memory
kernel void from_memory(global const float4 *data, global float4 *out) {
  local float4 here[16];
  local view views[2];
  int l = get_local_id(0);
  if (l < 2) views[l] = (view){data + l, 3 + l};
  here[l] = (float4)(l, 1, 2, 3);
  barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
  view v = views[l & 1];
  if (l % 3 == 0) v.data = here + (l >> 1);
  float4 s = 0;
  for (int i = 0; i < v.n; i++) s += v.data[i];
  out[l] = s;
}

typedef struct node { int v; struct node *next; } node;

// pointers that are loaded through pointers of any memory, and stores and atomic operations through these
kernel void lists(global int *data, global int *out, int rounds) {
  local node shared[16];
  node own[4];
  int l = get_local_id(0);
  for (int i = 0; i < 4; i++) {
    own[i].v = data[i] + l;
    own[i].next = &own[(i + rounds) & 3];
  }
  shared[l].v = 100 * l;
  shared[l].next = &shared[l];
  if (l & 1) shared[l].next = &own[1];
  barrier(CLK_LOCAL_MEM_FENCE);
  node *p = &shared[l];
  for (int i = 0; i < rounds; i++) {
    p = p->next;
    p->v += i + 1;
  }
  node **q = &own[0].next;
  (*q)->v += 1000;
  atomic_fetch_add((volatile atomic_int *)&(*q)->next->v, 5000);
  for (int i = 0; i < 4; i++) out[5 * l + i] = own[i].v;
  out[5 * l + 4] = shared[l].v;
}

void put(local int *there, int *own, int with, global int *out) {
  int l = get_local_id(0);
  if (with == 1) there[l] = out[l];
  if (with == 2) out[l] = own[0];
  out[l] += l + 1;
}

// null pointers that are used in branches that are not taken
kernel void without(global int *out, int with) { put(0, 0, with, out); }
