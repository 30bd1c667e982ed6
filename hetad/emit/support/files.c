// Files of a call that another process can go on with: each is there as a whole, or not at all.
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
static const char *hetad_resume_directory;  // NULL: the call cannot be gone on with
static char *hetad_file_stage;              // through which device memory goes to a file
enum { HETAD_STAGE = 4 << 20 };

static void hetad_file_failed(const char *what, const char *name)
{
    char text[500];
    snprintf(text, sizeof text, "resume: %s '%s/%s': %s", what, hetad_resume_directory, name, strerror(errno));
    hetad_fail(text);
}

static void hetad_path(char path[4096], const char *name, const char *ending)
{
    const int length = snprintf(path, 4096, "%s/%s%s", hetad_resume_directory, name, ending);
    if (length < 0 || length >= 4096) {
        errno = ENAMETOOLONG;
        hetad_file_failed("there can be no file", name);
    }
}

static FILE *hetad_new_file(const char *name)
{
    char path[4096];
    hetad_path(path, name, ".part");
    FILE *file = fopen(path, "wb");
    if (file == NULL) {
        hetad_file_failed("no file can be made", name);
    }
    return file;
}

static void hetad_sync_directory(void)
{
    const int directory = open(hetad_resume_directory, O_RDONLY);
    if (directory >= 0) {
        fsync(directory);
        close(directory);
    }
}

static void hetad_file_is_whole(FILE *file, const char *name)
{
    char part[4096], path[4096];
    hetad_path(part, name, ".part");
    hetad_path(path, name, "");
    const int failed = fflush(file) != 0 || fsync(fileno(file)) != 0;
    if (fclose(file) != 0 || failed || rename(part, path) != 0) {
        hetad_file_failed("a file cannot be written", name);
    }
}

static FILE *hetad_open_file(const char *name)
{
    char path[4096];
    hetad_path(path, name, "");
    FILE *file = fopen(path, "rb");
    if (file == NULL) {
        hetad_file_failed("a file cannot be read", name);
    }
    return file;
}

static void hetad_remove_file(const char *name)
{
    char path[4096];
    hetad_path(path, name, "");
    remove(path);
}

static void hetad_write(FILE *file, const void *from, size_t bytes, const char *name)
{
    if (bytes > 0 && fwrite(from, 1, bytes, file) != bytes) {
        const int error = errno;
        fclose(file);
        errno = error;
        hetad_file_failed("a file cannot be written", name);
    }
}

static void hetad_read(FILE *file, void *to, size_t bytes, const char *name)
{
    if (bytes > 0 && fread(to, 1, bytes, file) != bytes) {
        fclose(file);
        errno = EIO;
        hetad_file_failed("a file cannot be read", name);
    }
}

static size_t hetad_staged(size_t left)
{
    if (hetad_file_stage == NULL) {
        hetad_file_stage = (char *)malloc(HETAD_STAGE);
    }
    if (hetad_file_stage == NULL) {
        hetad_fail("out of host memory");
    }
    return left < HETAD_STAGE ? left : HETAD_STAGE;
}

static void hetad_write_device(FILE *file, const char *from, size_t bytes, const char *name)
{
    for (size_t at = 0; at < bytes; at += HETAD_STAGE) {
        const size_t now = hetad_staged(bytes - at);
        hetad_check(cudaMemcpy(hetad_file_stage, from + at, now, cudaMemcpyDeviceToHost));
        hetad_write(file, hetad_file_stage, now, name);
    }
}

static void hetad_read_device(FILE *file, char *to, size_t bytes, const char *name)
{
    for (size_t at = 0; at < bytes; at += HETAD_STAGE) {
        const size_t now = hetad_staged(bytes - at);
        hetad_read(file, hetad_file_stage, now, name);
        hetad_check(cudaMemcpy(to + at, hetad_file_stage, now, cudaMemcpyHostToDevice));
    }
}
