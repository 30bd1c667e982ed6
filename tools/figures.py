"""figures.py: draws docs/performance.png, and fills the tables of docs/performance.md, from benchmarks/RESULTS.md."""

from __future__ import annotations

import re
from pathlib import Path

ROOT = Path(__file__).parents[1]
RESULTS = ROOT / "benchmarks" / "RESULTS.md"
TABLES = {
    "kernels": "Kernels on a GPU, with the peers, earlier the same day",
    "programs": "Whole programs on a GPU",
}


def table(title: str) -> list[dict[str, str]]:
    """The rows of the first table below a heading."""
    text = RESULTS.read_text(encoding="utf-8")
    section = text[text.index(f"## {title}\n") :]
    found = re.search(r"(?:^\|.*\n)+", section, re.MULTILINE)
    assert found is not None, title
    head, _, *rows = ([cell.strip() for cell in line.strip("|").split("|")] for line in found[0].splitlines())
    return [dict(zip(head, row, strict=True)) for row in rows]


def filled(page: str) -> str:
    """The text of a page, each `<!-- table: TITLE: COLUMN, ... -->` followed by these columns of that table."""

    def shown(found: re.Match[str]) -> str:
        title, _, names = found[1].rpartition(": ")
        columns = names.split(", ")
        lines = ["| " + " | ".join(columns) + " |", "|---" + "|---:" * (len(columns) - 1) + "|"]
        lines += ["| " + " | ".join(row[name] for name in columns) + " |" for row in table(title)]
        return f"<!-- table: {found[1]} -->\n" + "\n".join(lines) + "\n\n"

    return re.sub(r"<!-- table: (.*?) -->\n(?:\|.*\n)*\n*", shown, page)


def number(cell: str) -> float:
    """NaN where there is none."""
    return float(cell) if re.fullmatch(r"[\d.]+", cell) else float("nan")


def draw(path: Path) -> None:
    import matplotlib as mpl

    mpl.use("Agg")
    import matplotlib.pyplot as plt

    kernels, programs = (table(title) for title in TABLES.values())
    figure, axes = plt.subplots(2, 1, figsize=(11, 7.5), layout="constrained", height_ratios=(3, 2))
    names = [row["kernel"] for row in kernels]
    hand = [number(row["hand"]) for row in kernels]
    marks = {"hetad": ("o", "C0"), "Warp": ("s", "C1"), "PyTorch": ("^", "C2"), "no proofs": ("x", "0.6")}
    for column, (mark, colour) in marks.items():
        label = "hetad, optimize=False" if column == "no proofs" else column
        ratios = [number(row[column]) / best for row, best in zip(kernels, hand, strict=True)]
        axes[0].semilogy(names, ratios, mark, color=colour, label=label)
    axes[0].axhline(1, color="0.5", linewidth=0.8)
    axes[0].set_ylabel("time of the pullback / hand-written")
    axes[0].tick_params(axis="x", rotation=30)
    axes[0].legend(ncols=4, loc="upper center", bbox_to_anchor=(0.5, 1.16))
    primal = [number(row["primal ms"]) for row in programs]
    for k, column in enumerate(("gradient ms", "with graph=True")):
        places = [place + 0.38 * k for place in range(len(programs))]
        ratios = [number(row[column]) / best for row, best in zip(programs, primal, strict=True)]
        axes[1].bar(places, ratios, 0.36, label=("gradient", "gradient, graph=True")[k])
    axes[1].set_xticks([place + 0.19 for place in range(len(programs))], [row["program"] for row in programs])
    axes[1].set_ylabel("time / primal")
    axes[1].legend()
    figure.savefig(path, dpi=80)


def main() -> None:
    page = ROOT / "docs" / "performance.md"
    page.write_text(filled(page.read_text(encoding="utf-8")), encoding="utf-8")
    draw(page.with_suffix(".png"))


if __name__ == "__main__":
    main()
