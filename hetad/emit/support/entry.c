// What Python calls: hetad_args[i] points to the value of the i-th argument.  0, or an error with a message.
int hetad_call(const struct hetad_runtime *hetad_table, void **hetad_args, void *hetad_result)
{
    hetad_rt = hetad_table;
    hetad_last_error = cudaSuccess;
    hetad_text[0] = 0;
    hetad_place = hetad_failed_launch = NULL;
#ifdef HETAD_CHECKED
    hetad_stack = (const char *)__builtin_frame_address(0);
#ifndef HETAD_ON_CPU
    hetad_rt = hetad_checked_runtime(hetad_table);
#endif
#endif
    void *hetad_pointers[] = {HETAD_POINTERS};
    hetad_given = hetad_pointers, hetad_given_count = sizeof hetad_pointers / sizeof *hetad_pointers;
    hetad_restart_options();  // if used
    hetad_restart_report();  // if used
    hetad_reset_sites();  // if used
    hetad_begin_watch();
    const int hetad_code = setjmp(hetad_entry);
    if (hetad_code == 0) {
        hetad_may_go();
        HETAD_ENTRY;
        hetad_stay();
    } else {
        hetad_stay();
        if (hetad_code == HETAD_INTERRUPTED) {
            snprintf(hetad_text, sizeof hetad_text, "the program was interrupted");
        }
        hetad_unwind();  // if used
        hetad_end();  // if used
    }
    hetad_end_watch();
    hetad_given_count = 0;
    HETAD_FLUSH;
    return hetad_code;
}

const char *hetad_message(void)
{
    return hetad_text;
}
