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
};
