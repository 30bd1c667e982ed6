// Atomics where blocks run in parallel: the new value is stored if nobody came between, the old one returned.
#define hetad_atomic(p, next) ({                                                                              \
    __typeof__(&*(p)) hetad_place = (p);                                                                      \
    __typeof__(*hetad_place) hetad_seen, hetad_new;                                                           \
    __typeof__(*hetad_place + 0) hetad_old;                                                                   \
    __atomic_load(hetad_place, &hetad_seen, __ATOMIC_SEQ_CST);                                                \
    do {                                                                                                      \
        hetad_old = hetad_seen;                                                                               \
        hetad_new = (next);                                                                                   \
    } while (!__atomic_compare_exchange(                                                                      \
        hetad_place, &hetad_seen, &hetad_new, 1, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST));                        \
    hetad_old;                                                                                                \
})
#define hetad_atomicAdd(p, v) hetad_atomic(p, hetad_old + (v))
#define hetad_atomicSub(p, v) hetad_atomic(p, hetad_old - (v))
#define hetad_atomicExch(p, v) hetad_atomic(p, (v))
#define hetad_atomicMin(p, v) hetad_atomic(p, (__typeof__(*hetad_place))(v) < hetad_old ? (v) : hetad_old)
#define hetad_atomicMax(p, v) hetad_atomic(p, (__typeof__(*hetad_place))(v) > hetad_old ? (v) : hetad_old)
#define hetad_atomicAnd(p, v) hetad_atomic(p, hetad_old & (v))
#define hetad_atomicOr(p, v) hetad_atomic(p, hetad_old | (v))
#define hetad_atomicXor(p, v) hetad_atomic(p, hetad_old ^ (v))
#define hetad_atomicInc(p, v) hetad_atomic(p, hetad_old >= (v) ? 0 : hetad_old + 1)
#define hetad_atomicDec(p, v) hetad_atomic(p, hetad_old == 0 || hetad_old > (v) ? (v) : hetad_old - 1)
#define hetad_atomicCAS(p, old, v) hetad_atomic(p, hetad_old == (old) ? (v) : hetad_old)
