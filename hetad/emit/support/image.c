// All memory that is known, and all variables, in a file.
struct hetad_imaged {
    int64_t number, bytes, on_device, zero, has_content;
};

static struct hetad_imaged hetad_imaged_of(const struct hetad_allocation *a)
{
    struct hetad_imaged piece = {(int64_t)a->serial, (int64_t)a->bytes, a->on_device, 0, a->bytes > 0 && !a->constant};
    piece.zero = a->zero;  // hetad_was_zero  // if used
    return piece;
}

static void hetad_write_image(const char *name)
{
    FILE *file = hetad_new_file(name);
    const uint64_t counts[2] = {hetad_allocation_count, hetad_variable_count};
    hetad_write(file, counts, sizeof counts, name);
    for (size_t i = 0; i < hetad_allocation_count; ++i) {
        const struct hetad_allocation *a = &hetad_allocations[i];
        const struct hetad_imaged piece = hetad_imaged_of(a);
        hetad_write(file, &piece, sizeof piece, name);
        if (piece.has_content) {
            hetad_write_content(file, a, hetad_content_of(a), 0, a->bytes, a->on_device, name);
        }
    }
    for (size_t i = 0; i < hetad_variable_count; ++i) {
        const struct hetad_variable *v = &hetad_variables[i];
        struct hetad_name same = {HETAD_SAME, 0, 0};
        if (v->is_pointer) {
            void *p;
            memcpy(&p, v->p, sizeof p);
            same = p != v->first ? hetad_name_of(p) : same;
        }
        hetad_write(file, v->is_pointer ? (const void *)&same : v->p, v->is_pointer ? sizeof same : v->bytes, name);
    }
    hetad_file_is_whole(file, name);
}

static void hetad_read_image(const char *name)
{
    FILE *file = hetad_open_file(name);
    uint64_t counts[2];
    hetad_read(file, counts, sizeof counts, name);
    if (counts[0] != hetad_allocation_count || counts[1] != hetad_variable_count) {
        fclose(file);
        hetad_fail("resume: the program has other memory than when its files were written");
    }
    for (uint64_t i = 0; i < counts[0]; ++i) {
        struct hetad_imaged piece;
        hetad_read(file, &piece, sizeof piece, name);
        struct hetad_allocation *a = hetad_numbered(piece.number);
        const struct hetad_imaged here = hetad_imaged_of(a);
        if (here.bytes != piece.bytes || here.on_device != piece.on_device || here.has_content != piece.has_content) {
            fclose(file);
            hetad_fail("resume: the program has other memory than when its files were written");
        }
        if (piece.has_content) {
            hetad_read_content(file, a, hetad_content_of(a), 0, a->bytes, a->on_device, name);
        }
        a->zero = (int)piece.zero;  // hetad_was_zero  // if used
    }
    for (size_t i = 0; i < hetad_variable_count; ++i) {
        const struct hetad_variable *v = &hetad_variables[i];
        struct hetad_name found;
        hetad_read(file, v->is_pointer ? (void *)&found : v->p, v->is_pointer ? sizeof found : v->bytes, name);
        if (v->is_pointer && found.kind != HETAD_SAME) {
            void *p = hetad_named(found);
            memcpy(v->p, &p, sizeof p);
        }
    }
    fclose(file);
}
