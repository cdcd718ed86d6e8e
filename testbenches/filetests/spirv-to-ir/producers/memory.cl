typedef struct __attribute__((packed)) { char a; int b; short c[3]; } P;
typedef struct { P p[2]; union { float f; int i; } u; int2 v; } Q;
__global int counter = 5; __global int* __global ptrs = &counter;
__constant Q cq = { {{1,2,{3,4,5}},{6,7,{8,9,10}}}, {1.5f}, (int2)(3,4) };
__constant char* __constant names[3] = {"one","two","three"};
Q make(int x, Q q){ q.p[x&1].b += x; q.u.f *= 2; return q; }
__kernel void k(__global Q* o, Q q, __global int* n, __local Q* lq){
  __private Q arr[4];
  for(int i=0;i<4;i++){ arr[i]=make(i,q); if(n[i]>3) arr[i]=cq; }
  o[0]=arr[n[0]&3]; lq[get_local_id(0)]=arr[1]; work_group_barrier(CLK_LOCAL_MEM_FENCE|CLK_GLOBAL_MEM_FENCE); o[1]=lq[n[1]];
  o[2].p[1].c[n[2]%3]=names[n[0]%3][1]; *ptrs += 3; counter++;
}
int gen(int* p){ return *p + 1; }
__kernel void g(__global int*a, __local int*b){ int c[2]={1,2}; int*p = a[0]? (int*)a : a[1]? (int*)b : (int*)c; *p = gen(p); a[3]= (int)(a-(__global int*)8); if(p==(int*)b) a[2]=1; __global int*q=to_global(p); if(q) q[5]=3; local int* lq=to_local(p); a[7]=get_fence(p); if (lq) lq[0]=4; atomic_fetch_add_explicit((volatile atomic_int*)p, 3, memory_order_acq_rel, memory_scope_device);}
__kernel void at(__global atomic_int*a, __global atomic_flag*f, __local atomic_uint* l, volatile __global int*v, __global atomic_float* af, __global atomic_long* al){
 atomic_store(a,3); int e=3; atomic_compare_exchange_strong(a,&e,5); v[1]=e; if(!atomic_flag_test_and_set(f)) atomic_flag_clear(f); atomic_fetch_max(l,3u); atomic_fetch_xor(l,3u); v[0]=atomic_exchange(a,9); atomic_init(a,0); v[2]=atomic_load_explicit(a,memory_order_relaxed); atomic_work_item_fence(CLK_GLOBAL_MEM_FENCE,memory_order_seq_cst,memory_scope_device); atomic_store(af, 2.0f); atomic_fetch_add(al, 5); v[3]=atomic_add(v,2)+atomic_cmpxchg(v,1,2)+atomic_min(v,3); }
__kernel __attribute__((reqd_work_group_size(8,4,2),vec_type_hint(float4))) void attrs(__global int*a, int n){
  __attribute__((opencl_unroll_hint(4))) for(int i=0;i<n;i++) a[i]*=3;
  __attribute__((opencl_unroll_hint(1))) for(int i=0;i<n;i++) a[i*n]*=3;
  int s=0; goto mid; top: s+=n; if(s>100) goto end; mid: s+=a[s]; if(s&1) goto top; s*=3; if(s&4) goto mid; end: a[0]=s;
}
