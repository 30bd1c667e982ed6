"""C++ by Clang: cursors of libclang become the C syntax tree that lowering takes, with all that is C++ resolved.

Templates are there as their instances, overloads as functions of their own names, methods as functions of a reference
to their object, lambdas as structs; `scope.py` tells lowering what the names mean.
"""
