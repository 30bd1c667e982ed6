// Atomics of threads that run one after another: the new value is stored, the old one returned.
#define hetad_atomic(p, next) ({                    \
    __typeof__(&*(p)) hetad_place = (p);            \
    __typeof__(*hetad_place + 0) hetad_old = *hetad_place; \
    *hetad_place = (next);                          \
    hetad_old;                                      \
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
