// Streams that smart pointers, vectors and other classes own, and that are moved.
#include <fstream>
#include <iomanip>
#include <iostream>
#include <memory>
#include <sstream>
#include <string>
#include <vector>
struct Matrix {
    double v[4];
};
std::ostream &operator<<(std::ostream &os, const Matrix &m)
{
    for (int i = 0; i < 2; ++i) {
        for (int j = 0; j < 2; ++j)
            os << std::setw(9) << m.v[2 * i + j];
        os << '\n';
    }
    return os;
}
static std::unique_ptr<std::ostream> open(const std::string &name)
{
    if (name.empty())
        return std::make_unique<std::ostringstream>();
    return std::make_unique<std::ofstream>(name);
}
struct Mesh {
    std::shared_ptr<std::ostream> os;
    int n;
};
struct Tables {
    std::ofstream a;
    std::ofstream b;
    std::string name;
    Tables(std::string n) : a(n + ".a"), b(n + ".b"), name(std::move(n))
    {
        a << name << std::endl;
        b << std::scientific << 1.5 << "\n";
    }
};
double f(double a, int n)
{
    std::cout << Matrix{{a, 2, 3, a * a}} << std::flush;
    auto o = open("streams_o.txt");
    *o << a << std::endl;
    o.reset();
    auto p = open("");
    if (*p << a << "x")
        std::cout << "works\n";
    Mesh m;
    m.os = std::make_shared<std::ofstream>("streams_m.txt");
    m.n = n;
    *m.os << m.n;
    Tables tables("streams_t");
    std::vector<std::ofstream> files;
    for (int i = 0; i < n; ++i)
        files.emplace_back("streams_v" + std::to_string(i));
    for (auto &file : files)
        file << a << '\n';
    std::ofstream moved = std::move(files[0]);
    moved << "more\n";
    return n;
}
