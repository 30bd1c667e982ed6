"""Work that both sweeps of a kernel do, done once: in the loop of the reverse sweep."""
