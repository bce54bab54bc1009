"""Calibration of local reports: its ends against surveys, closed forms and steps of one user."""

import math
from fractions import Fraction
from statistics import NormalDist

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from wording import refused

from mechdesign.errors import InputError, NoAnswerError
from mechdesign.problem.privacy import Privacy
from mechdesign.problem.workload_problem import WorkloadProblem
from mechdesign.workload_designs import design_workload
from mechdesign.workloads.marginals import parse_marginals
from mechdesign.workloads.ordered import Histogram, Prefixes, Ranges
from mechdesign_catalog.comparisons.calibration import calibrate_reports
from mechdesign_catalog.comparisons.design_floor import variance_bound
from mechdesign_catalog.comparisons.workload_survey import survey_workload


def least(workload, privacy, users):
    """The smallest of the largest standard errors in the survey."""
    known = [one.rating.bound for one in survey_workload(workload, privacy, users) if not one.loses_more]
    return math.sqrt(min(variance for variance in known if variance is not None))


@pytest.mark.parametrize("workload", [Ranges(8), Prefixes(5), Histogram(30)])
def test_the_best_of_the_survey_suffices_at_the_upper_end_alone(workload):
    found = calibrate_reports(workload, error="0.03", users=5000)
    upper, lower = found.ends.upper, found.ends.lower
    assert upper - lower <= Fraction(1, 1000)
    assert least(workload, Privacy(epsilon=upper), 5000) <= 0.03 < least(workload, Privacy(epsilon=lower), 5000)
    assert found.reports.standard_error == pytest.approx(least(workload, Privacy(epsilon=upper), 5000))
    assert variance_bound(workload, Privacy(epsilon=found.too_little), 5000) > Fraction("0.0009")
    assert found.too_little < upper


def test_randomized_response_by_its_formula():
    found = calibrate_reports(Histogram(2), error="0.05", users=1000, oracle="flat:grr")
    spread = 1 / math.sqrt(1 + 4 * 1000 * 0.05**2)  # t = 2p - 1 with p(1 - p)/(n t^2) the square of the error
    assert found.ends.lower < math.log((1 + spread) / (1 - spread)) < found.ends.upper


@pytest.mark.slow
@given(users=st.integers(50, 10**6), epsilon=st.sampled_from(["0.5", "1", "3"]), mean=st.booleans())
@settings(max_examples=5)
def test_the_fewest_users_are_so_step_by_step(users, epsilon, mean):
    def error(number):
        found = survey_workload(Ranges(8), Privacy(epsilon=epsilon), number)
        told = [one.rating.average if mean else one.rating.bound for one in found]
        return math.sqrt(min(variance for variance in told if variance is not None))

    wished = (error(users) + error(users + 1)) / 2
    found = calibrate_reports(Ranges(8), error=Fraction(wished), epsilon=epsilon, mean=mean)
    assert found.users == users + 1
    assert found.reports.standard_error <= wished * (1 + 1e-12)
    assert found.missing.standard_error > wished
    assert found.too_little < found.users


def test_subset_selection_needs_no_user_more_than_any_mechanism():
    found = calibrate_reports(Histogram(24), half_width="0.02", epsilon=1)
    assert found.reports.standing.name == "flat:ss"
    assert found.users == found.too_little + 1
    error = 0.02 / NormalDist().inv_cdf(0.975)
    assert found.reports.standard_error <= error < found.missing.standard_error


def test_tables():
    found = calibrate_reports(parse_marginals("2", 16), error="0.02", users=20_000, mean=True)
    named = calibrate_reports(
        parse_marginals("2", 16), error="0.02", users=20_000, mean=True, oracle=found.reports.standing.name
    )
    assert named.privacy == found.privacy
    assert found.too_little < found.ends.upper


BAD = {
    "neither": ({"users": 10}, None),
    "both": ({"users": 10, "error": 1, "half_width": 1}, None),
    "confidence alone": ({"users": 10, "error": 1, "confidence": "0.9"}, "confidence"),
    "sure": ({"users": 10, "half_width": 1, "confidence": 1}, "confidence"),
    "nothing": ({"users": 10, "error": -1}, "error"),
    "less": ({"users": 10, "half_width": -1}, "half_width"),
    "no limit": ({"error": 1}, None),
    "two limits": ({"error": 1, "users": 10, "alpha": "0.5"}, None),
    "one user": ({"error": 1, "users": 1}, None),
    "huge error": ({"error": "1e400", "alpha": "0.5"}, None),
    "no confidence": ({"half_width": "0.1", "confidence": "1e-400", "users": 100}, None),
    "no users": ({"error": "0.1", "users": 0}, None),
    "users below 0": ({"error": "0.1", "users": -3}, None),
    "unknown": ({"error": "0.1", "users": 100, "oracle": "flat:none"}, None),
    "sampled": ({"error": "0.1", "users": 100, "oracle": "flat:hcms"}, None),
}


@pytest.mark.parametrize("name", BAD)
def test_bad_wishes(name):
    asked, about = BAD[name]
    workload = Ranges(1 << 11) if name == "sampled" else Ranges(8)
    with refused(InputError, about=about):
        calibrate_reports(workload, **asked)


@pytest.mark.slow
def test_what_is_out_of_reach_is_said():
    with refused(NoAnswerError):
        calibrate_reports(Ranges(8), error="1e-30", users=10)
    with refused(NoAnswerError):
        calibrate_reports(Ranges(8), error="1e-12", epsilon="0.01")
    with refused(NoAnswerError):
        calibrate_reports(Ranges(8), error=10**9, users=10)
    with refused(NoAnswerError):
        calibrate_reports(Ranges(8), error=0, users=10)


@given(st.integers(10, 90), st.integers(50, 5000), st.sampled_from(["error", "users", "k", "mean"]))
@settings(max_examples=5)
def test_epsilon_falls_as_less_is_asked(error, users, easier):
    """With a larger error, more users or fewer items, or where the mean counts, epsilon is no larger."""

    def least(error=error, users=users, k=4, mean=False):
        return calibrate_reports(
            Histogram(k), error=Fraction(error, 1000), users=users, mean=mean, oracle="flat:grr"
        ).ends

    other = {"error": 2 * error, "users": 2 * users, "k": 3, "mean": True}[easier]
    assert least(**{easier: other}).lower < least().upper


def test_reports_designed_for_the_workload_need_no_more_than_any_that_are_listed():
    wished = {"error": "0.03", "users": 2000, "mean": True}
    own, listed = (calibrate_reports(Prefixes(6), oracle=name, **wished) for name in ("design", "best"))
    assert own.reports.standing.name == "design"
    assert own.ends is not None
    assert listed.ends is not None
    assert own.too_little is not None
    assert own.too_little < own.ends.upper <= listed.ends.upper
    least = design_workload(WorkloadProblem(Prefixes(6), epsilon=own.ends.upper)).lower_bound / (6 * 2000)
    assert own.reports.score == pytest.approx(float(least), rel=1e-3)
