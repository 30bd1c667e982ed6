"""`pytest tests/property --hypothesis-profile=deep` looks for long; otherwise the same few programs are tried."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from hypothesis import HealthCheck, settings

from tests.property.check import without_optimisation

_SLOW = (HealthCheck.too_slow, HealthCheck.data_too_large, HealthCheck.large_base_example)

settings.register_profile(
    "deep", max_examples=2000, deadline=None, database=None, print_blob=True, suppress_health_check=_SLOW
)
settings.register_profile(
    "programs", max_examples=40, deadline=None, database=None, derandomize=True, suppress_health_check=_SLOW
)


@pytest.fixture(scope="module")  # other tests of the process compile otherwise
def quick_compiler(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Compiles without optimisation, which is most of the time here, and keeps nothing of it."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("HETAD_CC", without_optimisation())
        patch.setenv("HETAD_CACHE_DIR", str(tmp_path_factory.mktemp("cache")))
        yield
