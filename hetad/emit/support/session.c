// Begin and end of a derivative call: what it still has is freed.
static void hetad_end(void)
{
    hetad_free_allocated();  // if used
    hetad_drop_blocks();  // if used
    hetad_drop_table_copies();  // if used
    hetad_drop_nested_columns();  // if used
    hetad_free_buffers();  // if used
    hetad_tape_reset();  // if used
    hetad_last_snapshot = 0;  // if used
    hetad_mpi_forget();  // if used
    hetad_mpi_forget_persistent();  // if used
    hetad_mpi_forget_loops();  // if used
    hetad_mpi_forget_weights();  // if used
    hetad_nccl_forget();  // if used
    hetad_record_reset();  // if used
    hetad_forget_devices();  // if used
}

static void hetad_begin(void)
{
    hetad_end();
    hetad_reset_budget();  // if used
    hetad_reset_loops();  // if used
    hetad_reset_resume();  // if used
}
