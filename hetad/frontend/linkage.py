"""Several texts as one program: the files that are compiled apart, and the two texts of a file for host and device.

Each text is a `FileScope` with types and macros of its own.  What two texts declare in the same words, and what that
mentions is the same too, is one thing; the later text asks the earlier one for it (`shared`).  A name that two texts
have for different things, and that a linker would not see, gets another one in the program (`names`): `scale_main` for
`scale` of main.cu, `f_host` for the host's version of `f`.  Everything else is found by its name.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import PurePath

from hetad.diagnostics import UnsupportedError
from hetad.frontend.items import Declares, Item
from hetad.frontend.shipped import is_shipped

Words = tuple[str, ...]
_LINKED: tuple[Declares, ...] = ("function", "variable")


@dataclass(frozen=True)
class Text:
    """One translation unit as host code or as device code sees it; of which items it has its own."""

    file: str
    items: tuple[Item, ...]
    device: bool = False
    shared: Mapping[str, int] = field(default_factory=dict)  # name -> the number of the text that it is taken from
    names: Mapping[str, str] = field(default_factory=dict)  # own name -> name in the program

    def declared(self) -> Iterator[tuple[str, Declares, Item]]:
        for item in self.items:
            for name, what in item.names.items():
                yield name, what, item


def linked(files: Sequence[tuple[str, Sequence[Item], Sequence[Item] | None]]) -> list[Text]:
    """The texts of files: name, items for the host, and items for the device where these may be others.

    Raises UnsupportedError where two files define one name.
    """
    texts: list[Text] = []
    for file, host, device in files:
        text = Text(file, tuple(host))
        if device is None:
            texts.append(_with_shared(text, texts))
            continue
        other = Text(file, tuple(device), device=True)
        same = _same(other, text)
        texts.append(_with_shared(replace(text, items=tuple(_of_host(i, same) for i in host)), texts))
        own = len(texts) - 1
        other = replace(other, items=tuple(_of_device(i, same) for i in device))
        of_host = {name: texts[own].shared.get(name, own) for name in same}
        texts.append(replace(other, shared=dict(_with_shared(other, texts).shared) | of_host))
    _check_definitions(texts)
    return [replace(text, names=names) for text, names in zip(texts, _names(texts), strict=True)]


# --- what texts have in common --------------------------------------------------------------------


def _with_shared(text: Text, before: Sequence[Text]) -> Text:
    """The text with what earlier texts for the same side have too."""
    shared: dict[str, int] = {}
    for number, other in enumerate(before):
        if other.device == text.device:
            for name in _same(text, other) - other.shared.keys() - shared.keys():
                shared[name] = number
    return replace(text, shared=shared)


def _same(text: Text, other: Text) -> set[str]:
    """The names that mean the same in both, and mention only such names."""
    mine, theirs = _words(text), _words(other)
    different = {name for name, words in mine.items() if theirs.get(name) != words}
    if text.file != other.file:
        different |= {
            name for name, _, item in text.declared() if _has_own_memory(item) and not is_shipped(item.span.file)
        }
    users: dict[str, set[str]] = {}
    for name, declarations in mine.items():
        for word in {w for words in declarations for w in words} & mine.keys():
            users.setdefault(word, set()).add(name)
    waiting = list(different)
    while waiting:
        fresh = users.get(waiting.pop(), set()) - different
        different |= fresh
        waiting += fresh
    return mine.keys() - different


def _words(text: Text) -> dict[str, list[Words]]:
    """What is declared of each name, as words."""
    found: dict[str, list[Words]] = {}
    for name, what, item in text.declared():
        head = (what, item.kind, item.namespace, item.inline or "", item.launch_bounds or "")
        found.setdefault(name, []).append((*head, *(t.text for t in item.tokens)))
    return found


def _has_own_memory(item: Item) -> bool:
    """Whether each file that has this item has memory of its own for it."""
    if "variable" in item.names.values():
        return not (is_declaration(item) or _is_constant(item))
    return item.internal and "function" in item.names.values() and any(t.text == "static" for t in item.tokens)


def _is_constant(item: Item) -> bool:
    words = [t.text for t in item.tokens]
    head = words[: words.index("=")] if "=" in words else words
    return "constexpr" in head or ("const" in head and "*" not in head and not item.spaces)


# --- host and device ------------------------------------------------------------------------------


def _of_host(item: Item, same: set[str]) -> Item:
    """A function for both that has another text on the device is one for the host alone."""
    return replace(item, spaces=frozenset()) if _has_versions(item, same) else item


def _of_device(item: Item, same: set[str]) -> Item:
    return replace(item, spaces=frozenset({"__device__"})) if _has_versions(item, same) else item


def _has_versions(item: Item, same: set[str]) -> bool:
    return item.kind == "host device" and not same.issuperset(item.names)


# --- names ----------------------------------------------------------------------------------------


def _check_definitions(texts: Sequence[Text]) -> None:
    """Two files that define one name for all files, which no linker accepts; one header in both is let pass."""
    found: dict[str, tuple[str, Item]] = {}
    for text in texts:
        for name, what, item in text.declared():
            if text.device or not is_external(item, what):
                continue
            file, earlier = found.setdefault(name, (text.file, item))
            if file != text.file and (earlier.span != item.span or name not in text.shared):
                message = f"'{name}' is defined here and at {earlier.span}"
                raise UnsupportedError(message, item.span, "make one of them static, or give it another name")


def is_declaration(item: Item) -> bool:
    """Whether a variable is `extern` and has no value."""
    return item.tokens[0].text == "extern" and all(t.text != "=" for t in item.tokens)


def is_external(item: Item, what: Declares) -> bool:
    """Whether the item defines a name for all files.  Without relocatable device code, what is on the device alone is
    of its file."""
    if item.internal or item.namespace or "inline" in (item.inline or "") or what not in _LINKED:
        return False
    if what == "variable":
        return not (is_declaration(item) or item.spaces or _is_constant(item))
    return item.kind in ("host", "kernel", "host device")


def _names(texts: Sequence[Text]) -> list[dict[str, str]]:
    """What names become in the program, for each text."""
    names: list[dict[str, str]] = [{} for _ in texts]
    if len(texts) == 1:
        return names
    taken = {name for text in texts for name, _, _ in text.declared()}
    owners: dict[str, dict[int, list[tuple[Declares, Item]]]] = {}
    for number, text in enumerate(texts):
        for name, what, item in text.declared():
            if name not in text.shared and _defines(what, item):
                owners.setdefault(name, {}).setdefault(number, []).append((what, item))
    for name, found in owners.items():
        for number in found:
            wanted = _renamed(texts, number, name, found)
            if wanted is not None:
                names[number][name] = _free(wanted, taken)
    return names


def _defines(what: Declares, item: Item) -> bool:
    if what == "tag":
        return any(t.text == "{" for t in item.tokens)
    if what == "variable":
        return not is_declaration(item)
    return what in ("function", "template", "typedef")


def _renamed(
    texts: Sequence[Text], number: int, name: str, owners: Mapping[int, Sequence[tuple[Declares, Item]]]
) -> str | None:
    """The other name that a name gets; None if it stays."""
    text = texts[number]
    elsewhere = any(texts[o].file != text.file for o in owners)
    external = any(is_external(item, what) for what, item in owners[number])
    if hidden := _hides_known(texts, name):
        if external:
            message = f"'{name}' is a function of this program and, in {hidden}, one of CUDA's"
            raise UnsupportedError(message, owners[number][0][1].span, "give it another name")
        elsewhere = True
    apart = f"_{_stem(text)}" if elsewhere and not external else ""
    version = ""
    if not text.device:
        device = [items for o, items in owners.items() if texts[o].device and texts[o].file == text.file]
        of_device = [item for items in device for _, item in items]
        version = "_host" if any(i.kind == "device" for i in of_device) and owners[number][0][1].kind == "host" else ""
    return name + apart + version if apart or version else None


def _hides_known(texts: Sequence[Text], name: str) -> str | None:
    """The file in which a name is a known function, and not the program's own."""
    from hetad.frontend.lower.known import functions as known_functions

    if name in known_functions():
        for text in texts:
            declared = any(n == name for n, _, _ in text.declared())
            if not declared and any(t.text == name for item in text.items for t in item.tokens):
                return text.file
    return None


def _stem(text: Text) -> str:
    stem = "".join(c if c.isalnum() and c.isascii() else "_" for c in PurePath(text.file).stem)
    return stem or "file"


def _free(wanted: str, taken: set[str]) -> str:
    name, number = wanted, 1
    while name in taken:
        number += 1
        name = f"{wanted}_{number}"
    taken.add(name)
    return name
