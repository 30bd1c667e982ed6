/*---
wrt = ["u", "v", "c"]
of = ["u", "v"]
[inputs]
u = { shape = [70], random = 1 }
v = { shape = [70], random = 2 }
c = 0.3
n = 70
steps = 6
[[cases]]
name = "kept_if"
function = "kept_in_branch"
[[cases]]
name = "derived"
function = "derived"
[[cases]]
name = "derived_limit"
function = "derived"
memory_limit = "8kB"
inputs = { steps = 15 }
[[cases]]
name = "shifted"
function = "shifted"
[[cases]]
name = "self"
function = "self_moves"
[[cases]]
name = "inwhile"
function = "in_while"
---*/
// Variables of loops that take the values of others: in branches, in circles, of themselves; and those that follow from
// others, which change before the iteration ends.
__global__ void step(double *a, const double *b, double c, int k, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        a[i] = sin(a[i]) * (1.0 + c) + 0.3 * b[(i + k) % n] * cos(a[i]);
}

void kept_in_branch(double *u, double *v, double c, int n, int steps)
{
    double *a = u, *b = v, *tmp = u;
    int p = 1, q = 2, r = 3;
    for (int t = 0; t < steps; t++) {
        if (t % 3 != 1) {
            double *old = a;
            a = b;
            b = old;
            int x = p;
            p = q;
            q = r;
            r = x + t;
            if (t > 2) { tmp = a; a = b; b = tmp; int y = q; q = p; p = y; }
        } else {
            int w = r; r = q; q = w;
        }
        step<<<3, 32>>>(a, b, c, p, n);
        step<<<3, 32>>>(b, a, c, q * 2 + r, n);
        int again = p; p = again; again = q; q = again;
    }
}

void derived(double *u, double *v, double c, int n, int steps)
{
    int m = 3, w = 1;
    for (int t = 0; t < steps; t++) {
        int k = 2 * t + m;
        double s = 0.0007 * k * w;
        step<<<3, 32>>>(u, v, s, k, n);
        m = m + k % 3;
        int l = k + m;
        k = l - w;
        w = (w * 3 + k) % 7 + 1;
        double z = s + 0.0001 * l;
        step<<<3, 32>>>(v, u, z * c, k % n + 70, n);
        s = z * 0.5;
        for (int j = 0; j < l % 3; j++) {
            int h = j + l;
            l = l + h % 2;
            step<<<3, 32>>>(u, v, s * h, h % n, n);
        }
    }
}

void shifted(double *u, double *v, double c, int n, int steps)
{
    double *h0 = u, *h1 = v, *h2 = u;
    int e0 = 1, e1 = 2, e2 = 4;
    for (int t = 0; t < steps; t++) {
        step<<<3, 32>>>(h0, h1 == h0 ? v : h1, c, e2, n);
        h2 = h1;
        h1 = h0;
        h0 = t % 2 ? u : v;
        e2 = e1;
        e1 = e0;
        e0 = (e0 + t) % 5;
        step<<<3, 32>>>(h2, h2 == u ? v : u, 0.5 * c, e1, n);
    }
}

void self_moves(double *u, double *v, double c, int n, int steps)
{
    int a = 1, b = 2;
    double *p = u, *q = v;
    for (int t = 0; t < steps; t++) {
        int x = a;
        a = x;
        x = b;
        b = a;
        a = x;
        a = a;
        double *y = p;
        p = p;
        p = q;
        q = y;
        y = p;
        step<<<3, 32>>>(y, q, c, a, n);
        step<<<3, 32>>>(q, p, c, b, n);
    }
}

void in_while(double *u, double *v, double c, int n, int steps)
{
    int t = 0, a = 1, b = 0;
    double *p = u, *q = v;
    while (1) {
        if (t >= steps)
            break;
        int s = a + b;
        b = a;
        a = s;
        step<<<3, 32>>>(p, q, c, a, n);
        t++;
        if (t % 4 == 3)
            continue;
        double *o = p;
        p = q;
        q = o;
    }
}
