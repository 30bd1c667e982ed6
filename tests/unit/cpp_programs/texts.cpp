// Texts that are built and searched.
#include <cstdio>
#include <string>
std::string name(const std::string &base, int step, double dt)
{
    return base + "_" + std::to_string(step) + "_" + std::to_string(dt) + ".dat";
}
double f(double a, int n)
{
    std::string s = name("field", n, a);
    size_t dot = s.rfind('.');
    std::string ext = s.substr(dot + 1);
    double sum = dot;
    if (ext == "dat") sum += 100;
    s.insert(0, "dir/");
    s.replace(s.find("field"), 5, "rho");
    s.erase(0, 1);
    s += 'x';
    s.append("tail");
    s.append(3, '!');
    s = "p:" + s;
    if (s.find_first_of("_") != std::string::npos) sum += 3;
    if (s.find_last_of("_") != std::string::npos) sum += s.find_last_of("_");
    for (auto &c : s) sum = sum * 1.125 + c;
    s.resize(4);
    sum += s.size() + s.compare("p:i") + (s > "b") + (s.back());
    s.pop_back();
    s.reserve(100);
    char buffer[64];
    snprintf(buffer, sizeof(buffer), "run%04d", n);
    std::string t(buffer);
    t.assign("abc");
    return sum + t.length() + s.length();
}
