// So many blocks in each of some rows keep a GPU busy; each of them works for several, and adds one sum for all of these.
static unsigned hetad_blocks(unsigned blocks, unsigned rows)
{
#ifdef HETAD_ON_CPU
    (void)rows;
    return blocks;
#else
    const unsigned most = rows == 0 || rows > 2112 ? 1 : 2112 / rows;
    return blocks < most ? blocks : most;
#endif
}

// How many threads share the work of one: a warp, where that many more do not yet fill a GPU.
static unsigned hetad_team(unsigned blocks, unsigned threads)
{
#ifdef HETAD_ON_CPU
    (void)blocks;
    (void)threads;
    return 1;
#else
    return threads % 32 == 0 && (size_t)blocks * threads < 132 * 2048 ? 32 : 1;
#endif
}

// How many blocks take tiles of shared memory, one after another: as many as keep a GPU busy.
static unsigned hetad_tiling(unsigned blocks)
{
#ifdef HETAD_ON_CPU
    return blocks;
#else
    return blocks > 0 ? 1056 : 0;
#endif
}

// How many blocks march, their threads making four steps each: all, where that would leave a GPU idle.
static unsigned hetad_marched(unsigned blocks, size_t threads)
{
#ifndef HETAD_ON_CPU
    if (threads < (size_t)4 * 132 * 1024) {
        return blocks;
    }
#endif
    (void)threads;
    return blocks / 4 + (blocks % 4 != 0);
}
