#include <string>
#include <string_view>
static int kind(std::string_view name)
{
    if (name == "linear")
        return 1;
    if (name.substr(0, 4) == "quad" || name < "b")
        return 2;
    return name.empty() ? 0 : (int)name.size();
}
static double words(std::string_view text)
{
    double sum = 0;
    while (!text.empty()) {
        const std::size_t space = text.find(' ');
        const std::string_view word = text.substr(0, space);
        sum = 3 * sum + kind(word) + word.front() - word.back();
        if (space == std::string_view::npos)
            break;
        text.remove_prefix(space + 1);
    }
    return sum;
}
double f(double a, int n)
{
    const std::string name = n > 2 ? "quadratic" : "linear";
    std::string longer = name + " " + std::string(std::string_view(name).substr(1, 3));
    double r = a * kind(name) + 10 * kind("linear") + 100 * kind(longer) + 1000 * kind("") + words("linear a cubic  quad");
    for (char c : std::string_view(longer))
        r = 0.5 * r + c;
    return r + (std::string_view("ab").compare("abc") < 0) + 2 * (std::string_view("b") < std::string_view("ab"));
}
