"""The built documentation: `sphinx-build -W docs docs/_build/html` makes it, before these tests run."""

from pathlib import Path

import pytest

SITE = Path(__file__).parents[3] / "docs" / "_build" / "html"


@pytest.fixture(scope="session")
def site() -> Path:
    """The folder of the built pages."""
    if not (SITE / "index.html").is_file():
        pytest.fail("the site is not built: sphinx-build -W docs docs/_build/html", pytrace=False)
    return SITE


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Run a test with `address` for each page."""
    if "address" in metafunc.fixturenames:
        metafunc.parametrize("address", sorted(str(path.relative_to(SITE)) for path in SITE.rglob("*.html")))
