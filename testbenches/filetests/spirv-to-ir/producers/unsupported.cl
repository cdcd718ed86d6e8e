__kernel void f(__global float*a){ int i=get_global_id(0); a[i]=exp(a[i])+sin(a[i]);
 a[i+1]=pow(a[i],2.0f); printf("%d",i); }
__kernel void im(read_only image2d_t img, __global float4*o){ const sampler_t s=CLK_FILTER_NEAREST; o[0]=read_imagef(img,s,(int2)(1,2)); }
__kernel void sg(__global int*o){ o[0]=work_group_reduce_add(o[1]); o[1]=work_group_all(o[2]); }
__kernel void ev(__global int*o, __local int*l){ event_t e=async_work_group_copy(l,o,16,0); wait_group_events(1,&e); o[0]=l[1]; }
