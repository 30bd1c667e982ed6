"""On the path of Python, lets `coverage run` measure each process that is started: without it only those whose
interpreter has coverage's own .pth file, which is not read beside packages on $PYTHONPATH."""

import contextlib
import os

if os.environ.get("COVERAGE_PROCESS_CONFIG"):
    with contextlib.suppress(ImportError):
        import coverage

        coverage.process_startup()
