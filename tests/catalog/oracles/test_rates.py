"""What is stated of the sums of honest users holds for every oracle, report by report of its exact law."""

import numpy as np
import pytest
from oracle_cases import CASES

from mechdesign.mechanism.mechanism import Mechanism
from mechdesign.problem.privacy import Privacy
from mechdesign_catalog.marginals.registry import MARGINAL_ORACLES, parse_marginal_oracle
from mechdesign_catalog.oracles import make_oracle
from mechdesign_catalog.oracles.kinds.designed import Designed
from mechdesign_catalog.oracles.kinds.onebitmean import OneBitMean
from mechdesign_catalog.oracles.ragged import Ragged
from mechdesign_catalog.oracles.rates import SignRates
from mechdesign_catalog.oracles.wire import ByteStrings

ONE = Privacy(epsilon=1)


def several(name):
    binary = name in ("inpem", "marght")
    return parse_marginal_oracle(name, (2, 2, 2) if binary else (2, 3), Privacy(epsilon=2))


ORACLES = {
    **{case.label: case.small for case in CASES},
    "design without symmetry": lambda: Designed.of(Mechanism(((6, 1, 2), (1, 5, 2), (1, 2, 4)), 8)),
    "onebitmean": lambda: OneBitMean(5, ONE, 4),
    **{name: (lambda name=name: several(name)) for name in MARGINAL_ORACLES},
}


def one_report(oracle, report):
    """The reports of one user from a row of the law."""
    rest, columns = list(report), []
    for column in oracle.wire.columns:
        if isinstance(column, ByteStrings):
            columns.append(Ragged(np.array([0, len(rest)]), np.array(rest, dtype=np.uint8)))
            rest = []
            continue
        width = int(np.prod(column.shape, dtype=int))
        columns.append(np.array(rest[:width]).reshape(1, *column.shape).astype(column.dtype))
        rest = rest[width:]
    return oracle.wire.reports(oracle.parameters, *columns)


def expectations(oracle):
    """For each rate: what it is, and the mean over the law of counts (or of plus, minus) and trials, for each value."""
    law = oracle.report_law()
    values = len(next(iter(law.values())))
    sums = None
    for report, chances in law.items():
        rates = list(oracle.honest_rates(oracle.aggregate(one_report(oracle, report))))
        weights = np.array([float(chance) for chance in chances])[:, None]
        if sums is None:
            sums = [np.zeros((3, values, len(one.counts))) for one in rates]
        for total, one in zip(sums, rates, strict=True):
            signed = isinstance(one, SignRates)
            assert set(np.unique(one.trials)) <= {0, 1}
            assert (np.abs(one.counts) <= one.trials).all()
            assert signed or (one.counts >= 0).all()
            total[0] += weights * (one.counts > 0)
            total[1] += weights * (one.counts < 0)
            total[2] += weights * one.trials
    return list(zip(rates, sums, strict=True))


@pytest.mark.parametrize("label", ORACLES)
def test_the_chance_of_every_user_is_between_the_rates(label):
    for rates, (up, down, trials) in expectations(ORACLES[label]()):
        near = 1e-9 * trials
        if isinstance(rates, SignRates):
            most = (1 - rates.turned) * rates.chance * trials
            assert up + down == pytest.approx(rates.chance * trials, abs=1e-9)
            assert (up <= most + near).all()
            assert (down <= most + near).all()
            assert (up.max(axis=0) >= 0.5 * most.max(axis=0)).all()
        else:
            assert (up <= rates.high * trials + near).all()
            assert (up >= rates.low * trials - near).all()
            assert (up - rates.high * trials).max(axis=0) == pytest.approx(0, abs=1e-9)  # some value reaches it
            if "hcms" not in label:  # whose lower rate is that of hashes without collisions
                assert (up - rates.low * trials).min(axis=0) == pytest.approx(0, abs=1e-9)


def test_levels_without_users_are_among_the_rates():
    """So the number of tails, over which the level is shared out, is no matter of chance."""
    oracle = make_oracle("hh", 8, ONE, b=2)
    few = oracle.aggregate(oracle.privatize(np.array([3])))
    many = oracle.aggregate(oracle.privatize(np.arange(800) % 8))
    assert [len(one.counts) for one in oracle.honest_rates(few)] == [
        len(one.counts) for one in oracle.honest_rates(many)
    ]
