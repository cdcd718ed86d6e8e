uint __attribute__((overloadable)) intel_sub_group_block_read(const __global uint*); void __attribute__((overloadable)) intel_sub_group_block_write(__global uint*, uint);
__kernel void f(__global float*a){ int i=get_global_id(0); a[i]=exp(a[i])+sin(a[i]);
 a[i+1]=pow(a[i],2.0f); uint x=intel_sub_group_block_read((__global uint*)a); intel_sub_group_block_write((__global uint*)a+64,x); }
__kernel void im(read_only image2d_t img, __global float4*o){ const sampler_t s=CLK_FILTER_NEAREST; o[0]=read_imagef(img,s,(int2)(1,2)); }
__kernel void sg(__global uint*o){ o[0]=intel_sub_group_block_read(o+64); }
