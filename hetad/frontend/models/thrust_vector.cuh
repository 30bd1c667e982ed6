// Memory of the device that grows.
namespace thrust {

template <class T> class device_vector {
public:
    typedef T value_type;
    typedef device_ptr<T> iterator;
    typedef device_ptr<T> pointer;
    typedef void __on_device;

    device_vector() : first(nullptr), count(0), room(0) {}
    explicit device_vector(size_t n) : first(nullptr), count(n), room(n)
    {
        cudaMalloc((void **)&first, n * sizeof(T));
        cudaMemset(first, 0, n * sizeof(T));
    }
    device_vector(size_t n, const T &value) : first(nullptr), count(n), room(n)
    {
        cudaMalloc((void **)&first, n * sizeof(T));
        thrust::fill(begin(), end(), value);
    }
    template <class I, class = std::__iterator_only<I>> device_vector(I from, I to)
        : first(nullptr), count(to - from), room(to - from)
    {
        cudaMalloc((void **)&first, count * sizeof(T));
        thrust::copy(from, to, begin());
    }
    device_vector(const std::vector<T> &v) : first(nullptr), count(v.size()), room(v.size())
    {
        cudaMalloc((void **)&first, count * sizeof(T));
        cudaMemcpy(first, v.data(), count * sizeof(T), cudaMemcpyHostToDevice);
    }
    device_vector(const device_vector &o) : first(nullptr), count(o.count), room(o.count)
    {
        cudaMalloc((void **)&first, count * sizeof(T));
        cudaMemcpy(first, o.first, count * sizeof(T), cudaMemcpyDeviceToDevice);
    }
    device_vector(device_vector &&o) : first(o.first), count(o.count), room(o.room)
    {
        o.first = nullptr;
        o.count = 0;
        o.room = 0;
    }
    ~device_vector() { cudaFree(first); }
    device_vector &operator=(const device_vector &o)
    {
        if (this != &o) {
            __assign_room(o.count);
            cudaMemcpy(first, o.first, count * sizeof(T), cudaMemcpyDeviceToDevice);
        }
        return *this;
    }
    device_vector &operator=(device_vector &&o)
    {
        if (this != &o) {
            cudaFree(first);
            first = o.first;
            count = o.count;
            room = o.room;
            o.first = nullptr;
            o.count = 0;
            o.room = 0;
        }
        return *this;
    }
    device_vector &operator=(const std::vector<T> &v)
    {
        __assign_room(v.size());
        cudaMemcpy(first, v.data(), count * sizeof(T), cudaMemcpyHostToDevice);
        return *this;
    }

    device_ptr<T> begin() const { return device_ptr<T>(first); }
    device_ptr<T> end() const { return device_ptr<T>(first + count); }
    device_ptr<T> data() const { return device_ptr<T>(first); }
    size_t size() const { return count; }
    size_t capacity() const { return room; }
    bool empty() const { return count == 0; }
    device_reference<T> operator[](size_t i) const { return device_reference<T>(first + i); }
    device_reference<T> front() const { return device_reference<T>(first); }
    device_reference<T> back() const { return device_reference<T>(first + (count - 1)); }
    void clear() { count = 0; }
    void reserve(size_t n)
    {
        if (n > room)
            __grow(n);
    }
    void resize(size_t n) { resize(n, T()); }
    void resize(size_t n, const T &value)
    {
        size_t before = count;
        if (n > room)
            __grow(n);
        count = n;
        if (n > before)
            thrust::fill(begin() + before, end(), value);
    }
    void push_back(const T &value)
    {
        if (count == room)
            __grow(room == 0 ? 1 : 2 * room);
        ++count;
        back() = value;
    }
    template <class I> void assign(I from, I to)
    {
        __assign_room(to - from);
        thrust::copy(from, to, begin());
    }
    void swap(device_vector &o)
    {
        std::swap(first, o.first);
        std::swap(count, o.count);
        std::swap(room, o.room);
    }
    void __download(T *host) const { cudaMemcpy(host, first, count * sizeof(T), cudaMemcpyDeviceToHost); }

private:
    T *first;
    size_t count, room;

    void __grow(size_t n)
    {
        T *wider;
        cudaMalloc((void **)&wider, n * sizeof(T));
        cudaMemcpy(wider, first, count * sizeof(T), cudaMemcpyDeviceToDevice);
        cudaFree(first);
        first = wider;
        room = n;
    }
    void __assign_room(size_t n)
    {
        if (n > room) {
            cudaFree(first);
            cudaMalloc((void **)&first, n * sizeof(T));
            room = n;
        }
        count = n;
    }
};

template <class T> void swap(device_vector<T> &a, device_vector<T> &b) { a.swap(b); }

}  // namespace thrust
