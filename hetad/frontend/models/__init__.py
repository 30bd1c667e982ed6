"""C++ source that stands for libraries: what a program includes of them is read from here, and differentiated."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache
from pathlib import Path

from hetad.frontend import streams
from hetad.frontend.flags import FLAGS
from hetad.frontend.preprocess import Preprocessed, preprocess

_FOLDER = "<hetad>/"
_MAPS = ("map<", "set<", "multimap<", "multiset<")
_HASHED = ("unordered_map<", "unordered_set<")
_SHARED = ("shared_ptr", "make_shared", "weak_ptr")
_VARIANTS = ("variant", "monostate")
_READ = "std::ostream &"  # asks for the streams of a program that does more than write to them,
_NO_TEXTS = "std::ofstream &"  # and this where none of these is a text
STREAM = "__sink"  # what the model of streams has, and no other text
_MANIPULATORS = ("setprecision", "setw", "setfill", *FLAGS)
_QUEUES = ("deque<", "queue<", "stack<", "priority_queue<")
# The models, each behind those that it needs, and the words by which a program asks for them; `map<`: with arguments.
_WORDS = {
    "standard": ("std", "thrust", "Kokkos"),
    "concepts": (
        "concept", "requires", "same_as", "convertible_to", "floating_point", "signed_integral", "unsigned_integral",
        "invocable", "regular_invocable", "derived_from", "constructible_from", "totally_ordered",
    ),
    "half": ("__half", "half", "half2", "__half2", "__nv_bfloat16", "nv_bfloat16", "__nv_bfloat162", "nv_bfloat162"),
    "curand": (
        "curandState", "curandState_t", "curandStateXORWOW", "curandStateXORWOW_t", "curandStatePhilox4_32_10",
        "curandStatePhilox4_32_10_t", "curand_init",
    ),
    "cooperative_groups": ("cooperative_groups",),
    "memory": ("unique_ptr", "make_unique", *_SHARED),
    "tuple": ("tuple", "make_tuple", "tie", "thrust", *_VARIANTS),
    "functional": (
        "plus", "minus", "multiplies", "divides", "negate", "less", "greater", "less_equal", "greater_equal",
        "equal_to", "not_equal_to", "logical_and", "logical_or", "unary_function", "binary_function", "thrust",
        *_MAPS, *_HASHED, *_QUEUES,
    ),
    "function": ("function<", *_SHARED),
    "shared_ptr": _SHARED,
    "optional": ("optional", "nullopt", "make_optional", *_VARIANTS),
    "variant": _VARIANTS,
    "span": ("span",),
    "algorithm": (
        "accumulate", "inner_product", "transform_reduce", "reduce", "iota", "partial_sum", "inclusive_scan",
        "exclusive_scan", "adjacent_difference", "transform", "for_each", "fill", "fill_n", "generate", "copy",
        "copy_n", "reverse", "max_element", "min_element", "find", "count_if", "all_of", "any_of",
        "lower_bound", "upper_bound", "sort", "stable_sort", "clamp", "rotate", "nth_element", "partial_sort", "thrust",
    ),
    "algorithm_select": (
        "copy_if", "remove_if", "remove", "find_if", "none_of", "count", "unique", "replace_if", "minmax_element",
        "min_element", "max_element", "rotate", "nth_element", "partial_sort", "is_sorted", "back_inserter",
    ),
    "complex": ("complex",),
    "random": (
        "mt19937", "mt19937_64", "minstd_rand", "minstd_rand0", "default_random_engine", "random_device",
        "uniform_real_distribution", "normal_distribution", "exponential_distribution", "bernoulli_distribution",
        "uniform_int_distribution", "shuffle",
    ),
    "chrono": ("chrono",),
    "istream": ("ifstream", "istream"),
    "string": (
        "string", "string_view", "to_string", "stoi", "stol", "stoul", "stoll", "stoull", "stof", "stod", *_HASHED,
        _READ, *streams.TEXTS,
    ),
    "ios": (_READ, *streams.TEXTS),
    "letters": streams.TEXTS,
    "no_letters": (_NO_TEXTS,),
    "ostream": (_READ, *streams.TEXTS),
    "sstream": streams.TEXTS,
    "vector": ("vector", "thrust", *_QUEUES),
    "queue": _QUEUES,
    "list": ("list", *_MAPS, *_HASHED),
    "map": _MAPS,
    "unordered_map": _HASHED,
    "libcuxx": ("cuda",),
    "thrust": ("thrust",),
    "thrust_loops": ("thrust",),
    "thrust_sums": ("thrust",),
    "thrust_vector": ("thrust",),
    "thrust_search": ("thrust",),
    "thrust_sort": ("thrust",),
    "thrust_select": ("thrust",),
    "thrust_policies": ("thrust",),
    "cub": ("cub",),
    "cub_load": ("BlockLoad", "BlockStore", "BlockExchange"),
    "cub_device": ("DeviceReduce", "DeviceSegmentedReduce", "DeviceScan", "DeviceSelect", "DeviceRadixSort"),
    "kokkos": ("Kokkos",),
    "kokkos_view": ("Kokkos",),
    "kokkos_parallel": ("Kokkos",),
    "kokkos_copy": ("Kokkos",),
    "kokkos_reduce": ("Kokkos",),
    "kokkos_team": ("Kokkos",),
}  # fmt: skip
_OF_STANDARD = set(_WORDS) - {"half", "curand", "cooperative_groups", "cub", "cub_load", "libcuxx"}
_LIBRARIES = {"std", "thrust", "Kokkos"}

MODELLED = frozenset({"vector", *_WORDS["random"]})  # of what is passed over where it is read as C
CLOCKS = frozenset(
    "chrono high_resolution_clock steady_clock system_clock duration duration_cast time_point milliseconds "
    "microseconds nanoseconds seconds".split()
)
# What is passed over where nothing depends on it, and has a model for where something does.
RATHER_PASSED_OVER = CLOCKS | {"string", "to_string", *streams.TEXTS, *_MANIPULATORS}
STREAMS = frozenset((*streams.CONSOLE, *streams.FILES))  # likewise, all or none: see `streams.py`


@cache
def model(name: str) -> Preprocessed:
    """What stands for the headers of a library, or a part of one."""
    file = f"{name}.cuh"
    return preprocess((Path(__file__).parent / file).read_text(encoding="utf-8"), f"{_FOLDER}{file}")


def named(words: Iterable[str]) -> list[Preprocessed]:
    """The models that a program with these words asks for, in order."""
    words = list(words)
    found = _with_arguments(words)
    if streams.are_read(words):
        found.update((_READ,) if found.intersection(streams.TEXTS) else (_READ, _NO_TEXTS))
    if found.intersection(_WORDS["cub_device"]):  # is made of thrust's
        found.add("thrust")
    apart = () if found & _LIBRARIES else _OF_STANDARD
    return [model(name) for name, asked in _WORDS.items() if name not in apart and found.intersection(asked)]


def _with_arguments(words: Iterable[str]) -> set[str]:
    """The words; `map<` for `std::map<`, and for `map<` where the program has no function of that name."""
    found: set[str] = set()
    meant: set[str] = set()
    called: set[str] = set()
    scope = before = ""
    for word in words:
        found.add(word)
        if word == "<":
            (found if scope == "::" else meant).add(f"{before}<")
        elif word == "(":
            called.add(f"{before}<")
        scope, before = before, word
    return found | (meant - called)


def are_cpp(words: Iterable[str]) -> bool:
    """Whether a program with these words uses a library that is never read as C."""
    return "Kokkos" in words


def is_model(file: str) -> bool:
    """Whether a file is one of hetad's models."""
    return file.startswith(_FOLDER)
