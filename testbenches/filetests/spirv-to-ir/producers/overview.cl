typedef struct { int a; float4 v; char c[3]; } S;
__constant int tab[4] = {1,2,3,4};
__constant struct {int x; __constant int*p;} cs = {7, &tab[2]};
int helper(int x, S s){ return x*2 + s.a; }
__kernel __attribute__((reqd_work_group_size(64,1,1))) void k1(__global const float* restrict a, __global float* b, int n, S s, __local int* l, float3 v3){
  size_t i = get_global_id(0);
  __local int buf[64];
  int priv[16];
  buf[get_local_id(0)] = (int)i;
  l[get_local_id(0)] = 3;
  barrier(CLK_LOCAL_MEM_FENCE);
  for (int k=0;k<16;k++) priv[k]=buf[k]*n;
  #pragma unroll 2
  for (int k=0;k<n;k++) b[k]+=a[k]*priv[(k*7)&15];
  if (i<n) b[i] = a[i] + b[i] + s.v.y + tab[i&3] + helper(n,s) + v3.z + s.c[1] + cs.p[0];
  vstore3(v3, i, b);
  switch(n){case 1:b[0]=1;break;case 5:b[1]=2;break;case 9:b[2]=3; case 10: b[5]=3;break;default:b[7]=2;}
  atomic_add((__global int*)b, 3);
}
