"""`mechdesign local compare --workload marginals:K`: flat oracles on all tuples, for the tables of the data."""

import json

import numpy as np
import pytest
from wording import check_wording

from mechdesign.workloads.marginals import Marginals
from mechdesign_catalog import compare_oracles, make_oracle, open_items
from mechdesign_catalog.comparisons.marginals_survey import survey_marginals
from mechdesign_catalog.decoders.decoder import Decoder

ASKED = ("local", "compare", "--epsilon", 2, "--oracles", "flat:oue", "--repetitions", 1, "--seed", 1)


def test_tables_are_those_of_the_data_s_attributes(mechdesign):
    """Titanic has 32 combinations, but not of five attributes with two items."""
    found = json.loads(mechdesign(*ASKED, "--data", "titanic", "--workload", "marginals:2", "--json").out)
    assert found["rows"][0]["workload"] == "marginals:2:4,2,2,2"
    seen = mechdesign(*ASKED, "--data", "titanic", "--workload", "marginals:2:2,2,2,2,2")
    assert (seen.code, seen.out) == (2, "")
    check_wording(seen.err)


@pytest.mark.slow
def test_the_mean_squared_error_is_the_survey_s_average():
    """At the data's shares and not equal ones, so near it; over 60 repetitions."""
    data, workload = open_items("skewed:1/10:d=5", people=4000, seed=3), Marginals((2,) * 5, 2)
    (row,) = compare_oracles(
        data, "flat:hrr", epsilon=1, workload="marginals:2", metrics="rmse", repetitions=60, seed=4
    )
    decoder = Decoder(make_oracle("hrr", 32, row.privacy))
    expected = decoder.variance(workload.queries(), data.frequencies, 4000).mean()
    rated = {standing.name: standing.variance for standing in survey_marginals(workload, row.privacy, 4000)}
    assert expected == pytest.approx(rated["flat:hrr"], rel=0.01)
    assert row.measured.mean == pytest.approx(np.sqrt(expected), rel=0.1)
