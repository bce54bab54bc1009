"""What `pip install mechdesign` brings along, and what it does not."""

from importlib.metadata import requires

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

BASE = """
    annotated-doc annotated-types certifi cffi charset-normalizer clarabel cloudpickle contourpy cvxpy cycler
    fonttools highspy idna jinja2 joblib kiwisolver lazy-loader markdown-it-py markupsafe matplotlib mdurl
    narwhals numpy osqp packaging pillow platformdirs pooch pyarrow pycparser pydantic pydantic-core pygments
    pyparsing python-dateutil python-flint qdldl requests rich scipy scs setuptools shellingham sparsediffpy
    threadpoolctl typer typing-extensions typing-inspection tzdata urllib3
"""
"""All distributions of a plain install, without extras: whoever adds one decides that for everybody."""


def brought_by(name):
    """Every distribution that this one needs on this machine, extras only where somebody asks for them."""
    found = set()
    waiting = [Requirement(name)]
    while waiting:
        wanted = waiting.pop()
        for text in requires(wanted.name) or []:
            needed = Requirement(text)
            extras = wanted.extras or {""}
            if needed.marker is not None and not any(needed.marker.evaluate({"extra": extra}) for extra in extras):
                continue
            key = (canonicalize_name(needed.name), frozenset(needed.extras))
            if key not in found:
                found.add(key)
                waiting.append(needed)
    return {name for name, _ in found}


def test_a_plain_install_brings_no_more_than_this():
    assert brought_by("mechdesign") <= set(BASE.split())


def test_the_list_has_what_is_asked_for_directly():
    direct = {canonicalize_name(Requirement(text).name) for text in requires("mechdesign") if "extra ==" not in text}
    assert direct <= brought_by("mechdesign")


def test_what_extras_bring_is_not_in_it():
    extras = {Requirement(text).name for text in requires("mechdesign") if "extra ==" in text}
    assert {"opendp", "pytest"} <= extras
    assert brought_by("mechdesign").isdisjoint(map(canonicalize_name, extras))
