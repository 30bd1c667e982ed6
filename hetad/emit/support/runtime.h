#include <pthread.h>
#include <signal.h>
#include <stddef.h>

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
    int (*attribute)(int *value, int attribute, int device);  // by CUDA's numbers
    void *(*managed_malloc)(size_t bytes);  // memory that host and device use; freed like that of the device
    int (*set_device)(int device);  // all the others above mean the current one
    int (*device)(int *count);  // which is current, and of how many; that of the caller's memory is number 0
    int (*device_of)(const void *p);  // -1: it is no memory of one device
    int (*peer)(int peer, int what);  // see below: whether the current device may use the memory of another; an error
    // Of GPUs alone, for libraries that are called beside the table: the stream to which work for a stream of the
    // program's goes, and what a device that the program counts so is to them, and the other way round.
    void *(*stream)(void *stream);
    int (*ordinal)(int device);
};

enum { HETAD_PEER_CAN, HETAD_PEER_ENABLE, HETAD_PEER_DISABLE };

enum { HETAD_INTERRUPTED = 3 };  // the code with which a call ends that Ctrl-C has stopped

// A call of a program, as Ctrl-C sees it.
struct hetad_running {
    volatile sig_atomic_t interrupts;     // how often so far
    int catches;                          // whether it is this call's to handle
    void (*stop)(int code);               // leaves the program
    pthread_t thread;
    volatile sig_atomic_t *may_leave;     // of that thread: whether nothing would be left half done
};

// What all programs of a process share (run/process.c).
struct hetad_process {
    void *(*memory)(int kind, size_t bytes);    // of the calling thread, until it ends; NULL: there is none
    volatile sig_atomic_t *(*leave_flag)(void);  // of the calling thread: whether Ctrl-C may take it out of what it does
    void (*settle)(sig_atomic_t before);         // sets that again, and leaves if Ctrl-C has come meanwhile
    int (*is_over)(void);                        // whether it has, so that this thread is to leave
    void (*together)(void (*work)(void *data), void *data, int helpers, void (*stop)(int code));
    void (*begin)(struct hetad_running *call);
    void (*end)(struct hetad_running *call);
};
