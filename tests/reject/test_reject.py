"""Every program in this folder is refused, with the message and at the place that it marks.

    /*---
    function = "f"            # the function to reach
    wrt = ["x"]               # and, if given, to differentiate
    of = ["y"]
    graph = true              # optional: as CUDA graphs
    frontend = "c"            # optional: who reads it
    error = "UnsupportedError"    # optional: the class
    help = "rewrite it"           # optional: part of the remedy
    ---*/
        goto done;   // expected-error: goto
    //  ^

The comment stands on the offending line and holds a part of the message.  The `^` in the comment line below it marks
the column; `expected-error @5: …` names it.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

import hetad
from hetad import diagnostics, pipeline
from hetad.cli.check import examine
from tests.corpus import header

_MARK = re.compile(r"// *expected-error *(?:@(\d+))?: *(.+?)\s*$")
_CARET = re.compile(r"//[\s-]*\^\s*$")


@dataclass(frozen=True)
class Expected:
    line: int
    column: int | None
    message: str


def expectation(path: Path) -> Expected:
    lines = path.read_text(encoding="utf-8").splitlines()
    marked = [(i, found) for i, text in enumerate(lines) if (found := _MARK.search(text))]
    if len(marked) != 1:
        raise ValueError(f"{path}: {len(marked)} lines with '// expected-error:', there must be one")
    i, found = marked[0]
    below = lines[i + 1] if i + 1 < len(lines) else ""
    column = int(found[1]) if found[1] else below.index("^") + 1 if _CARET.search(below) else None
    return Expected(i + 1, column, found[2])


def differentiate(path: Path, options: dict[str, Any]) -> None:
    program = hetad.load(path, frontend=options.get("frontend", "auto"))
    if "wrt" in options:
        hetad.gradient(program[options["function"]], wrt=options["wrt"], of=options.get("of"),
                        graph=options.get("graph", False))  # fmt: skip
    else:
        pipeline.reach(program.unit, options["function"])


def found_by_check(path: Path, options: dict[str, Any]) -> list[hetad.HetadError]:
    wrt, of = (tuple(options[k]) if k in options else None for k in ("wrt", "of"))
    try:
        return list(
            examine(
                hetad.load(path, frontend=options.get("frontend", "auto")).unit, options["function"], wrt, of
            ).errors
        )
    except hetad.HetadError as error:  # before any function: of the whole text
        return [error]


PROGRAMS = sorted(Path(__file__).parent.glob("*.cu"))


@pytest.mark.parametrize("path", PROGRAMS, ids=lambda path: path.stem)
def test_refused(path: Path) -> None:
    options, expected = header(path), expectation(path)
    kind = getattr(diagnostics, options.get("error", "SourceError"))
    with pytest.raises(kind) as caught:
        differentiate(path, options)
    error = caught.value
    assert expected.message in error.message
    assert error.span is not None, f"the error has no place: {error}"
    assert error.span.line == expected.line, str(error)
    if expected.column is not None:
        assert error.span.column == expected.column, str(error)
    assert error.source_line is not None, "the error does not show its source line"
    assert options.get("help", "") in error.remedy


@pytest.mark.parametrize("path", [p for p in PROGRAMS if "graph" not in header(p)], ids=lambda path: path.stem)
def test_check_reports_it(path: Path) -> None:
    """`hetad check` goes as far as differentiation does."""
    options, expected = header(path), expectation(path)
    found = found_by_check(path, options)
    assert any(
        expected.message in e.message and e.span is not None and e.span.line == expected.line
        and expected.column in (None, e.span.column)
        for e in found if isinstance(e, diagnostics.SourceError)
    ), "\n".join(map(str, found))  # fmt: skip


# What tangents have no need to refuse, and why.  A race is the program's own: `hetad check` and gradcheck name it.
WITH_TANGENT = {
    "last_block": "values go from block to block in the order of the primal",
    "volatile_message": "likewise",
    "pointers_copied_beside_numbers": "shadows are copied as the structs are",
    "half_in_dynamic_memory": "tangents of halves are halves",
    "shared_structs_of_pointers": "tangents are not cleared, so that they may lie beside pointers",
    "race_along_unused_axis": "race", "race_in_a_shared_number": "race", "race_in_shared_rows": "race",
    "race_of_blocks": "race", "race_of_different_values": "race", "race_of_neighbours": "race",
    "race_perhaps": "race",
    "shuffle_in_divergent_loop": "nothing runs backwards", "shuffle_partial_mask_in_loop": "nothing runs backwards",
    "sum_reset_in_part": "nothing is restored",
    "trips_counted_by_a_loop": "nothing is taped", "trips_from_the_launch": "nothing is taped",
    "trips_without_a_bound": "nothing is taped",
}  # fmt: skip


@pytest.mark.parametrize(
    "path", [p for p in PROGRAMS if "wrt" in header(p) and "graph" not in header(p)], ids=lambda path: path.stem
)
def test_tangent(path: Path) -> None:
    """The tangent is refused too, at a place, but for what is right in order of the program."""
    options = header(path)

    def made() -> object:
        program = hetad.load(path, frontend=options.get("frontend", "auto"))
        return hetad.jvp(program[options["function"]], wrt=options["wrt"], of=options.get("of"))

    if path.stem in WITH_TANGENT:
        made()
        return
    with pytest.raises(diagnostics.SourceError) as caught:
        made()
    assert caught.value.span is not None
