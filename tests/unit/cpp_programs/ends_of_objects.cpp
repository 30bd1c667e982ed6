struct Log {
    double value;
    int events;
};

struct Mark {
    Log *log;
    double code;
    Mark(Log *l, double c) : log(l), code(c) { note(1); }
    Mark(const Mark &o) : log(o.log), code(o.code + 0.25) { note(2); }
    Mark(Mark &&o) : log(o.log), code(o.code + 0.5)
    {
        o.code = -1;
        note(3);
    }
    Mark &operator=(const Mark &o)
    {
        code = o.code * 1.5;
        note(4);
        return *this;
    }
    Mark &operator=(Mark &&o)
    {
        code = o.code * 2.5;
        o.code = -2;
        note(5);
        return *this;
    }
    ~Mark() { note(6); }
    void note(int what)
    {
        log->value = log->value * 1.0625 + code * what;
        ++log->events;
    }
};

struct Two {
    Mark one, two;
    Two(Log *l, double c) : one(l, c), two(l, c * 2) {}
};

struct Three : Two {
    Mark three;
    double plain[2] = {1, 2};
    Three(Log *l, double c) : Two(l, c), three(l, c * 3) {}
    ~Three() { three.note(7); }
};

struct List {
    Mark marks[2];
    explicit List(Log *l) : marks{Mark(l, 31), Mark(l, 37)} {}
};

static double by_value(Mark m, double v) { return m.code * v; }
static double by_reference(const Mark &m) { return m.code; }
static Mark made(Log *l, double c) { return Mark(l, c); }
static Mark passed(Mark m) { return m; }
static Mark kept(Mark &&m) { return Mark(static_cast<Mark &&>(m)); }
static double early(Log *l, int n)
{
    Mark a(l, 41);
    if (n > 2)
        return a.code;
    Mark b(l, 43);
    for (int i = 0; i < 3; ++i) {
        Mark c(l, 47 + i);
        if (i == n)
            break;
        if (n == 1 && i == 0)
            continue;
        Mark d(l, 53);
        {
            Mark a(l, 59);
            if (n == 0)
                return a.code + b.code;
        }
    }
    return b.code;
}

double f(double a, int n)
{
    Log log = {a, 0};
    {
        Mark first(&log, 3);
        Mark second = first;
        Mark third(static_cast<Mark &&>(first));
        second = third;
        second = made(&log, 7);
        made(&log, 9);
        Mark fourth = passed(second);
        Mark fifth = kept(made(&log, 11));
    }
    log.value += by_value(Mark(&log, 13), a);
    log.value -= by_reference(made(&log, 17));
    {
        Three t(&log, 1.5);
        Three copy = t;
        Three moved = static_cast<Three &&>(t);
        copy = moved;
        moved = static_cast<Three &&>(copy);
        Two part = moved;
        log.value += part.one.code + copy.two.code + moved.plain[1];
    }
    for (int k = 0; k <= n; ++k)
        log.value += early(&log, k);
    if (by_reference(Mark(&log, 61)) > 60)
        log.value *= 1.5;
    int turns = 0;
    while (by_reference(Mark(&log, 67)) > 0 && turns < n)
        ++turns;
    do {
        Mark m(&log, 71);
        if (turns == 1)
            continue;
        m.code += turns;
    } while (by_reference(Mark(&log, 73)) > 0 && --turns > 0);
    for (Mark m(&log, 79); m.code < 82; m.code += 1)
        if (n == 1)
            break;
    switch (n) {
    case 1: {
        Mark m(&log, 83);
        break;
    }
    default: {
        Mark m(&log, 89);
        if (a > 0)
            break;
        m.note(1);
    }
    }
    const Mark &held = made(&log, 97);
    Mark &&taken = made(&log, 101);
    taken.code += held.code;
    List list(&log), again(list);
    Mark *heap = new Mark(&log, 103);
    Mark *other = new Mark(*heap);
    delete heap;
    other->note(1);
    delete other;
    Mark *none = nullptr;
    delete none;
    auto capture = [held, &list](double v) { return held.code * v + list.marks[0].code; };
    log.value += capture(a);
    return log.value + log.events;
}
