/*---
function = "energies"
wrt = ["bodies", "eps"]
of = ["energy"]
[launch]
grid = 1
block = 20
[inputs]
energy = { zeros = [20] }
bodies = { shape = [20], random = 1 }
eps = 0.3
n = 20
---*/
// float4 and make_float3: all pairs, so every body's adjoint gathers from all threads.
__global__ void energies(float *energy, const float4 *bodies, float eps, int n)
{
    float4 me = bodies[threadIdx.x];
    float sum = 0.0f;
    for (int j = 0; j < n; j++) {
        float4 other = bodies[j];
        float3 d = make_float3(other.x - me.x, other.y - me.y, other.z - me.z);
        sum += me.w * other.w * rsqrtf(d.x * d.x + d.y * d.y + d.z * d.z + eps);
    }
    energy[threadIdx.x] = sum;
}
