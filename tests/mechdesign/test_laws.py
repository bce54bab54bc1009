"""Laws: one design for counts of every size, and what is proved of it."""

import json
from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import pytest
from wording import refused

from mechdesign.audits.audit import audit
from mechdesign.audits.reading import read_design
from mechdesign.designs import design
from mechdesign.documents.document import design_document, document_text
from mechdesign.documents.json_text import parse_json
from mechdesign.documents.storage import export, read_mechanism
from mechdesign.documents.stored import StoredLaw, read_document
from mechdesign.errors import InputError
from mechdesign.laws.finding import design_law, expected_depth, has_formula, law_for
from mechdesign.laws.law import Law, LawAt
from mechdesign.laws.problem import LawProblem, no_law
from mechdesign.mechanism.layered import LayeredMechanism
from mechdesign.problem.design_problem import DesignProblem
from mechdesign.problem.loss import Loss
from mechdesign.problem.model import Model
from mechdesign.problem.privacy import Privacy
from mechdesign.problem.properties import closure, parse_properties
from mechdesign.verify import kernel

SETS = ("none", "WH", "RH", "RM", "CH", "CM", "WH,CM", "WH,RM,CM", "RH,CM", "S,CM")


def as_read(document: dict) -> StoredLaw:
    """The document of a law that was written and read."""
    return read_document(parse_json(document_text(document), "a test"), "a test")


def defects(law: Law, n: int) -> list[str]:
    """What the kernel of matrices says against a law at n."""
    matrix = law.mechanism.at(n)
    alpha = law.problem.privacy.alpha.as_integer_ratio()
    edges = [(j, j + 1, 1) for j in range(n)]
    return list(kernel.defects(matrix.weights, matrix.denominator, alpha, edges, law.problem.properties))


@pytest.mark.parametrize("alpha", ["1/2", "4/5"])
@pytest.mark.parametrize("properties", SETS)
@pytest.mark.parametrize("loss", ["L0", "L1", "L2"])
def test_a_law_is_what_was_asked_at_every_size_from_its_least(alpha, properties, loss):
    law = design_law(alpha=alpha, properties=properties, loss=loss)
    assert isinstance(law.mechanism, LayeredMechanism)
    for n in (law.least, law.least + 1, law.least + 2, law.least + 7):
        assert defects(law, n) == []
        assert law.problem.properties <= {*law.holds(n), "S", "FE"}
        assert n == law.mechanism.least or closure(law.holds(n)) <= {*law.holds(n)}
        low, high = law.score(n)
        matrix = law.mechanism.at(n)
        power = law.problem.power
        cost = [[abs(i - j) ** power if i != j else 0 for j in range(n + 1)] for i in range(n + 1)]
        own = Fraction(*kernel.objective(matrix.weights, matrix.denominator, cost, n + 1))
        assert low == high == own * (Fraction(n + 1, n) if loss == "L0" else 1)
        assert 0 <= law.gap(n) < Fraction(1, 10)
    assert law.is_exact == (loss == "L0")


@pytest.mark.parametrize("properties", ["none", "CM", "WH,RM,CM", "F"])
def test_under_l0_a_law_scores_what_the_best_matrix_does(properties):
    law = design_law(alpha="4/5", properties=properties)
    for n in (law.least, 16, 21):
        best = design(DesignProblem(n, "4/5", properties=properties))
        assert law.score(n) == (best.score, best.score)
        assert law.lower_bound(n) == best.score
        assert law.status(n) == "exact"


@pytest.mark.parametrize(("loss", "properties"), [("L1", "WH,CM"), ("L2", "none"), ("L1", "RM"), ("L1", "WH")])
def test_under_l1_and_l2_the_optimum_lies_between_bound_and_score(loss, properties):
    law = design_law(alpha="7/10", properties=properties, loss=loss)
    for n in (law.least, law.least + 9):
        best = design(DesignProblem(n, "7/10", properties=properties, loss=loss))
        assert law.lower_bound(n) <= best.score <= law.score(n)[1]


@pytest.mark.parametrize("properties", ["none", "WH,CM", "F", "RH"])
def test_in_the_worst_case_no_matrix_is_better_than_the_fair_law(properties):
    law = design_law(alpha="4/5", properties=properties, aggregate="worst")
    assert law.method == "fair law"
    for n in (2, 3, 8, 13):
        best = design(DesignProblem(n, "4/5", properties=properties, aggregate="worst"), method="full")
        assert law.score(n) == law.bound(n) == (best.score, best.score)
        assert law.status(n) == "exact"
        assert max(1 - law.at(n).fraction(j, j) for j in range(n + 1)) * Fraction(n + 1, n) == best.score


def test_scores_of_known_laws():
    law = design_law(alpha="4/5", properties="WH,CM")
    assert (law.least, law.mechanism.depth) == (11, 4)
    assert law.excess == law.bound_excess == (Fraction(-821, 2304), 0)
    assert law.score(1000)[0] == Fraction(8, 9) + Fraction(203, 1152) / 1000


def optimal_laws() -> list[list[str]]:
    """The table of optimal laws on the page about them: alpha, b, B, n0 with CM, b, n0 of WM, and g."""
    page = (Path(__file__).parents[2] / "docs/explanation/any-n.md").read_text(encoding="utf-8")
    rows = page.split("| $b$, WM |", 1)[1].split("\n\n", 1)[0].splitlines()[2:]
    return [[cell.strip() for cell in row.strip("|").split("|")] for row in rows]


@pytest.mark.parametrize("row", optimal_laws(), ids=lambda row: row[0])
def test_the_page_tells_from_where_a_law_exceeds_gm_by_g_over_n(row):
    alpha, *sizes, stated = row
    columns, both = (design_law(alpha=alpha, properties=names) for names in ("CM", "WH,RM,CM"))
    assert columns.dual is not None
    found = [columns.mechanism.depth, columns.dual.depth, columns.least, both.mechanism.depth, both.least]
    assert found == list(map(int, sizes))
    geometric = 2 * Fraction(alpha) / (1 + Fraction(alpha))
    for law in (columns, both):
        assert law.is_exact
        g = (law.score(1000)[0] - geometric) * 1000
        assert g == (law.score(law.least)[0] - geometric) * law.least
        *fraction, decimal = stated.replace("...", "").split(" = ")
        assert not fraction or g == Fraction(fraction[0])
        if "/" in decimal:
            assert g == Fraction(decimal)
        else:
            assert int(g * 10**10) == int(Fraction(decimal) * 10**10)


def test_the_gap_of_a_law_falls_like_a_power_of_alpha():
    law = design_law(alpha="4/5", properties="WH,CM", loss="L1")
    assert law.gap(60) < Fraction(1, 10**6)
    assert law.gap(140) < Fraction(1, 10**14)
    assert law.gap(10**9) < Fraction(1, 10**50)
    assert law.status(25) == "feasible"
    assert law.status(140) == "certified"


def test_asked_by_epsilon_the_bound_is_one_for_epsilon():
    law = design_law(epsilon=1, properties="WH,RM,CM", loss="L1")
    assert law.dual is not None
    assert law.dual.alpha < law.mechanism.alpha
    assert law.status(100) == "certified"
    assert law.own_gap(100) < Fraction(1, 10**30) < law.gap(100) < Fraction(1, 10**8)
    exact = design_law(epsilon=1, properties="F")
    assert exact.status(10**6) == "certified"
    assert exact.own_gap(10**6) == 0


@pytest.mark.parametrize(
    "wrong",
    [
        {"loss": "L0:1"},
        {"properties": "OS:9/10"},
        {"properties": "F", "loss": "L1"},
        {"aggregate": "worst", "loss": "L2"},
        {"aggregate": "best"},
        {"alpha": "0.999", "properties": "CM"},
    ],
)
def test_where_no_law_serves_the_message_says_what_does(wrong):
    with refused(InputError):
        design_law(**{"alpha": "9/10"} | wrong)


def test_a_law_refuses_sizes_below_its_least():
    law = design_law(alpha="4/5", properties="WH,CM")
    with refused(InputError, about="n"):
        law.score(10)


def test_no_law_says_nothing_where_one_may_serve():
    assert no_law(["WH", "CM"], Loss.parse("L2")) == ""
    assert no_law(["F"], Loss.parse("L0")) == ""


@pytest.mark.parametrize("n", [None, 40, 10**6])
@pytest.mark.parametrize("asked", [{"alpha": "4/5"}, {"epsilon": "0.3"}])
@pytest.mark.parametrize(("properties", "loss"), [("WH,CM", "L0"), ("WH", "L1"), ("RM", "L2"), ("F", "L0")])
def test_a_document_reads_back_and_all_its_claims_are_proved(n, asked, properties, loss):
    law = design_law(properties=properties, loss=loss, **asked)
    document = as_read(design_document(law, n))
    assert all(claim.true for claim in document.claims), [c for c in document.claims if not c.true]
    read = document.law
    assert read.problem == law.problem
    assert read.mechanism == law.mechanism
    assert read.dual == law.dual


def test_a_changed_document_is_false():
    document = design_document(design_law(alpha="4/5", properties="WH,CM"))
    document["problem"]["n"] = {"from": 10}
    assert not all(claim.true for claim in as_read(document).claims)


def test_a_problem_of_laws_is_checked_where_it_is_stated():
    law = design_law(alpha="4/5")
    with refused(InputError):
        LawProblem(law.problem.privacy, frozenset({"OS:1/2"}), Loss.parse("L0"))


def test_a_law_is_written_and_audited(tmp_path):
    law = design_law(alpha="4/5", properties="WH,CM")
    export(law, tmp_path / "law.json")
    found = audit(tmp_path / "law.json")
    assert found.passed
    assert audit(law).claims == found.claims
    assert found.law.mechanism == law.mechanism
    assert "true" in found._repr_html_()
    with refused(InputError):
        export(law, tmp_path / "law.csv")
    with refused(InputError):
        audit(tmp_path / "law.json", alpha="1/2")


@pytest.mark.parametrize("properties", ["WH,CM", "F"])
def test_a_law_is_a_matrix_at_each_size(properties):
    law = design_law(alpha="4/5", properties=properties)
    for n in (law.least, 30):
        matrix = law.at(n)
        loss = 1 - sum(matrix.fraction(i, i) for i in range(n + 1)) / (n + 1)
        assert law.score(n) == (loss * Fraction(n + 1, n),) * 2
    with refused(InputError, about="n"):
        law.at(4096)
    with refused(InputError, about="n"):
        law.at(law.least - 1)


def test_a_notebook_shows_the_scores_of_a_law():
    html = design_law(alpha="4/5", properties="WH,CM", loss="L1")._repr_html_()
    for told in ("any n, alpha = 0.8, WH, CM, loss L1", "the first and the last 9 rows", "1000000", "certified"):
        assert told in html


@pytest.mark.parametrize(
    ("asked", "depth"), [({"properties": "CM"}, 3), ({"properties": "F"}, 0), ({}, 1), ({"loss": "L2"}, 14)]
)
def test_the_depth_is_told_before_the_work(asked, depth):
    law = design_law(alpha="4/5", **asked)
    assert expected_depth(law.problem) == depth
    assert depth <= getattr(law.mechanism, "depth", 0)


def test_an_audit_tells_what_fails_and_what_does_not():
    document = design_document(design_law(alpha="4/5", properties="WH,CM"))
    changed = json.loads(json.dumps(document))
    changed["mechanism"]["rows"][0][0] += "0"
    found = [audit(as_read(data)) for data in (document, changed)]
    assert [(one.passed, one.alpha is not None, one.column_sums_exact) for one in found] == [(True,) * 3, (False,) * 3]
    late = json.loads(json.dumps(document))
    late["status"] = "certified"
    one = audit(as_read(late))
    assert (one.passed, one.alpha is not None, one.column_sums_exact) == (False, True, True)


@pytest.mark.parametrize("alpha", ["4/5"])
@pytest.mark.parametrize("properties", SETS)
@pytest.mark.parametrize("loss", ["L0", "L1", "L2"])
def test_at_one_size_a_law_is_a_design_that_the_kernel_of_matrices_proves(alpha, properties, loss):
    law = design_law(alpha=alpha, properties=properties, loss=loss)
    for n in (law.least, law.least + 1, law.least + 8):
        found = law.design(n)
        assert (found.score, found.status) == (law.score(n)[0], law.status(n))
        assert abs(found.lower_bound - law.lower_bound(n)) <= found.score / 2**190
        assert found.gap == 0 or loss != "L0"
        assert set(law.holds(n)) <= set(found.holds) | {"FE"}


@pytest.mark.parametrize("properties", ["WH,CM", "F"])
def test_a_design_of_a_law_asked_by_epsilon_bounds_all_that_are_private_at_epsilon(properties):
    law = design_law(epsilon="1/2", properties=properties)
    found = law.design(40)
    assert found.problem == DesignProblem(40, epsilon="1/2", properties=properties)
    assert 0 < found.gap < found.score / 10**8
    assert found.status == "certified"


def test_a_wrong_price_is_refused_by_the_kernel_of_matrices():
    law = design_law(alpha="4/5", properties="WH,CM")
    first, *others = law.certificate["prices"]
    high = replace(law, certificate=law.certificate.changed(prices=(first + law.certificate.scale, *others)))
    with refused(ValueError):
        high.design(20)


def test_a_design_of_a_law_comes_back_from_its_file(tmp_path):
    law = design_law(alpha="4/5", properties="WH,CM", loss="L1")
    export(law, tmp_path / "law.json")
    export(law.design(60), tmp_path / "design.json")
    read = read_design(tmp_path / "law.json")
    assert (read.mechanism, read.dual, read.least) == (law.mechanism, law.dual, law.least)
    by_law, by_itself = read_design(tmp_path / "law.json", n=60), read_design(tmp_path / "design.json")
    assert (by_law.mechanism, by_law.certificate, by_law.lower_bound) == (
        by_itself.mechanism,
        by_itself.certificate,
        by_itself.lower_bound,
    )
    assert read_mechanism(tmp_path / "law.json", n=60) == by_law.mechanism
    with refused(InputError, about="n"):
        read_mechanism(tmp_path / "law.json")
    with refused(InputError, about="n"):
        read_design(tmp_path / "design.json", n=61)
    with refused(InputError):
        export(law, tmp_path / "a.csv")


@pytest.mark.parametrize(
    ("asked", "method"),
    [
        ({"n": 128}, None),
        ({"n": 129}, "layer"),
        ({"n": 129, "loss": "L1"}, None),  # a short closed form is exact
        ({"n": 1000, "loss": "L1"}, "layer"),  # it is long
        ({"n": 200, "prior": "binomial:1/2"}, None),
        ({"n": 200, "aggregate": "worst"}, "fair law"),
        ({"n": 200, "aggregate": "worst", "loss": "L1"}, None),
        ({"n": 200, "loss": "L3"}, None),
        ({"n": 200, "properties": "F"}, "fair law"),
        ({"model": Model.ldp(300)}, None),
    ],
)
def test_when_a_law_serves_groups_of_one_size(asked, method):
    found = law_for(DesignProblem(alpha="4/5", **asked))
    assert (found and found.method) == method


@pytest.mark.parametrize("loss", ["L1", "L2"])
@pytest.mark.parametrize("alpha", ["1/3", "1/2", "11/20", "4/5"])
def test_a_closed_form_stands_before_a_law_where_it_is_optimal(alpha, loss):
    """Without properties, and with them where GM needs no remap: just where the method of closed forms is exact."""
    for properties in ("none", "WH", "RH", "RM", "WH,RH", "WH,CM", "RH,RM,CH"):
        problem = LawProblem(Privacy(alpha), closure(parse_properties(properties)), Loss.parse(loss))
        try:
            is_exact = design(problem.of_size(40), method="closed-form").status == "exact"
        except InputError:
            is_exact = False
        assert has_formula(problem, 40) == is_exact, properties


@pytest.mark.slow
def test_the_fair_law_scores_exactly_to_4095():
    law = design_law(alpha="4/5", properties="F")
    assert LawAt(law, 200).score == LawAt(law, 200).lower_bound == law.design(200).score
    assert not LawAt(law, 4096).has_exact_score
