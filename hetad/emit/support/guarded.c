// The value, a multiple of the seed; zero where that is zero, whatever the factor.
#define hetad_guarded(seed, value) ((seed) == 0 ? 0 : (value))
