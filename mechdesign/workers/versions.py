"""Versions of the workers' software against ours.

What others compute must be what we would have computed.
"""

import sys
from collections.abc import Mapping
from functools import cache
from importlib.metadata import PackageNotFoundError, version

from mechdesign.errors import ClusterError

COMPARED = ("mechdesign", "numpy", "highspy", "pyarrow", "python-flint")
"""Packages that a design, its proof or a sum depends on; Python is compared as well."""

Versions = Mapping[str, str]


class OtherVersionsError(ClusterError):
    """The error when a worker has other versions than the process that hands it tasks."""


@cache
def our_versions() -> Versions:
    """Return the version of Python and of each package in this process; `none` for one that is missing."""
    return {"python": ".".join(map(str, sys.version_info[:3]))} | {name: _installed(name) for name in COMPARED}


def _installed(name: str) -> str:
    try:
        return version(name)
    except PackageNotFoundError:
        return "none"


def require_versions(theirs: Versions, ours: Versions, where: str) -> None:
    """Refuse a worker that has other versions.

    Raises:
        OtherVersionsError: naming the first difference.
    """
    for name, expected in ours.items():
        found = theirs.get(name, "none")
        if found != expected:
            raise OtherVersionsError(f"workers must have {name} {expected} as here, got {found} on {where}")
