// What the last call saved at most at a time, of it checkpoints in host memory apart; steps of scheduled loops, and repeated ones.
void hetad_report(size_t found[4])
{
    found[0] = hetad_account.peak[0];
    found[1] = hetad_account.peak[1];
    found[2] = hetad_account.steps;
    found[3] = hetad_account.repeated;
}

static void hetad_restart_report(void)
{
    memset(&hetad_account, 0, sizeof hetad_account);
}
