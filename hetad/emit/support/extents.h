// The memory that a checked program may reach, as its host code and its kernels on a GPU know it.
enum { HETAD_GIVEN, HETAD_ALLOCATED, HETAD_FREED, HETAD_SET_ASIDE, HETAD_GONE };

struct hetad_extent {
    const char *start;
    size_t bytes;
};

struct hetad_piece {
    char *start;
    size_t bytes;
    int state;  // set aside: freed, as the derivative does it; gone: freed, and the device has it back
};

// What a launch on a GPU is told, and what it tells: the first access that leaves its memory.
struct hetad_launch_checks {
    const struct hetad_piece *pieces;  // sorted by address
    size_t count;
    int found, site;
    const char *address;         // of the access
    struct hetad_extent extent;  // of the memory in which it should be
    unsigned block[3], thread[3];
};
