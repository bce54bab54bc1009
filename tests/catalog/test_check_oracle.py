"""Every system passes the check that anybody's own oracle must pass; oracles that say what is false do not."""

import pytest
from oracle_cases import CASES
from system_oracles import ATTRIBUTES, LEVELS, oracle_of

from mechdesign import Privacy
from mechdesign_catalog.oracles.kinds.onebitmean import OneBitMean
from mechdesign_catalog.testing import check_oracle

ORACLES = {
    **{case.label: case.small for case in CASES},
    **{f"levels: {label}": (lambda label=label: LEVELS[label]) for label in LEVELS},
    **{text: (lambda text=text: oracle_of(text)) for text in ATTRIBUTES},
    "onebitmean": lambda: OneBitMean(5, Privacy(epsilon=1), 4),
}


@pytest.mark.slow
@pytest.mark.parametrize("label", ORACLES)
def test_every_system_passes(label):
    check_oracle(ORACLES[label]())
