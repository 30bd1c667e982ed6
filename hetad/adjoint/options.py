"""How a gradient is made: which optimisations, and whether its sums have a fixed order.  It is the same gradient."""

from __future__ import annotations

import difflib
from collections.abc import Collection, Iterable
from dataclasses import dataclass, fields

from hetad.diagnostics import ArgumentError

OPTIMISATIONS = {
    "activity": "only what depends on wrt, and what of depends on, has an adjoint",
    "needed": "what no adjoint needs is neither recomputed nor saved",
    "scalars": "members of local structs of a kernel, and cells of local arrays just stored to, are variables",
    "repetitions": "a loop that only repeats the same computation runs once",
    "tidy": "values are named once, branches merged, the text reads as by hand",
    "factors": "a loop keeps what the reverse sweep needs of a value instead of the value",
    "fusion": "sums that only adjoints need are formed in the reversed loop, which works out their terms anyway",
    "sums": "increments of one cell in a thread become one",
    "unstage": "tiles in shared memory are read from where they came from, and what a tree sums, each thread adds",
    "gather": "cells that neighbouring threads add to are summed by a thread each, in a kernel of their own",
    "tiles": "gathers that are products of matrices work on tiles in shared memory",
    "totals": "few cells that all threads add to are summed in registers and over the block",
    "segments": "a long loop of a kernel is run again in segments, and keeps less",
    "blocks": "where sums over blocks remain, a block works for several",
    "deal": "iterations of a thread's own loop are dealt out to neighbouring threads",
    "runs": "atomic additions to cells that follow each other are made together",
    "hot": "what a block adds to few cells again and again is summed in shared memory, and added once",
    "warps": "what the lanes of a warp add to one cell is summed first, and added once",
    "stagger": "threads that add to the same cells of shared memory in a loop begin at different ones",
    "exclusive": "a plain += where a cell provably belongs to one thread",
    "versions": "sizes under which more cells belong to one thread are tested at a launch, in front of two versions",
    "zeros": "what is added to an adjoint that is still zero in every cell is stored",
    "spent": "an adjoint that nobody needs any more is not cleared",
    "moves": "variables that swap their values are swapped back, and not saved",
    "renaming": "memory that is overwritten wholly is kept as it is, and the program goes on in other memory",
    "workspaces": "memory that each step of a loop allocates is allocated once, in front of the loop",
    "refills": "memory that a cheap kernel fills is filled again in the reverse sweep instead of saved",
    "reciprocals": "what divides several numbers is inverted once, where only the last bits of adjoints can tell",
    "early": "what a kernel reads behind long computations is asked for in front of them",
    "axes": "launches without the axes along which a kernel does the same",
    "qualifiers": "const and __restrict__ on the parameters of generated kernels, and the size of large blocks",
    "outline": "what the gradient does for a call of a host function is a function again",
    "sets": "on a GPU, the sets of a batch share launches; on the CPU only if named, as there they gain nothing",
}


@dataclass(frozen=True, slots=True)
class Options:
    """Each optimisation of the table above, on or off; `deterministic`: no sum depends on the order of threads."""

    activity: bool = True
    needed: bool = True
    scalars: bool = True
    repetitions: bool = True
    tidy: bool = True
    factors: bool = True
    fusion: bool = True
    sums: bool = True
    unstage: bool = True
    gather: bool = True
    tiles: bool = True
    totals: bool = True
    segments: bool = True
    blocks: bool = True
    deal: bool = True
    runs: bool = True
    hot: bool = True
    warps: bool = True
    stagger: bool = True
    exclusive: bool = True
    versions: bool = True
    zeros: bool = True
    spent: bool = True
    moves: bool = True
    renaming: bool = True
    workspaces: bool = True
    refills: bool = True
    reciprocals: bool = True
    early: bool = True
    axes: bool = True
    qualifiers: bool = True
    outline: bool = True
    sets: bool = True
    deterministic: bool = False

    @staticmethod
    def of(optimize: bool | str | Iterable[str] = True, deterministic: bool = False) -> Options:
        """`optimize`: all (True), none (False), or those named.  With `deterministic` those are on that give
        sums a fixed order, and those are off that only give atomic additions another form.

        Raises:
            ArgumentError: there is no optimisation of this name.
        """
        if isinstance(optimize, bool):
            chosen = set(OPTIMISATIONS) if optimize else set()
        else:
            chosen = {optimize} if isinstance(optimize, str) else set(optimize)
        unknown = sorted(map(str, chosen - set(OPTIMISATIONS)))
        if unknown:
            near = difflib.get_close_matches(unknown[0], OPTIMISATIONS, n=3)
            remedy = f"did you mean {' or '.join(near)}?" if near else f"there are {', '.join(OPTIMISATIONS)}"
            raise ArgumentError(f"there is no optimisation {', '.join(map(repr, unknown))}\n  help: {remedy}")
        if deterministic:
            chosen = (chosen | {"gather", "totals", "exclusive"}) - {"deal", "runs", "hot", "warps"}
        return Options(**{name: name in chosen for name in OPTIMISATIONS}, deterministic=deterministic)


def is_named(option: str, optimize: bool | str | Collection[str]) -> bool:
    """Whether an optimisation is asked for by its name."""
    return not isinstance(optimize, bool) and (option == optimize if isinstance(optimize, str) else option in optimize)


ALL = Options()
assert {f.name for f in fields(Options)} == {*OPTIMISATIONS, "deterministic"}  # nothing is left without a word
