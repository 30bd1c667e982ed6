"""Code is loaded only from where no other user can have put it."""

from __future__ import annotations

import os
import subprocess
import sys
import warnings
from pathlib import Path

import pytest

from hetad.run import cache, compiler, private

pytestmark = pytest.mark.skipif(not hasattr(os, "geteuid"), reason="rights of another kind")
STRANGER = 4242


def belongs_to_a_stranger(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """From now on; an ordinary user, who cannot give a file away, becomes the stranger to it."""
    if os.geteuid() == 0:
        os.chown(path, STRANGER, -1, follow_symlinks=False)
    else:
        monkeypatch.setattr(os, "geteuid", lambda: STRANGER)


def used(wanted: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("HETAD_CACHE_DIR", str(wanted))
    return cache.directory()


def refused(wanted: Path, monkeypatch: pytest.MonkeyPatch, why: str) -> Path:
    """The directory that is used instead: told of once."""
    with pytest.warns(RuntimeWarning, match=why) as told:
        found = used(wanted, monkeypatch)
    assert str(wanted) in str(told[0].message)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert used(wanted, monkeypatch) == found
    assert found != wanted
    assert wanted not in found.parents
    assert found.stat().st_mode & 0o777 == 0o700
    return found


def test_a_directory_of_ones_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for mode in (0o700, 0o750, 0o755):
        mine = tmp_path / f"{mode:o}"
        mine.mkdir()
        mine.chmod(mode)
        assert used(mine, monkeypatch) == mine
    assert used(tmp_path / "made" / "anew", monkeypatch).stat().st_mode & 0o777 == 0o700


@pytest.mark.parametrize("mode", [0o777, 0o707, 0o1777, 0o722])
def test_others_may_write_to_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, mode: int) -> None:
    monkeypatch.setattr(private, "_is_own_group", lambda group: False)
    wide = tmp_path / "wide"
    wide.mkdir()
    (wide / "x.so").write_bytes(b"theirs")
    wide.chmod(mode)
    refused(wide, monkeypatch, "other users may write to")
    made = cache.entry("x.so", lambda path: path.write_bytes(b"mine") and None)
    assert made.read_bytes().startswith(b"mine")
    assert (wide / "x.so").read_bytes() == b"theirs"


def test_a_group_of_ones_own_may(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    mine = tmp_path / "mine"
    mine.mkdir()
    mine.chmod(0o770)
    monkeypatch.setattr(private, "_is_own_group", lambda group: group == mine.stat().st_gid)
    assert used(mine, monkeypatch) == mine


def test_another_user_owns_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    theirs = tmp_path / "theirs"
    theirs.mkdir()
    belongs_to_a_stranger(theirs, monkeypatch)
    refused(theirs, monkeypatch, "belongs to another user")


def test_a_parent_that_others_may_write_to(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    parent = tmp_path / "parent"
    (parent / "cache").mkdir(parents=True)
    parent.chmod(0o777)
    refused(parent / "cache", monkeypatch, "other users may write to")
    parent.chmod(0o1777)  # as /tmp: nobody but its owner can move the cache away
    (parent / "other").mkdir()
    assert used(parent / "other", monkeypatch) == parent / "other"


def test_links(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "there").mkdir()
    (tmp_path / "link").symlink_to("there")
    assert used(tmp_path / "link", monkeypatch) == tmp_path / "link"
    (tmp_path / "up").symlink_to(tmp_path / "link" / ".." / "there")
    assert used(tmp_path / "up", monkeypatch) == tmp_path / "up"
    wide = tmp_path / "wide"
    wide.mkdir()
    wide.chmod(0o777)
    (tmp_path / "astray").symlink_to(wide)
    refused(tmp_path / "astray", monkeypatch, "other users may write to")
    (tmp_path / "loop").symlink_to("loop")
    refused(tmp_path / "loop", monkeypatch, "cannot be written")
    belongs_to_a_stranger(tmp_path / "link", monkeypatch)
    monkeypatch.setattr(cache, "_usable", {})
    refused(tmp_path / "link", monkeypatch, "belongs to another user")


def test_entries_of_others_are_made_anew(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    mine = used(tmp_path / "cache", monkeypatch)
    path = cache.entry("x.so", lambda to: to.write_bytes(b"content") and None)
    assert cache.intact(path)
    path.chmod(0o666)
    assert not cache.intact(path)
    path = cache.entry("x.so", lambda to: to.write_bytes(b"content") and None)
    assert cache.intact(path)
    path.rename(mine / "elsewhere")
    path.symlink_to(mine / "elsewhere")
    assert not cache.intact(path)
    belongs_to_a_stranger(mine / "elsewhere", monkeypatch)
    assert not cache.intact(mine / "elsewhere")


def test_entries_are_ones_own_whatever_the_mask(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    used(tmp_path / "cache", monkeypatch)

    def make(path: Path) -> None:
        path.unlink()
        path.write_bytes(b"content")
        path.chmod(0o777)

    assert cache.intact(cache.entry("x.so", make))


def test_without_a_home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("HETAD_CACHE_DIR", raising=False)
    monkeypatch.delenv("XDG_CACHE_HOME", raising=False)
    monkeypatch.setattr(Path, "home", lambda: (_ for _ in ()).throw(RuntimeError))
    monkeypatch.setattr(cache.tempfile, "gettempdir", lambda: str(tmp_path))
    wanted = cache.configured_directory()
    assert wanted == tmp_path / f"hetad-{os.getuid()}"
    assert cache.directory() == wanted
    monkeypatch.setattr(cache, "_usable", {})
    wanted.chmod(0o777)
    with pytest.warns(RuntimeWarning, match="other users may write to"):
        assert cache.directory() != wanted


def test_a_fork_leaves_the_temporary_directory(tmp_path: Path) -> None:
    script = (
        "import os, sys, warnings; from hetad.run import cache; warnings.simplefilter('ignore')\n"
        "found = cache.directory()\n"
        "if os.fork() == 0: sys.exit(0)\n"
        "os.wait(); assert found.is_dir(); print(found)\n"
    )
    (tmp_path / "wide").mkdir()
    (tmp_path / "wide").chmod(0o777)
    done = subprocess.run([sys.executable, "-c", script], env={**os.environ, "HETAD_CACHE_DIR": str(tmp_path / "wide")},
                          capture_output=True, text=True, timeout=60, check=True)  # fmt: skip
    assert not Path(done.stdout.strip()).exists()


@pytest.mark.parametrize(
    "text", ["", "\n", "processor : 0\nmodel name : X\nflags : a\n\nprocessor : 1\nflags : b\n", "flags : a"]
)
def test_the_processor_is_known_from_any_file(tmp_path: Path, text: str) -> None:
    """In a process of its own, with a limit: it has waited for the second paragraph of a file without one."""
    (tmp_path / "cpuinfo").write_text(text)
    script = (
        "from pathlib import Path; from hetad.run import compiler; real = Path.open\n"
        f"Path.open = lambda self, *a, **k: real(Path({str(tmp_path / 'cpuinfo')!r}), *a, **k)\n"
        "print(compiler.processor())\n"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, timeout=60, check=True)
    assert ("flags : a" in done.stdout) == ("flags : a" in text)
    assert "flags : b" not in done.stdout
    assert done.stdout.strip()


def test_processor_here() -> None:
    assert compiler.processor()
