"""`python -m hetad`."""

from __future__ import annotations

import sys

from hetad.cli import main

sys.exit(main())
