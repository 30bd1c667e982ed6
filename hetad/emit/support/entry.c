// What Python calls: args[i] points to the value of the i-th argument.  Returns 0, or an error with a message.
int hetad_call(const struct hetad_runtime *rt, void **args, void *result)
{
    hetad_rt = rt;
    hetad_last_error = cudaSuccess;
    hetad_text[0] = 0;
    const int code = setjmp(hetad_entry);
    if (code == 0) {
        HETAD_ENTRY;
    } else {
        hetad_end();  // if used
    }
    HETAD_FLUSH;
    return code;
}

const char *hetad_message(void)
{
    return hetad_text;
}
