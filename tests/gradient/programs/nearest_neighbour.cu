/*---
function = "distances"
wrt = ["places", "latitude", "longitude"]
of = ["distance"]
[inputs]
distance = { zeros = [41] }
places = { shape = [41], random = 1 }
latitude = 0.3
longitude = -0.8
n = 41
---*/
// Distances of records to one place, on a grid of two dimensions that is flattened.
typedef struct latLong {
    float lat, lng;
} LatLong;

__global__ void euclid(const LatLong *places, float *distance, int n, float lat, float lng)
{
    int id = blockDim.x * (gridDim.x * blockIdx.y + blockIdx.x) + threadIdx.x;
    if (id < n) {
        const LatLong *place = places + id;
        float *out = distance + id;
        *out = (float)sqrt((lat - place->lat) * (lat - place->lat) + (lng - place->lng) * (lng - place->lng));
    }
}

void distances(float *distance, const LatLong *places, float latitude, float longitude, int n)
{
    dim3 grid(3, 2);
    euclid<<<grid, 8>>>(places, distance, n, latitude, longitude);
}
