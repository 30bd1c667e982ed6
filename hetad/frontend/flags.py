"""The functions of C++ that set a flag of a stream, as `std::fixed`, and those that end a line or a text."""

ENDS = ("endl", "flush", "ends")
FLAGS = (
    *ENDS,
    *"fixed scientific defaultfloat left right dec hex oct boolalpha noboolalpha showpoint noshowpoint".split(),
    *"showpos noshowpos uppercase nouppercase".split(),
)
