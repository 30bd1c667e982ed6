// What a backend gives to host code: the whole of CUDA, as far as hetad needs it.
struct hetad_runtime {
    void *(*device_malloc)(size_t bytes);  // NULL on failure
    int (*device_free)(void *p);
    int (*copy)(void *dst, const void *src, size_t bytes, int kind);
    int (*set)(void *dst, int value, size_t bytes);
    int (*launch)(int kernel, const unsigned grid[3], const unsigned block[3], size_t shared, void *stream, void **args);
    int (*synchronize)(void);
    int (*last_error)(void);  // and forget it
    int (*memory_info)(size_t *available, size_t *total);  // of the device
    int (*copy_rows)(void *dst, size_t to_pitch, const void *src, size_t from_pitch, size_t width, size_t height, int kind);
    int (*set_rows)(void *dst, size_t pitch, int value, size_t width, size_t height);
    int (*attribute)(int *value, int attribute);  // of the device, by CUDA's numbers
    void *(*managed_malloc)(size_t bytes);  // memory that host and device use; freed like that of the device
};
