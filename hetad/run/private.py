"""Whether what lies at a path can only have been put there by this user, or by root: code is loaded from it.

That is a matter of the path's own owner and mode, and of those of every directory on the way: who can write to one of
these can put another in the place of the next, but for one with the sticky bit, as /tmp, where only owners can.
"""

from __future__ import annotations

import os
import stat
from pathlib import Path

_LINKS = 40  # as many as systems follow


def objection(path: Path) -> str | None:
    """Why others could have written to the directory `path`, which exists; None if they could not."""
    if not hasattr(os, "geteuid"):  # a system with rights of another kind
        return None
    here = Path(path.anchor)
    left = list(path.absolute().parts[1:])
    links = 0
    while True:
        found = here.lstat()
        if stat.S_ISLNK(found.st_mode):
            if (problem := _not_ours(here, found)) is not None:
                return problem
            links += 1
            if links > _LINKS:
                return f"{here} is a loop of links"
            target = here.parent / here.readlink()
            here, left = Path(target.anchor), [*target.parts[1:], *left]
            continue
        if (problem := _not_ours(here, found)) is not None or (
            problem := _open(here, found, last=not left)
        ) is not None:
            return problem
        if not left:
            return None
        name = left.pop(0)
        here = here.parent if name == ".." else here / name


def is_private_file(descriptor: int) -> bool:
    """Whether an open file is an ordinary one that only this user, or root, can have written."""
    found = os.fstat(descriptor)
    if not stat.S_ISREG(found.st_mode):
        return False
    return not hasattr(os, "geteuid") or (found.st_uid in (0, os.geteuid()) and not found.st_mode & 0o022)


def _not_ours(path: Path, found: os.stat_result) -> str | None:
    if found.st_uid in (0, os.geteuid()):
        return None
    return f"{path} belongs to another user (number {found.st_uid})"


def _open(path: Path, found: os.stat_result, last: bool) -> str | None:
    mode = stat.S_IMODE(found.st_mode)
    writers = mode & 0o002 or (mode & 0o020 and not _is_own_group(found.st_gid))
    if not writers or (mode & stat.S_ISVTX and not last):
        return None
    return f"other users may write to {path} (its mode is {mode:04o})"


def _is_own_group(group: int) -> bool:
    """Whether a group is that of this user alone, by its name and its members, as many systems give one to each."""
    import grp
    import pwd

    try:
        user, found = pwd.getpwuid(os.geteuid()), grp.getgrgid(group)
    except KeyError:
        return False
    return group == user.pw_gid and found.gr_name == user.pw_name and set(found.gr_mem) <= {user.pw_name}
