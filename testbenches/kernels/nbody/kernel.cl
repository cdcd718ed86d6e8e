// Gravitational acceleration and one leapfrog step, positions through a local tile; mass is the fourth component.
#pragma OPENCL FP_CONTRACT OFF

__kernel void nbody_step(__global const float4 *position, __global float4 *velocity, __global float4 *moved,
                         int n, float dt, float softening, __local float4 *tile)
{
    int i = get_global_id(0), lid = get_local_id(0), size = get_local_size(0);
    float4 here = position[i];
    float3 acceleration = (float3)(0.0f);
    for (int base = 0; base < n; base += size) {
        tile[lid] = position[base + lid];
        barrier(CLK_LOCAL_MEM_FENCE);
        for (int j = 0; j < size; j++) {
            float4 other = tile[j];
            float dx = other.x - here.x, dy = other.y - here.y, dz = other.z - here.z;
            float distance2 = dx * dx + dy * dy + dz * dz + softening;
            float inverse = 1.0f / sqrt(distance2);
            float scale = other.w * inverse * inverse * inverse;
            acceleration.x += dx * scale;
            acceleration.y += dy * scale;
            acceleration.z += dz * scale;
        }
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    float4 v = velocity[i];
    v.xyz += acceleration * dt;
    velocity[i] = v;
    moved[i] = (float4)(here.xyz + v.xyz * dt, here.w);
}
