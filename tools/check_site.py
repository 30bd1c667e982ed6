"""check_site.py DIRECTORY: every link of a built site leads to a page and a place on it, and pages load nothing from
elsewhere.  What leads away from the site is not asked for."""

from __future__ import annotations

import sys
from dataclasses import dataclass, field
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

_LOADED = {("script", "src"), ("img", "src"), ("iframe", "src"), ("source", "src")}


@dataclass
class Page(HTMLParser):
    """What a page leads to, what it loads, and the places on it that can be led to."""

    path: Path
    links: list[str] = field(default_factory=list)
    loaded: list[str] = field(default_factory=list)
    places: set[str] = field(default_factory=set)

    def __post_init__(self) -> None:
        super().__init__()
        self.feed(self.path.read_text(encoding="utf-8"))

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        for name, value in attributes:
            if value and name in ("id", "name"):
                self.places.add(value)
            elif value and name == "href" and tag == "a":
                self.links.append(value)
            elif value and ((tag, name) in _LOADED or (name == "href" and self._is_loaded(tag, attributes))):
                self.loaded.append(value)

    @staticmethod
    def _is_loaded(tag: str, attributes: list[tuple[str, str | None]]) -> bool:
        return tag == "link" and dict(attributes).get("rel") not in ("canonical", "next", "prev", "alternate")


def problems(site: Path) -> list[str]:
    """A line for each link that leads nowhere, and each file from elsewhere."""
    pages = {path: Page(path) for path in sorted(site.rglob("*.html"))}
    found = []
    for path, page in pages.items():
        where = path.relative_to(site)
        found += [f"{where}: loads {url}" for url in page.loaded if urlsplit(url).netloc]
        for url in (*page.links, *page.loaded):
            parts = urlsplit(url)
            if parts.scheme or parts.netloc or (path.name == "404.html" and url.startswith("/")):
                continue
            target = (path.parent / unquote(parts.path)).resolve() if parts.path else path
            target = target / "index.html" if target.is_dir() else target
            if not target.is_file():
                found.append(f"{where}: {url} leads nowhere")
            elif parts.fragment and target in pages and unquote(parts.fragment) not in pages[target].places:
                found.append(f"{where}: {url}: there is no such place on that page")
    return found


def main() -> int:
    found = problems(Path(sys.argv[1]).resolve())
    sys.stdout.write("".join(f"{problem}\n" for problem in found))
    return 1 if found else 0


if __name__ == "__main__":
    raise SystemExit(main())
