"""What people type first in Python: designs without a wrapper, counts as they are, names, tables of results."""

from fractions import Fraction

import numpy as np
import pandas as pd
import pytest
from wording import refused

import mechdesign as md
import mechdesign_catalog
from mechdesign_catalog import compare_mechanisms


@pytest.fixture(scope="module")
def best():
    return md.design(n=8, alpha="0.9", properties="WH,CM")


def test_keywords_state_the_problem(best):
    assert best.score == Fraction(114025, 118098)
    assert best.problem == md.DesignProblem(n=8, alpha="0.9", properties="WH,CM")
    ldp = md.design(model=md.Model.ldp(3), alpha="1/3", loss="L1", aggregate="worst", time_limit=60)
    assert ldp.problem == md.DesignProblem(model=md.Model.ldp(3), alpha="1/3", loss="L1", aggregate="worst")
    queries = md.parse_workload("prefixes", 3)
    local = md.design(workload=queries, alpha="1/3", gap="1e-6")
    assert local.problem == md.WorkloadProblem(queries, alpha="1/3")


@pytest.mark.parametrize(
    ("arguments", "keywords"),
    [
        ((), {"n": 8, "alpa": 1}),
        ((), {"n": 8}),
        ((8,), {"alpha": "0.9"}),
        ((md.DesignProblem(n=2, alpha="0.9"),), {"n": 3}),
        ((), {"n": 5000, "alpha": "0.9"}),
        ((), {"workload": md.parse_workload("histogram", 3), "n": 3, "alpha": "0.9"}),
    ],
)
def test_what_states_no_problem_is_refused(arguments, keywords):
    with refused(md.InputError):
        md.design(*arguments, **keywords)


def test_counts_come_back_as_they_came(best):
    listed = md.release([3, 4, 8], best, seed=1)
    array = md.release(np.array([3, 4, 8]), best, seed=1)
    frame = md.release(pd.DataFrame({"c": [3, 4, 8]}), best, column="c", seed=1)
    assert isinstance(listed, list)
    assert isinstance(array, np.ndarray)
    assert listed == array.tolist() == frame["released"].tolist()
    assert all(type(value) is int and 0 <= value <= 8 for value in listed)


@pytest.mark.parametrize(
    "counts",
    [
        [3, 9],
        [],
        [[1]],
        ["x"],
    ],
)
def test_counts_that_cannot_be_released(best, counts):
    with refused(md.InputError):
        md.release(counts, best)


def test_a_column_is_of_a_table(best):
    with refused(md.InputError, about="column"):
        md.release([3], best, column="c")


@pytest.mark.parametrize(("name", "form"), [("GM", "GM"), ("geometric", "GM"), ("GRR", "GRR"), ("uniform", "UM")])
def test_mechanisms_are_in_the_catalog(name, form):
    with pytest.raises(AttributeError, match=rf"closed_form\('{form}'") as told:
        getattr(md, name)
    size = str(told.value).partition(f"'{form}', ")[2].partition(",")[0]
    key, value = size.split("=")
    made = mechdesign_catalog.closed_form(form, **{key: int(value)}, alpha="0.9")
    assert made.mechanism.n_inputs > 1


def test_other_names_are_unknown():
    with pytest.raises(AttributeError, match="nothing_of_the_kind"):
        _ = md.nothing_of_the_kind


@pytest.mark.parametrize("backend", ["pandas", "polars", "pyarrow"])
def test_results_become_tables(best, backend):
    results = (
        md.sweep(n=[2, 4], alpha="0.9", properties="none;WH,CM"),
        md.landscape(md.DesignProblem(n=2, alpha="0.9")),
        md.estimate([3, 4, 8], best),
        compare_mechanisms("saxony", "GM;UM", alpha="0.9", metrics="bias", repetitions=1, seed=1),
    )
    for result in results:
        frame, entries = result.tabulate().to_frame(backend), result.tabulate().entries()
        names = frame.column_names if backend == "pyarrow" else list(frame.columns)
        assert (type(frame).__module__.partition(".")[0], frame.shape) == (backend, (len(entries), len(entries[0])))
        assert names == list(entries[0])
    assert list(results[0].tabulate().to_frame("pandas")["score_exact"]) == ["18/19", "26/27", "18/19", "391/405"]
    with refused(md.InputError, about="backend"):
        results[0].tabulate().to_frame("dask")
