// What the last call saved at most at a time, of it checkpoints in host memory apart; steps of scheduled loops, and repeated ones.
void hetad_report(size_t found[4])
{
    found[0] = hetad_budget.peak[0];
    found[1] = hetad_budget.peak[1];
    found[2] = hetad_budget.steps;
    found[3] = hetad_budget.repeated;
}
