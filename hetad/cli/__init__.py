"""The command line.  One module per command; each has `add`, which declares its options, and `run`.

Exit status: 0 success; 1 the check failed, or the program cannot be differentiated or run; 2 wrong usage: an unknown
option, file, function or parameter, or a problem file that does not fit the program.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Sequence

from hetad.cli.errors import explain_failure
from hetad.cli.parser import build_parser


def main(argv: Sequence[str] | None = None) -> int:
    """Runs one command and gives the exit status; `argv` without the program's name."""
    began = time.perf_counter()
    options = build_parser().parse_args(argv)
    try:
        return int(options.run(options))
    except BrokenPipeError:  # the reader of a pipe has seen enough
        sys.stderr.close()
        return 0
    except KeyboardInterrupt:
        print("\nhetad: interrupted", file=sys.stderr)
        return 130
    except Exception as error:
        if options.debug:
            raise
        status = explain_failure(error, as_json=getattr(options, "json", False))
        if status is None:
            raise
        if (mpi := sys.modules.get("hetad.run.mpi")) is not None:
            mpi.abort_if_several()
        return status
    finally:
        if options.time:
            _tell_times(time.perf_counter() - began)


def _tell_times(seconds: float) -> None:
    """A step has the time of those inside it, too."""
    from hetad.run.timing import steps

    for step in steps:
        print(f"{step.seconds * 1000:9.1f} ms  {step.name}{' (kept)' if step.found else ''}", file=sys.stderr)
    print(f"{seconds * 1000:9.1f} ms  in all, after the start of Python", file=sys.stderr)
