// So many blocks keep a GPU busy; each of them works for several, and adds one sum for all of these.
static unsigned hetad_blocks(unsigned blocks)
{
#ifdef HETAD_ON_CPU
    return blocks;
#else
    return blocks < 2112 ? blocks : 2112;
#endif
}
