// Names of pointers, which mean the same in another process: what they point into.
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

// Which allocation, or which variable; and how many bytes behind its start.  A pointer that leads nowhere, as before it is
// set, or where nothing is known, is itself in this process, and null in another.
struct hetad_name {
    int64_t kind, which, offset;
};
enum { HETAD_NULL, HETAD_ALLOCATION, HETAD_VARIABLE, HETAD_NOWHERE,
       HETAD_SAME };  // not changed since the loop was opened

// A variable of the function around the loop: numbers, or one pointer, with what that was when the loop was opened.
struct hetad_variable {
    char *p;
    size_t bytes;
    int is_pointer;
    void *first;
};

enum { HETAD_MOST_VARIABLES = 2048 };
static struct hetad_variable hetad_variables[HETAD_MOST_VARIABLES];
static size_t hetad_variable_count;

static void hetad_add_variable(void *p, size_t bytes, int is_pointer)
{
    if (hetad_variable_count == HETAD_MOST_VARIABLES) {
        hetad_fail("resume: too many variables");
    }
    struct hetad_variable v = {(char *)p, bytes, is_pointer, NULL};
    if (is_pointer) {
        memcpy(&v.first, p, sizeof v.first);
    }
    hetad_variables[hetad_variable_count++] = v;
}

static void hetad_variable_numbers(void *p, size_t bytes)
{
    hetad_add_variable(p, bytes, 0);
}

static void hetad_variable_pointers(void *p, size_t bytes)
{
    for (size_t at = 0; at < bytes; at += sizeof(void *)) {
        hetad_add_variable((char *)p + at, sizeof(void *), 1);
    }
}

// The program only reads this memory.
static void hetad_constant(const void *p)
{
    struct hetad_allocation *a = hetad_find(p);
    if (a != NULL) {
        a->constant = 1;
    }
}

// --- names

static struct hetad_allocation *hetad_numbered(int64_t number)
{
    for (size_t i = 0; i < hetad_allocation_count; ++i) {
        if ((int64_t)hetad_allocations[i].serial == number && number > 0) {
            return &hetad_allocations[i];
        }
    }
    hetad_fail("resume: the program has other memory than when its files were written");
}

// Of this process, and no other.
static int64_t hetad_own_number(void)
{
    static int64_t number;
    if (number == 0) {
        struct timespec now;
        clock_gettime(CLOCK_REALTIME, &now);
        number = (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
    }
    return number;
}

static struct hetad_name hetad_name_of(const void *pointer)
{
    struct hetad_name name = {HETAD_NULL, 0, 0};
    const char *p = (const char *)pointer;
    const struct hetad_allocation *a = hetad_find(p);
    if (a != NULL) {
        const struct hetad_name found = {HETAD_ALLOCATION, (int64_t)a->serial, p - a->start};
        return found;
    }
    for (size_t i = 0; p != NULL && i < hetad_variable_count; ++i) {
        const struct hetad_variable *v = &hetad_variables[i];
        if (p >= v->p && p < v->p + v->bytes) {
            const struct hetad_name found = {HETAD_VARIABLE, (int64_t)i, p - v->p};
            return found;
        }
    }
    if (p != NULL) {
        const struct hetad_name nowhere = {HETAD_NOWHERE, hetad_own_number(), (int64_t)(intptr_t)p};
        return nowhere;
    }
    return name;
}

static void *hetad_named(struct hetad_name name)
{
    switch (name.kind) {
    case HETAD_ALLOCATION:
        return hetad_numbered(name.which)->start + name.offset;
    case HETAD_VARIABLE:
        return hetad_variables[name.which].p + name.offset;
    case HETAD_NOWHERE:
        return name.which == hetad_own_number() ? (void *)(intptr_t)name.offset : NULL;
    }
    return NULL;
}

// Pointers on the tape, as names.
static void hetad_push_pointers(const void *pointers, size_t bytes)
{
    for (size_t at = 0; at < bytes; at += sizeof(void *)) {
        void *p;
        memcpy(&p, (const char *)pointers + at, sizeof p);
        const struct hetad_name name = hetad_name_of(p);
        hetad_push(&name, sizeof name);
    }
}

static void hetad_pop_pointers(void *pointers, size_t bytes)
{
    for (size_t at = bytes; at > 0; at -= sizeof(void *)) {
        struct hetad_name name;
        hetad_pop(&name, sizeof name);
        void *p = hetad_named(name);
        memcpy((char *)pointers + at - sizeof p, &p, sizeof p);
    }
}
