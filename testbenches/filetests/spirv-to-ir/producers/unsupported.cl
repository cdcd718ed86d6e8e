__kernel void f(__global float*a){ int i=get_global_id(0); a[i]=exp(a[i])+sin(a[i]);
 a[i+1]=pow(a[i],2.0f); if(sub_group_elect()) a[i]=1; }
__kernel void im(read_only image2d_t img, __global float4*o){ const sampler_t s=CLK_FILTER_NEAREST; o[0]=read_imagef(img,s,(int2)(1,2)); }
__kernel void sg(__global int*o){ o[0]=sub_group_non_uniform_all(o[1]); o[1]=sub_group_non_uniform_any(o[2]); }
