// Where the lanes of a strip begin: at `bound` if that is later, but not after `end`.
static inline long hetad_raised(long first, long bound, long end)
{
    return bound <= first ? first : bound < end ? bound : end;
}

// Where the lanes of a strip end: at `bound` if that is earlier, but not before `first`.
static inline long hetad_lowered(long end, long bound, long first)
{
    return bound >= end ? end : bound > first ? bound : first;
}

// Where the part of number `part` of `parts` begins in what goes from `first` to `end`.
static inline long hetad_part(long first, long end, size_t part, size_t parts)
{
    const size_t n = end > first ? end - first : 0;
    return first + (long)(n / parts * part + n % parts * part / parts);
}
