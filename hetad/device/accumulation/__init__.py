"""How increments of adjoints reach memory: which are sums, which need atomics, and in what order threads come."""
