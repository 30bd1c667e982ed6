// What hetad reads in place of <random>: engines as the standard defines them, distributions as libstdc++ computes them.
// A random_device gives the same numbers in every run: a gradient is of one program.
namespace std {

template <class U, size_t W, size_t N, size_t M, size_t R, U A, size_t Tempered, U D, size_t S, U B, size_t T, U C, size_t L, U F>
class mersenne_twister_engine {
public:
    typedef U result_type;
    static constexpr U default_seed = 5489;

    mersenne_twister_engine() { seed(default_seed); }
    explicit mersenne_twister_engine(U value) { seed(value); }
    void seed(U value = default_seed)
    {
        state[0] = value & max();
        for (size_t i = 1; i < N; ++i)
            state[i] = (F * (state[i - 1] ^ (state[i - 1] >> (W - 2))) + U(i)) & max();
        next = N;
    }
    static constexpr U min() { return 0; }
    static constexpr U max() { return W == 8 * sizeof(U) ? U(-1) : (U(1) << (W % (8 * sizeof(U)))) - 1; }
    U operator()()
    {
        if (next >= N)
            __renew();
        U z = state[next++];
        z ^= (z >> Tempered) & D;
        z ^= (z << S) & B;
        z ^= (z << T) & C;
        return (z ^ (z >> L)) & max();
    }
    void discard(unsigned long long n)
    {
        for (; n > 0; --n)
            (*this)();
    }

private:
    U state[N];
    size_t next;

    void __renew()
    {
        const U upper = (~U(0)) << R;
        for (size_t k = 0; k < N; ++k) {
            const U y = (state[k] & upper) | (state[(k + 1) % N] & ~upper);
            state[k] = state[(k + M) % N] ^ ((y & max()) >> 1) ^ ((y & 1) ? A : U(0));
        }
        next = 0;
    }
};
typedef mersenne_twister_engine<
    unsigned long, 32, 624, 397, 31, 0x9908b0dful, 11, 0xfffffffful, 7, 0x9d2c5680ul, 15, 0xefc60000ul, 18, 1812433253ul>
    mt19937;
typedef mersenne_twister_engine<
    unsigned long, 64, 312, 156, 31, 0xb5026f5aa96619e9ul, 29, 0x5555555555555555ul, 17, 0x71d67fffeda60000ul, 37,
    0xfff7eee000000000ul, 43, 6364136223846793005ul>
    mt19937_64;

template <class U, U A, U C, U M> class linear_congruential_engine {
public:
    typedef U result_type;
    static constexpr U default_seed = 1;

    linear_congruential_engine() { seed(default_seed); }
    explicit linear_congruential_engine(U value) { seed(value); }
    void seed(U value = default_seed)
    {
        state = value % M;
        if (C % M == 0 && state == 0)
            state = 1;
    }
    static constexpr U min() { return C == 0 ? 1 : 0; }
    static constexpr U max() { return M - 1; }
    U operator()()
    {
        state = U((unsigned long)A * state % M + C) % M;
        return state;
    }
    void discard(unsigned long long n)
    {
        for (; n > 0; --n)
            (*this)();
    }

private:
    U state;
};
typedef linear_congruential_engine<unsigned long, 16807, 0, 2147483647> minstd_rand0;
typedef linear_congruential_engine<unsigned long, 48271, 0, 2147483647> minstd_rand;
typedef minstd_rand0 default_random_engine;

class random_device {
public:
    typedef unsigned int result_type;
    random_device() : state(20250101u) {}
    static constexpr unsigned min() { return 0; }
    static constexpr unsigned max() { return 0xffffffffu; }
    unsigned operator()()
    {
        state = state * 1664525u + 1013904223u;
        return state;
    }

private:
    unsigned state;
};

// How many bits an engine gives at once, and a number in [0, 1) of as many as a type holds.
template <class G> constexpr size_t __bits_of()
{
    size_t bits = 0;
    for (auto range = G::max() - G::min(); range > 1; range /= 2)
        ++bits;
    return G::max() - G::min() == (typename G::result_type(1) << bits << 1) - 1 ? bits + 1 : bits;
}
template <class T, size_t Bits, class G> T generate_canonical(G &engine)
{
    constexpr size_t wanted = Bits < numeric_limits<T>::digits ? Bits : numeric_limits<T>::digits;
    constexpr size_t calls = wanted == 0 ? 1 : (wanted + __bits_of<G>() - 1) / __bits_of<G>();
    const T range = T(G::max() - G::min()) + T(1);
    T sum = 0, scale = 1;
    for (size_t k = 0; k < calls; ++k) {
        sum += T(engine() - G::min()) * scale;
        scale *= range;
    }
    const T found = sum / scale;
    return found < T(1) ? found : T(1) - numeric_limits<T>::epsilon() / 2;
}
template <class T, class G> T __canonical(G &engine) { return generate_canonical<T, numeric_limits<T>::digits>(engine); }

template <class T = double> class uniform_real_distribution {
public:
    typedef T result_type;
    explicit uniform_real_distribution(T a = 0, T b = 1) : lower(a), upper(b) {}
    template <class G> T operator()(G &engine) { return __canonical<T>(engine) * (upper - lower) + lower; }
    T a() const { return lower; }
    T b() const { return upper; }
    T min() const { return lower; }
    T max() const { return upper; }
    void reset() {}

private:
    T lower, upper;
};

template <class T = double> class normal_distribution {
public:
    typedef T result_type;
    explicit normal_distribution(T mean = 0, T stddev = 1) : centre(mean), width(stddev), kept(0), has_kept(false) {}
    template <class G> T operator()(G &engine)
    {
        T found;
        if (has_kept) {
            has_kept = false;
            found = kept;
        } else {
            T x, y, square;
            do {
                x = T(2) * __canonical<T>(engine) - T(1);
                y = T(2) * __canonical<T>(engine) - T(1);
                square = x * x + y * y;
            } while (square > T(1) || square == T(0));
            const T factor = sqrt(T(-2) * log(square) / square);
            kept = x * factor;
            has_kept = true;
            found = y * factor;
        }
        return found * width + centre;
    }
    T mean() const { return centre; }
    T stddev() const { return width; }
    void reset() { has_kept = false; }

private:
    T centre, width, kept;
    bool has_kept;
};

template <class T = double> class exponential_distribution {
public:
    typedef T result_type;
    explicit exponential_distribution(T lambda = 1) : rate(lambda) {}
    template <class G> T operator()(G &engine) { return -log(T(1) - __canonical<T>(engine)) / rate; }
    T lambda() const { return rate; }
    void reset() {}

private:
    T rate;
};

class bernoulli_distribution {
public:
    typedef bool result_type;
    explicit bernoulli_distribution(double p = 0.5) : chance(p) {}
    template <class G> bool operator()(G &engine) { return __canonical<double>(engine) < chance; }
    double p() const { return chance; }
    void reset() {}

private:
    double chance;
};

// One of `count` numbers from an engine of 32 or 64 bits, all equally likely.
inline unsigned long __high_product(unsigned long a, unsigned long b)
{
    const unsigned long low = (a & 0xffffffffu) * (b & 0xffffffffu);
    const unsigned long middle = (a >> 32) * (b & 0xffffffffu) + (low >> 32);
    const unsigned long other = (a & 0xffffffffu) * (b >> 32) + (middle & 0xffffffffu);
    return (a >> 32) * (b >> 32) + (middle >> 32) + (other >> 32);
}
template <class G> unsigned long __one_of(G &engine, unsigned long count)
{
    if constexpr (G::max() - G::min() == 0xffffffffu) {
        unsigned long product = (unsigned long)engine() * count;
        if ((unsigned)product < (unsigned)count)
            for (const unsigned least = -(unsigned)count % (unsigned)count; (unsigned)product < least;)
                product = (unsigned long)engine() * count;
        return product >> 32;
    } else if constexpr (sizeof(typename G::result_type) == 8 && G::max() - G::min() == 0xfffffffffffffffful) {
        unsigned long drawn = engine(), low = drawn * count;
        if (low < count)
            for (const unsigned long least = -count % count; low < least; low = drawn * count)
                drawn = engine();
        return __high_product(drawn, count);
    } else {
        const unsigned long scale = (G::max() - G::min()) / count;
        unsigned long drawn;
        do
            drawn = engine() - G::min();
        while (drawn >= count * scale);
        return drawn / scale;
    }
}

template <class T = int> class uniform_int_distribution {
public:
    typedef T result_type;
    explicit uniform_int_distribution(T a = 0, T b = numeric_limits<T>::max()) : lower(a), upper(b) {}
    template <class G> T operator()(G &engine)
    {
        const unsigned long range = (unsigned long)upper - (unsigned long)lower, most = G::max() - G::min();
        return T((range == most ? (unsigned long)(engine() - G::min()) : __one_of(engine, range + 1)) + (unsigned long)lower);
    }
    T a() const { return lower; }
    T b() const { return upper; }
    T min() const { return lower; }
    T max() const { return upper; }
    void reset() {}

private:
    T lower, upper;
};

template <class I, class G> void shuffle(I first, I last, G &&engine)
{
    const unsigned long count = last - first, most = engine.max() - engine.min();
    if (count < 2)
        return;
    unsigned long i = 1, other;
    if (most / count >= count) {  // one number for two exchanges
        if (count % 2 == 0) {
            other = __one_of(engine, 2);
            swap(first[1], first[other]);
            ++i;
        }
        for (; i < count; i += 2) {
            const unsigned long both = __one_of(engine, (i + 1) * (i + 2));
            other = both / (i + 2);
            swap(first[i], first[other]);
            other = both % (i + 2);
            swap(first[i + 1], first[other]);
        }
    } else {
        for (; i < count; ++i) {
            other = __one_of(engine, i + 1);
            swap(first[i], first[other]);
        }
    }
}

}  // namespace std
