/*---
function = "scheduled"
wrt = ["cost", "x"]
of = ["x"]
[inputs]
cost = { shape = [24], random_uniform = 1, low = 0.5, high = 3.0 }
x = { shape = [8], random = 2 }
row = { values = [0, 3, 6, 9, 12, 15, 18, 21, 24] }
col = { values = [1, 2, 3, 2, 4, 5, 3, 5, 6, 4, 6, 7, 5, 7, 0, 6, 0, 1, 7, 1, 2, 0, 3, 4] }
n = 8
---*/
// Queues, stacks, deques, heaps and maps with equal keys: shortest paths on the host, levels for launches, and windows.
#include <deque>
#include <functional>
#include <iostream>
#include <map>
#include <queue>
#include <set>
#include <stack>
#include <utility>
#include <vector>

__global__ void damp(double *x, const int *level, const double *distance, int count)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < count)
        x[level[i]] = sin(x[level[i]]) * exp(-distance[level[i]]);
}

static std::vector<double> shortest(const double *cost, const int *row, const int *col, int n)
{
    typedef std::pair<double, int> Item;
    std::priority_queue<Item, std::vector<Item>, std::greater<Item>> next;
    std::vector<double> distance(n, 1e300);
    distance[0] = 0.0;
    next.push({0.0, 0});
    while (!next.empty()) {
        const auto [so_far, u] = next.top();
        next.pop();
        if (so_far > distance[u])
            continue;
        for (int e = row[u]; e < row[u + 1]; ++e)
            if (so_far + cost[e] < distance[col[e]]) {
                distance[col[e]] = so_far + cost[e];
                next.emplace(distance[col[e]], col[e]);
            }
    }
    return distance;
}

static std::vector<int> levels(const int *row, const int *col, int n)
{
    std::vector<int> level(n, -1);
    std::queue<int> waiting;
    level[0] = 0;
    waiting.push(0);
    while (!waiting.empty()) {
        int u = waiting.front();
        waiting.pop();
        for (int e = row[u]; e < row[u + 1]; ++e)
            if (level[col[e]] < 0) {
                level[col[e]] = level[u] + 1;
                waiting.push(col[e]);
            }
    }
    return level;
}

static double evaluated(const std::vector<double> &values)
{
    std::stack<double> operands;
    for (double v : values) {
        operands.push(v);
        if (operands.size() > 2) {
            double a = operands.top();
            operands.pop();
            operands.top() = a * operands.top() + 1.0;
        }
    }
    double sum = 0.0;
    for (; !operands.empty(); operands.pop())
        sum += operands.top();
    return sum;
}

void scheduled(const double *cost, double *x, const int *row, const int *col, int n)
{
    const std::vector<double> distance = shortest(cost, row, col, n);
    const std::vector<int> level = levels(row, col, n);
    std::multimap<int, int> by_level;
    for (int i = 0; i < n; ++i)
        by_level.insert({level[i], i});
    double *d_x, *d_distance;
    int *d_level;
    cudaMalloc(&d_x, n * sizeof(double));
    cudaMalloc(&d_distance, n * sizeof(double));
    cudaMalloc(&d_level, n * sizeof(int));
    cudaMemcpy(d_x, x, n * sizeof(double), cudaMemcpyHostToDevice);
    cudaMemcpy(d_distance, distance.data(), n * sizeof(double), cudaMemcpyHostToDevice);
    for (int l = 0; by_level.count(l) > 0; ++l) {
        std::vector<int> members;
        auto range = by_level.equal_range(l);
        for (auto it = range.first; it != range.second; ++it)
            members.push_back(it->second);
        const int count = members.size();
        cudaMemcpy(d_level, members.data(), count * sizeof(int), cudaMemcpyHostToDevice);
        damp<<<1, 32>>>(d_x, d_level, d_distance, count);
    }
    std::vector<double> found(n);
    cudaMemcpy(found.data(), d_x, n * sizeof(double), cudaMemcpyDeviceToHost);
    cudaFree(d_x);
    cudaFree(d_distance);
    cudaFree(d_level);
    std::deque<double> window{found[0]};
    std::multiset<double> ordered;
    for (int i = 1; i < n; ++i) {
        if (i % 3 == 0)
            window.push_front(found[i] * found[i]);
        else
            window.push_back(found[i]);
        if (window.size() > 3)
            window.pop_front();
        double mean = 0.0;
        for (double w : window)
            mean += w / window.size();
        x[i] = found[i] + mean * window.back();
        ordered.insert(found[i]);
    }
    x[0] = evaluated(found) + *ordered.begin();
    std::cout << "largest " << window.front() << " of " << ordered.size() << std::endl;
}
