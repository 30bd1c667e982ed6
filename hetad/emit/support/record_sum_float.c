// What was recorded, added to what is there now.
static void hetad_recall_sum_value_float(float *value, size_t bytes)
{
    const float *term = (const float *)hetad_get_record(bytes);
    for (size_t i = 0; i < bytes / sizeof(float); ++i) {
        value[i] += term[i];
    }
}

static void hetad_recall_sum_range_float(float *p, size_t bytes)
{
    const struct hetad_record record = hetad_last_record();
    const size_t n = record.bytes / sizeof(float);
    if (record.bytes != (p != NULL ? bytes : 0)) {
        hetad_fail("internal error: a record of another length");
    }
    if (n > 0 && record.on_device) {
        float *term = (float *)hetad_buffers[record.buffer].data;
        HETAD_LAUNCH(hetad_accumulate_float, (unsigned)((n + 255) / 256), 256, p, term, n);
        hetad_check(cudaGetLastError());
        hetad_put_buffer(record.buffer);
    } else if (n > 0) {
        hetad_recall_sum_value_float(p, bytes);
    }
}

static void hetad_recall_sum_float(float *p)
{
    const struct hetad_allocation a = hetad_whole(p);
    hetad_recall_sum_range_float((float *)a.start, a.bytes);
}
