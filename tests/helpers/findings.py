"""The quick findings of claims, measured once for all tests of a process.

They are never measured where anything is replaced.
"""

from functools import cache

from mechdesign_figures.claims.ledger import CLAIMS
from mechdesign_figures.claims.verdict import Finding
from mechdesign_figures.studies.design_cache import DesignCache

_BENCH = DesignCache()
_BY_KEY = {claim.key: claim for claim in CLAIMS}


@cache
def finding(key: str) -> Finding:
    """Return the quick finding of a claim."""
    return _BY_KEY[key].measure(_BENCH, True)
