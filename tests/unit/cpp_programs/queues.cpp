// Elements of a deque stay where they are while it grows; what else is done with queues.
#include <deque>
#include <queue>
#include <stack>
#include <algorithm>
#include <numeric>
struct Node { double v; int depth; };
double f(double a, int n)
{
    std::queue<Node> q;
    q.push({a, 0});
    double s = 0;
    while (!q.empty()) {
        Node &t = q.front();
        for (int i = 0; i < 3 && t.depth < n; ++i) q.push(Node{t.v * (i + 1), t.depth + 1});
        s += t.v;
        q.pop();
    }
    std::deque<double> d{3, 1, a, 2};
    d.push_front(a * 2);
    double &first = d.front();
    for (int i = 0; i < 30; ++i) d.push_back(i * a - 3);
    first += 100;
    std::sort(d.begin(), d.end());
    s = s * 2 + std::accumulate(d.begin(), d.end(), 0.0) + d[3] * 7 + *std::max_element(d.begin(), d.end());
    for (auto it = d.begin(); it != d.end(); ++it) s = s * 1.01 + *it;
    for (double x : d) s += x * x;
    std::deque<double> e(d.begin(), d.begin() + 4);
    std::stack<int> st; st.push(4); st.push(n); st.pop();
    const std::deque<double> &c = e;
    for (auto x : c) s += x;
    return s + e.size() + st.top() + (d.end() - d.begin());
}
