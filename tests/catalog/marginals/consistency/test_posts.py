"""Ways to estimate tables by name, and tables on the simplex."""

from types import SimpleNamespace

import numpy as np
import pytest
from joint_tables import JointTables
from numpy.testing import assert_allclose

from mechdesign.errors import InputError
from mechdesign_catalog.marginals.consistency.posts import TABLE_POSTS, TablePost, table_source
from mechdesign_catalog.marginals.consistency.simplex_tables import SimplexTables

BASE = JointTables((2, 3), np.array([0.6, -0.1, 0.2, 0.3, 0.1, -0.1]), np.eye(6) / 1000, 1000)


def test_tables_on_the_simplex_are_the_nearest_and_keep_the_errors_beneath():
    source = SimplexTables(BASE)
    table, below = source.table((0, 1)), BASE.table((0, 1))
    assert_allclose(table.shares, [0.55, 0, 0.15, 0.25, 0.05, 0], atol=1e-15)
    assert_allclose(table.covariance, below.covariance)
    assert_allclose(table.standard_errors, below.standard_errors)
    assert_allclose(source.shares([(0, 1)])[0], table.shares)
    assert not source.unbiased
    assert (source.domains, source.way, source.users, source.post) == ((2, 3), 2, 1000, "norm-sub")


def test_an_unknown_post_is_said_with_the_nearest():
    with pytest.raises(InputError, match=r"^post must be one of least-squares, raw, .*, got least-square"):
        table_source(SimpleNamespace(name="inpht"), None, "least-square")


def test_a_post_of_other_oracles_is_refused(monkeypatch):
    monkeypatch.setitem(TABLE_POSTS, "em", TablePost("em", "", False, lambda oracle, state: BASE, ("inpem",)))
    assert table_source(SimpleNamespace(name="inpem"), None, " EM ") is BASE
    with pytest.raises(InputError, match=r"^post em must be of reports by inpem, got inpht$"):
        table_source(SimpleNamespace(name="inpht"), None, "em")
