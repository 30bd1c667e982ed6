from __future__ import annotations

import errno
import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

from hetad.run import cache, cleaning


@pytest.fixture
def cache_dir(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("HETAD_CACHE_DIR", str(tmp_path / "cache"))
    return tmp_path / "cache"


def _names(directory: Path) -> list[str]:
    return sorted(p.name for p in directory.iterdir() if p.name != ".cleaned")


def test_the_environment_names_the_directory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HETAD_CACHE_DIR", str(tmp_path / "a"))
    assert cache.configured_directory() == tmp_path / "a"
    monkeypatch.delenv("HETAD_CACHE_DIR")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "b"))
    assert cache.configured_directory() == tmp_path / "b" / "hetad"
    monkeypatch.delenv("XDG_CACHE_HOME")
    monkeypatch.setenv("HOME", str(tmp_path))
    assert cache.configured_directory() == tmp_path / ".cache" / "hetad"


def test_keys_tell_apart_how_parts_are_cut() -> None:
    assert cache.key("ab", "c") != cache.key("a", "bc")
    assert cache.key("a") != cache.key("a", "")


def test_an_entry_is_made_once(cache_dir: Path) -> None:
    made = []

    def make(path: Path) -> None:
        made.append(path)
        path.write_bytes(b"content")

    first, second = cache.entry("x.so", make), cache.entry("x.so", make)
    assert first == second == cache_dir / "x.so"
    assert first.read_bytes().startswith(b"content")
    assert len(made) == 1
    assert made[0].suffix == ".so"
    assert made[0] != first
    assert _names(cache_dir) == ["x.so"]


@pytest.mark.parametrize("damage", [b"", b"other content", b"\0" * 100])
def test_a_damaged_entry_is_made_anew(cache_dir: Path, damage: bytes) -> None:
    def make(path: Path) -> None:
        path.write_bytes(b"content")

    path = cache.entry("x.so", make)
    sound = path.read_bytes()
    path.write_bytes(damage)
    assert not cache.intact(path)
    assert cache.entry("x.so", make).read_bytes() == sound
    path.write_bytes(sound[:-1])
    assert not cache.intact(path)


def test_a_failure_leaves_nothing_behind(cache_dir: Path) -> None:
    def make(path: Path) -> None:
        path.write_bytes(b"half")
        raise ValueError("no")

    with pytest.raises(ValueError, match="no"):
        cache.entry("x.so", make)
    assert list(cache_dir.iterdir()) == []


def test_a_directory_that_cannot_be_written_is_replaced(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "file").write_text("in the way")
    monkeypatch.setenv("HETAD_CACHE_DIR", str(tmp_path / "file" / "cache"))
    with pytest.warns(RuntimeWarning, match="it cannot be written.*HETAD_CACHE_DIR") as told:
        path, _ = (cache.entry(name, lambda p: p.write_bytes(b"content") and None) for name in ("x.so", "y.so"))
    assert len(told) == 1
    assert cache.intact(path)
    assert tmp_path not in path.parents
    assert cache.directory() == path.parent  # the same for the whole process


def test_processes_may_make_the_same_entry_at_once(cache_dir: Path) -> None:
    script = (
        "from hetad.run import cache; import time\n"
        "def make(path):\n"
        "    with path.open('wb') as f:\n"
        "        for _ in range(20): f.write(b'x' * 1000); f.flush(); time.sleep(0.002)\n"
        "assert cache.intact(cache.entry('x.so', make))\n"
    )
    running = [subprocess.Popen([sys.executable, "-c", script], env=os.environ) for _ in range(4)]
    assert [p.wait(timeout=60) for p in running] == [0] * 4
    assert _names(cache_dir) == ["x.so"]
    assert cache.intact(cache_dir / "x.so")


def test_a_full_directory_is_replaced(cache_dir: Path) -> None:
    """Whether hetad writes, or the C compiler."""

    def make(path: Path) -> None:
        if cache_dir in path.parents:
            raise OSError(errno.ENOSPC, "no space left on device", str(path))
        path.write_bytes(b"content")

    with pytest.warns(RuntimeWarning, match="no space left.*HETAD_CACHE_DIR") as told:
        first, second = cache.entry("x.so", make), cache.entry("y.so", make)
    assert len(told) == 1
    assert cache.intact(first)
    assert cache.intact(second)
    assert _names(cache_dir) == []


def test_a_process_that_is_killed_while_it_writes(cache_dir: Path) -> None:
    script = (
        "from hetad.run import cache; import time\n"
        "def make(path):\n"
        "    path.write_bytes(b'half'); print('ready', flush=True); time.sleep(100)\n"
        "cache.entry('x.so', make)\n"
    )
    writes = subprocess.Popen([sys.executable, "-c", script], stdout=subprocess.PIPE, env=os.environ)
    assert writes.stdout is not None
    writes.stdout.readline()
    writes.kill()
    writes.wait()
    path = cache.entry("x.so", lambda p: p.write_bytes(b"content") and None)
    assert cache.contents(path) == b"content"
    left = [p for p in cache_dir.iterdir() if p.name.startswith(".x")]
    assert left
    _aged(cache_dir, left[0].name, 2 * cleaning.ABANDONED)
    _aged(cache_dir, ".cleaned", cleaning.EVERY + 1)
    cleaning.clean(cache_dir)
    assert _names(cache_dir) == ["x.so"]


def test_what_was_not_used_for_longest_goes_first(cache_dir: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HETAD_CACHE_MB", "1")
    for number in range(12):
        cache.entry(f"{number}.so", lambda p: p.write_bytes(b"x" * 100_000) and None)
        _aged(cache_dir, f"{number}.so", 100_000 - number)
    assert cache.contents(cache_dir / "3.so") is not None  # used
    _aged(cache_dir, ".cleaned", cleaning.EVERY + 1)
    cleaning.clean(cache_dir)
    assert _names(cache_dir) == sorted(f"{n}.so" for n in (3, *range(5, 12)))


def test_what_is_in_use_stays(cache_dir: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HETAD_CACHE_MB", "0")
    for name in ("old.so", "new.so"):
        cache.entry(name, lambda p: p.write_bytes(b"content") and None)
    _aged(cache_dir, "old.so", 2 * cleaning.IN_USE)
    cleaning.clean(cache_dir)
    assert _names(cache_dir) == ["new.so", "old.so"]  # somebody has just looked
    _aged(cache_dir, ".cleaned", cleaning.EVERY + 1)
    cleaning.clean(cache_dir)
    assert _names(cache_dir) == ["new.so"]


def _aged(directory: Path, name: str, seconds: float) -> None:
    """As if a file had last been changed so long ago."""
    then = time.time() - seconds
    os.utime(directory / name, (then, then))
