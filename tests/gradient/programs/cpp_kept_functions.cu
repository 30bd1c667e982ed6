/*---
function = "run"
wrt = ["x", "w"]
of = ["y"]
[inputs]
x = { shape = [16], random_uniform = 1, low = 0.3, high = 1.2 }
y = { zeros = [12] }
w = 0.7
which = 1
[[cases]]
name = "one"
[[cases]]
name = "two"
inputs = { which = 0 }
---*/
// Functions that are kept in memory: pointers and std::function in arrays, on the heap, behind pointers, in what is copied.
#include <cmath>
#include <cstring>
#include <cstdlib>
#include <functional>
#include <vector>
typedef double (*law_t)(double);
static double square(double v) { return v * v; }
static double cube(double v) { return v * v * v; }
struct Entry { law_t law; double weight; };
struct Node { std::function<double(double)> law; double weight = 1; int id; };
static void set(Entry *e, law_t l) { e->law = l; }
void run(double *x, double *y, double w, int which)
{
    Entry e = {square, 1}, g = {cube, 2}, h = {square, 3};
    Entry *p = which ? &e : &g;
    p->law = sin;
    set(&h, cos);
    y[0] = e.law(x[0]) * g.law(x[1]) + h.law(x[2]);
    Entry *table = (Entry *)calloc(3, sizeof(Entry));
    table[1].law = cube;
    for (int i = 0; i < 3; i++)
        y[1] += table[i].law ? table[i].law(x[i]) : x[i] * w;
    Entry copy[3];
    memcpy(copy, table, sizeof copy);
    for (int i = 0; i < 3; i++)
        y[2] += copy[i].law == nullptr ? -x[i] * w : copy[i].law(x[i]);
    free(table);
    Entry pair[2] = {{square, 2.0}};
    y[3] = pair[which].law ? pair[which].law(x[5]) : -3 * x[4];
    std::vector<Node> nodes(2);
    nodes[which].law = [w](double v) { return v * w; };
    nodes[1 - which].law = square;
    nodes.push_back({std::function<double(double)>([&](double v) { return v * x[7] * w; }), 2.0, 1});
    std::function<double(double)> *q = &nodes[0].law;
    y[4] = (*q)(x[6]);
    *q = cube;
    for (auto &n : nodes)
        y[5] += n.law(x[3]) * n.weight;
    Node *single = new Node{};
    single->law = nodes[which].law;
    y[6] = single->law(x[8]);
    std::function<double(double)> a = square, b = nodes[2].law;
    auto *r = which ? &a : &b;
    y[7] = (*r)(x[9]);
    *r = single->law;
    y[8] = a(x[10]) * b(x[11]);
    delete single;
}
