"""pictures.py [NAME ...]: runs the worked examples of samples/ as they stand, and keeps their pictures in docs/.

Times that the pictures show are those of this machine.
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[1]


def main() -> int:
    names = sys.argv[1:] or sorted(path.stem for path in (ROOT / "samples").glob("*.py"))
    for name in names:
        picture = ROOT / "docs" / f"{name}.png"
        subprocess.run([sys.executable, ROOT / "samples" / f"{name}.py", "--plot", picture], check=True)
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
