struct Particle {
    double x, v;
    Particle(double x0 = 1, double v0 = 0.5) : x(x0), v(v0) {}
    Particle &step(double dt) { x += dt * v; return *this; }
    double energy() const { return 0.5 * v * v + x; }
};
struct System {
    Particle parts[3];
    double time;
    int count;
    Particle *find(int i) { return i < count ? &parts[i] : nullptr; }
    Particle &operator[](int i) { return parts[i]; }
    const Particle &operator[](int i) const { return parts[i]; }
};
static double total(const System &s) { double e = 0; for (const auto &p : s.parts) e += p.energy(); return e; }
double f(double a, int n)
{
    System s = {{Particle(a), {2, 3}, Particle{}}, 0.0, n};
    for (int i = 0; i < n; ++i) {
        Particle fresh(i);
        fresh.step(0.5).step(0.25);
        s[i % 3].x += fresh.x;
        if (Particle *p = s.find(i))
            p->step(a);
        s.time += s[i % 3].energy();
    }
    System t = s;
    t[0].step(10);
    return total(s) + 10 * total(t) + s.time;
}
