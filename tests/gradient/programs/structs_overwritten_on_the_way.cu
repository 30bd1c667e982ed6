/*---
function = "settle"
wrt = ["grains", "pull"]
of = ["energy"]
[inputs]
grains = { shape = [45], random = 1 }
energy = { zeros = [45] }
pull = 0.7
n = 45
rounds = 3
[[cases]]
name = "device"
[[cases]]
name = "host"
function = "settle_on_host"
[[cases]]
name = "no_rounds"
inputs = { rounds = 0 }
---*/
// An array of structs is an input that the function overwrites, and not the output: its adjoint is worked out apart.
struct grain {
    int kind;
    float place[2];
    float speed;
};

__global__ void step(struct grain *grains, float *energy, float pull, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    struct grain g = grains[i];
    g.speed = g.speed * 0.8f - pull * sinf(g.place[0]) * g.place[1];
    g.place[0] += 0.3f * g.speed;
    g.place[1] *= g.kind % 2 ? 0.9f : 1.0f + 0.1f * g.speed;
    energy[i] += g.speed * g.speed + g.place[0] * g.place[1];
    grains[i] = g;
}

// Device pointers.
void settle(struct grain *grains, float *energy, float pull, int n, int rounds)
{
    for (int round = 0; round < rounds; round++)
        step<<<(n + 31) / 32, 32>>>(grains, energy, pull, n);
}

void settle_on_host(struct grain *grains, float *energy, float pull, int n, int rounds)
{
    for (int round = 0; round < rounds; round++)
        for (int i = 0; i < n; i++) {
            grains[i].speed = grains[i].speed * 0.8f - pull * sinf(grains[i].place[0]);
            grains[i].place[1] *= 1.0f + 0.1f * grains[i].speed;
            energy[i] += grains[i].speed * grains[i].place[1];
        }
}
