// What helper_cuda.h of the CUDA samples has: checks of errors, and the choice of a device.
#include <helper_string.h>
#define checkCudaErrors(e) do { if ((e) != cudaSuccess) exit(1); } while (0)
#define getLastCudaError(message) do { if (cudaGetLastError() != cudaSuccess) exit(1); } while (0)
#define printLastCudaError(message) ((void)0)
#define gpuGetMaxGflopsDeviceId() 0
#define _ConvertSMVer2Cores(major, minor) 128
#define _ConvertSMVer2ArchName(major, minor) "GPU"

static int gpuDeviceInit(int device)
{
    cudaSetDevice(device);
    return device;
}

static int findCudaDevice(const int argc, const char **argv)
{
    int device = getCmdLineArgumentInt(argc, argv, "device");
    cudaSetDevice(device);
    return device;
}
