// Instructions that are not supported, in two of three kernels.
__kernel void f(__global float*a){ int i=get_global_id(0); a[i]=exp(a[i])+sin(a[i]);
 a[i+1]=pow(a[i],2.0f); __asm__ volatile("nop"); }
__kernel void im(read_only image2d_t img, __global float4*o){ const sampler_t s=CLK_FILTER_NEAREST; o[0]=read_imagef(img,s,(int2)(1,2)); }
__kernel void sg(__global uint*o){ o[0]=o[64]; __asm__ volatile("nop"); }
