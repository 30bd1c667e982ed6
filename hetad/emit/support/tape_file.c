// The tape in a file: the system keeps in memory what there is room for, and the rest on the disk.  The file has no name,
// so that it is gone with the call, however that ends.
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
static const char *hetad_tape_directory;
static char *hetad_tape_mapped;
static size_t hetad_tape_mapped_bytes;
static int hetad_tape_file = -1;

static void hetad_checkpoints_in(const char *directory)
{
    hetad_tape_directory = directory;
}

static void hetad_no_tape_file(const char *what, int error)
{
    char text[600];
    snprintf(text, sizeof text, "checkpoint_dir: %s in '%s': %s", what, hetad_tape_directory, strerror(error));
    hetad_fail(text);
}

static void hetad_open_tape_file(void)
{
    char path[4096];
    const int length = snprintf(path, sizeof path, "%s/hetad-XXXXXX", hetad_tape_directory);
    hetad_tape_file = length > 0 && (size_t)length < sizeof path ? mkstemp(path) : -1;
    if (hetad_tape_file < 0) {
        hetad_no_tape_file("no file can be made", errno);
    }
    unlink(path);
}

// Room for so many bytes, with what has been there; 0 where the tape lies in memory.
static int hetad_grown_in_file(char **tape, size_t *room, size_t bytes)
{
    if (hetad_tape_directory == NULL) {
        return 0;
    }
    if (hetad_tape_file < 0) {
        hetad_open_tape_file();
    }
    const int error = posix_fallocate(hetad_tape_file, 0, (off_t)bytes);
    if (error != 0) {
        hetad_no_tape_file("there is no room", error);
    }
    if (hetad_tape_mapped != NULL) {
        munmap(hetad_tape_mapped, hetad_tape_mapped_bytes);
    }
    void *mapped = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, hetad_tape_file, 0);
    if (mapped == MAP_FAILED) {
        hetad_no_tape_file("a file cannot be mapped", errno);
    }
    *tape = hetad_tape_mapped = (char *)mapped;
    *room = hetad_tape_mapped_bytes = bytes;
    return 1;
}

// 0 where the tape lies in memory.
static int hetad_close_tape_file(void)
{
    if (hetad_tape_mapped == NULL) {
        return 0;
    }
    munmap(hetad_tape_mapped, hetad_tape_mapped_bytes);
    close(hetad_tape_file);
    hetad_tape_mapped = NULL;
    hetad_tape_file = -1;
    return 1;
}
