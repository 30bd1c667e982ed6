"""The page of `hetad explain --html`: complete in itself, its lines linked, and alive in a browser."""

from __future__ import annotations

import re
import shutil
import subprocess
from html.parser import HTMLParser
from pathlib import Path

import pytest

import hetad
from hetad import pipeline
from hetad.cli import main

SAMPLES = Path(__file__).parents[2] / "samples"
PROGRAM = """
template <typename T> __device__ T square(T x) { return x * x; }
__global__ void step(double *y, const double *x, int n, int k)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        y[i % k] = y[i % k] * square(x[i]) + sin(x[(7 * i) % k]); // <b>"&amp;
}
void run(double *y, double *x, int n)
{
    for (int t = 0; t < 3; t++) {
        step<<<1, 64>>>(y, x, n, n);
        step<<<1, 64>>>(x, y, n, n);
    }
}
"""


class Elements(HTMLParser):
    """What a page has: names, links, keys of lines, and whether every element is closed."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.ids: list[str] = []
        self.links: list[str] = []
        self.lines: list[str] = []
        self.outside: list[str] = []
        self.open: list[str] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = {name: value or "" for name, value in attrs}
        if tag not in ("meta", "br", "path", "rect"):
            self.open.append(tag)
        if "id" in given:
            self.ids.append(given["id"])
        if tag == "a" and "href" in given:
            self.links.append(given["href"])
        if "data-of" in given:
            self.lines.append(given["data-of"])
        self.outside += [
            value for name, value in given.items() if name in ("src", "href") and not value.startswith("#")
        ]

    def handle_endtag(self, tag: str) -> None:
        if tag not in ("path", "rect"):
            assert self.open.pop() == tag


def made(tmp_path: Path, *arguments: str) -> str:
    page = tmp_path / "page.html"
    assert main(["explain", *arguments, "--html", str(page)]) == 0
    return page.read_text(encoding="utf-8")


@pytest.fixture
def page(tmp_path: Path) -> str:
    source = tmp_path / "run.cu"
    source.write_text(PROGRAM, encoding="utf-8")
    return made(tmp_path, str(source), "run", "--wrt", "x,y", "--of", "y")


def test_a_page_is_complete_in_itself(page: str) -> None:
    found = Elements(page)
    assert found.open == []
    assert found.outside == []
    assert len(set(found.ids)) == len(found.ids)
    assert {link.removeprefix("#") for link in found.links} <= set(found.ids)
    assert "&lt;b&gt;" in page
    assert not re.search(r"url\((?!#)|@import|https?://(?!www\.w3\.org/2000/svg)", page)


def test_lines_of_both_sides_are_linked(page: str) -> None:
    found = Elements(page)
    statement = "0-7"  # y[i % k] = …
    assert found.lines.count(statement) > 2
    assert "p0-7" in found.ids
    assert page.index("step_pullback") > 0


def test_what_is_saved_and_how_adjoints_are_accumulated(page: str) -> None:
    assert "overwrites it while it is still needed" in page
    assert "not proven that each cell has one thread" in page
    assert ">saves y<" in page


def test_a_problem_file_measures(tmp_path: Path) -> None:
    text = made(tmp_path, str(SAMPLES / "collide.toml"))
    assert re.search(r"<p>[1-9][\d,]* bytes in all at these inputs", text)


def test_time_loops_are_shown_under_a_memory_limit(tmp_path: Path) -> None:
    text = made(tmp_path, str(SAMPLES / "collide.cu"), "iter", "--wrt", "src", "--of", "dst", "--memory-limit", "1MB")
    assert "Time loops under the memory limit" in text
    assert "checkpoints of" in text


def test_of_a_long_file_only_what_is_reached_is_shown(tmp_path: Path) -> None:
    source = tmp_path / "long.cu"
    rest = "".join(f"void other_{i}(float *p) {{ p[0] = {i}; }}\n" for i in range(500))
    source.write_text(rest + PROGRAM, encoding="utf-8")
    text = made(tmp_path, str(source), "run", "--wrt", "x", "--of", "y")
    assert "other_7(" not in re.sub(r"<[^>]*>", "", text)
    assert 'id="p0-507"' in text


def test_located_lines_are_those_of_the_source() -> None:
    g = hetad.gradient(hetad.loads(PROGRAM, "run.cu")["run"], wrt=("x", "y"), of="y")
    for function, lines in pipeline.located_source(g.derivative):
        assert "\n".join(line.text for line in lines) in g.source, function.name


# --- in a browser --------------------------------------------------------------------------------


def browser(*arguments: str, profile: Path) -> str:
    """What headless Chromium prints."""
    program = shutil.which("chromium") or shutil.which("google-chrome")
    if program is None:
        pytest.skip("Chromium is not installed")
    fixed = (
        "--headless --no-sandbox --disable-gpu --disable-quic --no-first-run --disable-background-networking "
        "--disable-component-update --disable-sync"
    ).split()
    command = [program, *fixed, f"--user-data-dir={profile}", *arguments]
    return subprocess.run(command, capture_output=True, text=True, timeout=120, check=True).stdout


def test_a_link_lights_the_lines_of_both_sides(page: str, tmp_path: Path) -> None:
    url = (tmp_path / "page.html").as_uri()
    dom = browser("--dump-dom", f"{url}#p0-7", profile=tmp_path / "profile")
    lit = re.findall(r'class="line lit"[^>]*data-of="([^"]*)"', dom)
    assert set(lit) == {"0-7"}
    assert len(lit) == Elements(page).lines.count("0-7")


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_both_themes_have_paper_of_their_own(page: str, tmp_path: Path, theme: str) -> None:
    """A browser paints the page: the first pixel is the paper's colour."""
    matplotlib = pytest.importorskip("matplotlib.image")
    shot = tmp_path / f"{theme}.png"
    dark = ["--blink-settings=preferredColorScheme=0"] if theme == "dark" else []
    browser(f"--screenshot={shot}", *dark, (tmp_path / "page.html").as_uri(), profile=tmp_path / "profile")
    brightness = matplotlib.imread(shot)[2, 2, :3].mean()
    assert brightness > 0.95 if theme == "light" else brightness < 0.15
