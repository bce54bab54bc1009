"""Releases by the fair law: intervals, estimates and errors against the matrices of its sizes, and both checkers."""

import json
import random
from fractions import Fraction
from operator import mul

import numpy as np
import pytest
from microdata import write_lognormal_table
from tampering import set_in
from two_checkers import FALSE, PROVED

from mechdesign.counts.estimation import by_fair_law
from mechdesign.counts.estimation.by_fair_law import fair_estimates
from mechdesign.counts.estimation.intervals import count_intervals
from mechdesign.counts.estimation.intervals_by_fair_law import FairIntervals
from mechdesign.counts.estimation.inversion import unbiased_weights
from mechdesign.counts.estimation.mean import MeanEstimator
from mechdesign.mechanism.fair import FairMechanism
from mechdesign.mechanism.mechanism import Mechanism
from mechdesign.methods.closed_forms.explicit_fair import explicit_fair, fair_alpha
from mechdesign.methods.closed_forms.geometric import geometric
from mechdesign.releases.checking import check_release
from mechdesign.releases.errors import TypicalErrors
from mechdesign.releases.estimates.estimate import estimate_release, estimate_sizes
from mechdesign.releases.files import release_file
from mechdesign.verify import __main__ as program
from mechdesign.verify.fair import FairEnds

ALPHAS = ("1/30", "1/2", "4/5", "9/10")


@pytest.mark.parametrize("alpha", ALPHAS)
@pytest.mark.parametrize("confidence", ["1/2", "9/10", "999999/1000000"])
def test_intervals_are_those_of_the_matrix(alpha, confidence):
    a, c = Fraction(alpha), Fraction(confidence)
    by_law = FairIntervals(FairMechanism(a), c)
    for n in (2, 3, 4, 5, 10, 41, 129):
        assert [by_law.of(n, i) for i in range(n + 1)] == list(map(tuple, count_intervals(explicit_fair(n, a), c)))


@pytest.mark.parametrize("alpha", [*ALPHAS, "99/100"])
def test_the_standalone_checker_finds_the_same_intervals(alpha):
    words = random.Random(7)
    for confidence in map(Fraction, ("1/2", "9/10", "999999/1000000")):
        one = FairIntervals(FairMechanism(Fraction(alpha)), confidence)
        other = FairEnds(Fraction(alpha), confidence)
        for n in (2, 3, 40, 128, 129, 1000, 10**6, 10**9):
            for i in {0, 1, n // 2, n - 1, n, *(words.randrange(n + 1) for _ in range(10))}:
                assert one.of(n, i) == other.of(n, i), (n, i)


@pytest.mark.parametrize(("alpha", "n"), [("1/2", 30), ("1/2", 61), ("4/5", 60), ("4/5", 75)])
def test_estimates_are_those_of_the_inverse(alpha, n):
    found, matrix = fair_estimates(FairMechanism(Fraction(alpha)), n), explicit_fair(n, Fraction(alpha))
    exact = MeanEstimator.of(matrix)
    squares = unbiased_weights(matrix, [j * j for j in range(n + 1)])
    for i in range(n + 1):
        assert abs(found.estimate(i) - exact.weights[i]) < Fraction(1, 2**40)
        assert abs(found.variance(i) - (exact.weights[i] ** 2 - squares[i])) < Fraction(1, 2**40)
    assert abs(found.least - min(exact.noise)) < Fraction(1, 2**40)
    assert abs(found.largest - max(exact.noise)) < Fraction(1, 2**40)


@pytest.mark.parametrize("n", [400, 1001])
@pytest.mark.parametrize("alpha", ["1/2", "9/10"])
def test_estimates_of_large_groups_have_no_bias(alpha, n):
    law = FairMechanism(Fraction(alpha))
    found = fair_estimates(law, n)
    values = np.array([float(found.estimate(i)) for i in range(n + 1)])
    assert np.abs(values @ law.rows_at(n, range(n + 1)) - np.arange(n + 1)).max() < 1e-9
    large = fair_estimates(law, 10**9)
    assert np.allclose([float(large.estimate(i)) for i in range(50)], values[:50], rtol=0, atol=1e-4)
    assert large.estimate(10**9 - 3) == 10**9 - large.estimate(3)


@pytest.mark.parametrize("alpha", ["1/30", "93/100", "99/100", "999999/1000000"])
@pytest.mark.parametrize("n", [1, 2, 3, 8, 23, 24, 130, 301])
def test_estimates_have_no_bias_where_the_ends_meet(alpha, n):
    a = Fraction(alpha)
    found, fair = fair_estimates(FairMechanism(a), n), explicit_fair(n, a)
    weights = [found.estimate(i) for i in range(n + 1)]
    variances = [found.variance(i) for i in range(n + 1)]
    noise = []
    for j in {0, 1, n // 3, n // 2, n - n // 7, n}:
        column = [Fraction(row[j], fair.denominator) for row in fair.weights]
        assert abs(sum(map(mul, column, weights)) - j) < Fraction(1, 2**40)
        noise.append(sum(map(mul, column, (w * w for w in weights))) - j * j)
        assert abs(sum(map(mul, column, variances)) - noise[-1]) < Fraction(1, 2**40)
    assert found.least - Fraction(1, 2**40) <= min(noise) <= max(noise) <= found.largest + Fraction(1, 2**40)


def test_a_bias_is_refused(monkeypatch):
    monkeypatch.setattr(by_fair_law, "SETTLED_BITS", 20)  # so it ends too early
    by_fair_law._of_size.cache_clear()
    assert fair_estimates(FairMechanism(Fraction(97, 100)), 140) is None
    by_fair_law._of_size.cache_clear()


def test_a_matrix_of_the_fair_mechanism_is_known_and_solved_beyond_128():
    fair = explicit_fair(200, Fraction(19, 20))
    assert fair_alpha(fair) == Fraction(19, 20)
    assert fair_alpha(explicit_fair(1, Fraction(1, 3))) == Fraction(1, 3)
    assert fair_alpha(geometric(5, Fraction(1, 3))) is None
    assert fair_alpha(Mechanism.from_weights([[1, 1], [1, 1]], 2)) is None
    weights = [list(row) for row in explicit_fair(6, Fraction(1, 2)).weights]
    weights[5][1], weights[6][1] = weights[5][1] + 1, weights[6][1] - 1
    assert fair_alpha(Mechanism.from_weights(weights, explicit_fair(6, Fraction(1, 2)).denominator)) is None
    found = estimate_sizes({200: fair}, {200: {13: 5}}, fits_model=False)
    known = fair_estimates(FairMechanism(Fraction(19, 20)), 200)
    assert found.total.value == pytest.approx(float(5 * known.estimate(13)))
    other = estimate_sizes({200: geometric(200, Fraction(1, 2))}, {200: {13: 5}}, fits_model=False)
    assert (other.singular, other.unsolved, other.total) == ((), (200,), None)


def test_no_estimate_is_made_up_where_none_is_solved():
    assert fair_estimates(FairMechanism(Fraction(9999, 10000)), 10**9) is None


@pytest.mark.parametrize("alpha", ["1/4", "4/5"])
@pytest.mark.parametrize("n", [2, 3, 9, 40, 41])
def test_errors_are_those_of_the_matrix(alpha, n):
    a = Fraction(alpha)
    assert TypicalErrors.of_law(FairMechanism(a), [2, n]) == TypicalErrors.of(explicit_fair(n, a))


def test_errors_of_large_groups_are_those_of_a_group_without_end():
    law = FairMechanism(Fraction(4, 5))
    assert TypicalErrors.of_law(law, [512]) == TypicalErrors.of_law(law, [10**9])


@pytest.mark.parametrize("alpha", ["99/100", "9999/10000"])
def test_errors_at_a_small_epsilon_are_the_least_that_hold(alpha):
    """Nine of ten outputs of count 0 are within the distance, and no smaller one, by floats."""
    a, n = float(Fraction(alpha)), 10**6
    found = TypicalErrors.of_law(FairMechanism(Fraction(alpha)), [n])
    chances = (1 - a) / (1 + a) * a ** np.ceil(np.arange(n + 1) / 2)
    within = np.cumsum(chances)
    assert found.distance == np.searchsorted(within, 0.9)
    assert found.within == 90
    assert 0 <= float(found.root_mean_square) - np.sqrt(chances @ np.arange(n + 1.0) ** 2) <= 0.0101


@pytest.fixture(scope="module")
def released(tmp_path_factory):
    """2,000 areas, of which a seed draws the counts, with the sum of the true ones."""
    folder = tmp_path_factory.mktemp("fair")
    truth = write_lognormal_table(folder / "areas.csv", 2_000, 2)
    output, record = folder / "out.csv", folder / "record.json"
    asked = {"properties": "F,CM", "loss": "L0", "epsilon": 1, "intervals": "0.9", "seed": 3}
    release_file(folder / "areas.csv", output=output, record=record, column="poor", size="people", **asked)
    return output, record, truth


@pytest.mark.slow
def test_a_release_of_every_size_takes_the_fair_law(released):
    output, record, truth = released
    data = json.loads(record.read_text())
    assert (data["format"], data["law"]["mechanism"]) == ("mechdesign-release/4", {"kind": "fair law"})
    assert record.stat().st_size < 40_000
    assert [claim for claim in check_release(record, output) if not claim.true] == []
    assert program.main([str(record), str(output)]) == PROVED
    found = estimate_release(output, record, confidence="0.999")
    assert not found.singular
    assert found.total.low <= truth <= found.total.high


@pytest.mark.slow
def test_a_changed_interval_is_false_for_both(released, tmp_path):
    output, record, _ = released
    lines = output.read_text().splitlines()
    cells = lines[5].split(",")
    lines[5] = ",".join([*cells[:-1], str(int(cells[-1]) + 1)])
    other = tmp_path / "out.csv"
    other.write_text("\n".join(lines) + "\n")
    assert program.main([str(record), str(other)]) == FALSE
    assert not all(claim.true for claim in check_release(record, other))


def test_a_false_record_is_noticed_by_the_standalone_checker(released, tmp_path):
    _, record, _ = released
    for change in ("score", "groups"):
        data = json.loads(record.read_text())
        if change == "score":
            data["law"]["score"]["value"] = 0.5
        else:
            data["law_sizes"]["groups"][0][1] += 1
        other = tmp_path / "record.json"
        other.write_text(json.dumps(data))
        assert program.main([str(other)]) == FALSE


@pytest.fixture(scope="module")
def category(tmp_path_factory):
    """A category in areas of two regions, by the fair law, with its record."""
    folder = tmp_path_factory.mktemp("category")
    rows = [f"r{n % 2},a{n},{'xyz'[k * k % 3]}\n" for n in (150, 201, 300) for k in range(n)]
    (folder / "people.csv").write_text("region,area,work\n" + "".join(rows))
    output, record = folder / "out.csv", folder / "record.json"
    asked = {"properties": "F", "loss": "L0", "epsilon": 1, "intervals": "0.9", "seed": 5}
    release_file(
        folder / "people.csv", output=output, record=record, category="work=x/y/z", group="region,area", **asked
    )
    return output, record


def test_a_category_in_regions_is_proved_and_has_totals(category):
    output, record = category
    assert json.loads(record.read_text())["law"]["mechanism"] == {"kind": "fair law"}
    assert all(claim.true for claim in check_release(record, output))
    assert program.main([str(record), str(output)]) == PROVED
    for value, true in {"x": 217, "y": 434, "z": 0}.items():
        found = estimate_release(output, record, confidence="0.99999", value=value)
        assert found.total.low <= true <= found.total.high
        assert [one.total is None for one in found.regions] == [False, False]


@pytest.mark.parametrize(
    "change",
    [
        set_in("law", "problem", "alpha", value="1/2"),
        set_in("law", "score", value={"exact": "1/2", "value": 0.5}),
        set_in("law", "holds", value=["F"]),
        set_in("law_sizes", "groups", 0, 0, value=1),
        set_in("privacy", value={"alpha": "1/2", "epsilon": 0.7}),
    ],
)
def test_forged_records_of_a_category_are_false_for_both(category, change, tmp_path):
    output, record = category
    data, forged = json.loads(record.read_text()), tmp_path / "record.json"
    change(data)
    forged.write_text(json.dumps(data))
    assert not all(claim.true for claim in check_release(forged, output))
    assert program.main([str(forged), str(output)]) == FALSE
