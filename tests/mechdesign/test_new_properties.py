"""Floors with a parameter, fair ends, and properties that a newcomer registers, each read off the property itself."""

import ast
import re
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest
from cases import require_certified
from peer_lp import by_cvxpy
from wording import refused

import mechdesign
from mechdesign.audits.audit import audit
from mechdesign.certificate.proof import dual_certificate, proved_loss
from mechdesign.designs import design
from mechdesign.documents.document import design_document, document_text
from mechdesign.documents.json_text import parse_json
from mechdesign.documents.stored import read_document
from mechdesign.errors import InfeasibleError, InputError
from mechdesign.problem import properties as registry
from mechdesign.problem.design_problem import DesignProblem
from mechdesign.problem.model import Model
from mechdesign.problem.prior import Prior
from mechdesign.problem.property import Property
from mechdesign.verify import kernel

MODELS = (Model.count(4), Model.ldp(5), Model.lldp(5, 2))
LOPSIDED = Prior.from_weights([Fraction(w, 100) for w in (40, 30, 15, 10, 5)])


def problems(properties, loss):
    for model in MODELS:
        yield DesignProblem(model=model, alpha="7/10", properties=properties, loss=loss, prior=LOPSIDED)
        yield DesignProblem(model=model, alpha="7/10", properties=properties, loss=loss, aggregate="worst")


@pytest.mark.slow
@pytest.mark.parametrize(
    ("properties", "loss"),
    [
        ("WH:1/2", "L0"),
        ("WH:1/2,RM", "PB:3/4"),
        ("WH:21/20,RH", "L1"),
        ("FE", "PB:3/4"),
        ("FE,CM", "L1"),
        ("FE,RH,WH:1/2", "L0"),
        ("FE,OS:1/2", "PB:3/4"),
        ("FE,OS:1/2", "L1"),
        ("FE,WH:1.05", "L0"),
    ],
)
def test_floors_and_fair_ends_in_every_model_and_by_every_method(properties, loss):
    for problem in problems(properties, loss):
        best = design(problem)
        assert best.status == "exact"
        assert set(problem.properties) <= set(best.holds)
        assert float(best.score) == pytest.approx(by_cvxpy(problem), abs=1e-6)
        require_certified(best)
        for method in ("column-generation", "symmetric", "full"):
            try:
                other = design(problem, method=method)
            except InputError:
                continue
            assert other.score == best.score


def test_a_floor_between_none_and_weak_honesty_costs_something_between():
    scores = [
        design(DesignProblem(8, "9/10", properties=props)).score
        for props in ("none", "WH:9/19", "WH:9/10", "WH:99/100", "WH", "WH:11/10", "WH:5/4")
    ]
    assert scores == sorted(scores)
    assert scores[0] == scores[1]  # the diagonal of GM is 1/19, that is 9/19 of 1/9
    assert len(set(scores)) == len(scores) - 1


def test_the_largest_floor_is_that_of_the_explicit_fair_mechanism():
    fair = design(DesignProblem(8, "9/10", properties="F"))
    largest = 9 * fair.mechanism.fraction(0, 0)
    best = design(DesignProblem(8, "9/10", properties=f"WH:{largest}"))
    assert best.score == fair.score
    for beyond, shown in (
        (largest + Fraction(1, 10**9), "1.251703151"),
        (Fraction(2), "1.251704"),
        (Fraction(10) ** 400, "1.251704"),
    ):
        with refused(InfeasibleError) as error:
            design(DesignProblem(8, "9/10", properties=f"WH:{beyond}"))
        assert f"at most {shown} times 1/" in str(error.value) or beyond < 2
        highest = Fraction(re.search(r"at most ([0-9.]+) times", str(error.value))[1])
        assert largest <= highest < beyond
        assert len(str(error.value)) < 250


@pytest.mark.parametrize(
    "problem",
    [
        {"model": Model.metric([["0", "3/2"], ["3/2", "0"]], unit=1), "alpha": "1/4"},
        {"model": Model.metric([["0", "1/2"], ["1/2", "0"]]), "alpha": "1/4"},
        {"model": Model.metric([["0", "1/2"], ["1/2", "0"]]), "alpha": "1/2"},
        {"n": 1, "epsilon": 1},
    ],
)
def test_what_is_proved_infeasible_says_for_which_rounding(problem):
    with refused(InfeasibleError):
        design(DesignProblem(**problem, properties="WH:19/10"))


def test_a_feasible_floor_may_be_infeasible_with_another_property():
    assert design(DesignProblem(8, "9/10", properties="WH:5/4")).status == "exact"
    with refused(InfeasibleError) as error:
        design(DesignProblem(8, "9/10", properties="WH:5/4,RM,OS:99/100"))
    assert error.value.clash == ("WH:5/4", "OS:99/100")
    with refused(InfeasibleError) as error:
        design(DesignProblem(8, "9/10", properties="WH:2,OS:1"))
    assert error.value.clash == ("WH:2",)


@pytest.mark.slow
def test_a_long_vertex_with_a_high_floor_is_kept_where_no_repair_serves():
    best = design(DesignProblem(40, "0.98765432198765432109", properties="WH:21/20,CM", loss="L2"))
    assert best.status == "exact"
    assert best.mechanism.denominator.bit_length() > 2048


def test_the_kernel_pays_no_more_than_the_floor_that_is_asked():
    """The multiplier of plain WH proves less where only half of it is asked, and nothing where none is."""
    full = design(DesignProblem(8, "9/10", properties="WH", loss="L1"))
    half = DesignProblem(8, "9/10", properties="WH:1/2", loss="L1")
    rows = [row for row in full.certificate["rows"] if row[0] == "WH"]
    assert rows
    paid = Fraction(sum(row[5] for row in rows), full.certificate.scale * 9)
    assert proved_loss(full.problem, full.certificate) - proved_loss(half, full.certificate) == paid / 2 > 0
    best = design(half)
    assert proved_loss(half, full.certificate) <= best.lower_bound < full.lower_bound
    with refused(ValueError):
        proved_loss(DesignProblem(8, "9/10", loss="L1"), full.certificate)
    for row in (("FE", 1, 1, 0, 0, 1), ("FE", 0, 0, 0, 8, 1)):
        with refused(ValueError):
            proved_loss(DesignProblem(8, "9/10", properties="FE"), dual_certificate((row,), 1))


def test_fair_ends_are_free_under_symmetry_and_cost_under_a_lopsided_prior():
    free = DesignProblem(4, "7/10", properties="FE", loss="L1")
    assert free.symmetry_is_free
    assert design(free).score == design(DesignProblem(4, "7/10", loss="L1")).score
    ends = design(DesignProblem(4, "7/10", properties="FE", loss="L1", prior=LOPSIDED))
    assert ends.score > design(DesignProblem(4, "7/10", loss="L1", prior=LOPSIDED)).score
    p = ends.mechanism
    assert p.fraction(0, 0) == p.fraction(4, 4) != p.fraction(1, 1)
    for stricter in ("F", "S"):
        assert ends.score <= design(DesignProblem(4, "7/10", properties=stricter, loss="L1", prior=LOPSIDED)).score
    assert any(row[0] == "FE" for row in ends.certificate["rows"])


@pytest.mark.parametrize("properties", ["WH:1/2,FE", "WH:6/5,RM", "OS:1/2,FE,CH"])
def test_documents_and_audits_know_them(properties):
    best = design(DesignProblem(4, "7/10", properties=properties, prior=LOPSIDED))
    text = document_text(design_document(best))
    found = audit(read_document(parse_json(text, "here"), "here"))
    assert found.passed
    names = {name for name in best.problem.properties if name not in registry.LATTICE}
    assert names <= set(found.holds)
    assert audit(best.mechanism, properties=properties).passed


def diagonal(size):
    return np.arange(size, dtype=np.int64) * (size + 1)


def nearly_honest(size):
    inner = diagonal(size)
    return np.concatenate([inner[:-1], inner[1:]]), np.concatenate([inner[:-1] + size, inner[1:] - size])


def within_the_row(size):
    inner = diagonal(size)
    return np.concatenate([inner[:-1], inner[1:]]), np.concatenate([inner[:-1] + 1, inner[1:] - 1])


def first_and_second(size):
    return diagonal(size)[:1], diagonal(size)[1:2]


def first_row(size):
    return np.zeros(size - 2, dtype=np.int64) + 1, np.arange(2, size, dtype=np.int64)


NEW = {
    "NH": Property("NH", "near honesty", "P[j,j] >= P[j+-1,j]", pairs=nearly_honest),
    "NR": Property("NR", "near row honesty", "3/4 of it", pairs=within_the_row, ratio=Fraction(3, 4)),
    "EF": Property("EF", "equal first", "P[0,0] = P[1,1]", equal=first_and_second),
    "ER": Property("ER", "equal row", "P[0,1] = P[0,j]", equal=first_row),
}


@pytest.fixture
def newcomers(monkeypatch):
    """A registration here, a definition in the kernel: nothing else."""
    for name, prop in NEW.items():
        monkeypatch.setitem(registry.PROPERTIES, name, prop)
        monkeypatch.setitem(kernel._HOLDS, name, lambda _, w, d, prop=prop: prop.holds(w, d))
    require = kernel._require_row

    def further(kind, place, m, length, last, properties):
        if kind not in NEW:
            return require(kind, place, m, length, last, properties)
        prop, (i, j, k, h) = NEW[kind], place
        rows = zip(*(side.tolist() for side in (prop.pairs or prop.equal)(last + 1)), strict=True)
        assert kind in properties
        assert (i * (last + 1) + j, k * (last + 1) + h) in set(rows)
        assert m >= 0 or prop.equal is not None

    monkeypatch.setattr(kernel, "_require_row", further)
    bound = kernel.dual_bound

    def with_ratio(cost, denominator, alpha, edges, properties, multipliers, over, prices=None):
        """The kernel knows no ratio of NR: it is stated as a row of OS there, with the same beta."""
        smooth = [f"OS:{NEW['NR'].ratio}"] if "NR" in properties else []
        stated = [("OS" if row[0] == "NR" else row[0], *row[1:]) for row in multipliers]
        for row in multipliers:
            further(row[0], row[1:5], row[5], 1, len(cost) - 1, properties) if row[0] in NEW else None
        monkeypatch.setattr(kernel, "_require_row", lambda *args: None)
        try:
            return bound(cost, denominator, alpha, edges, [*properties, *smooth], stated, over, prices)
        finally:
            monkeypatch.setattr(kernel, "_require_row", further)

    monkeypatch.setattr(kernel, "dual_bound", with_ratio)
    registry.find_property.cache_clear()
    yield
    registry.find_property.cache_clear()


def peer(problem):
    import cvxpy

    size = problem.size
    p = cvxpy.Variable((size, size), nonneg=True)
    flat = cvxpy.reshape(p, (size * size,), order="C")
    rules = [cvxpy.sum(p, axis=0) == 1]
    ratios = float(problem.alpha) ** (float(problem.model.unit) * problem.graph.distances)
    rules += [p[:, j] >= ratios[j, k] * p[:, k] for j in range(size) for k in range(size) if j != k]
    for name in problem.properties:
        prop = registry.find_property(name)
        if prop.pairs is not None:
            upper, lower = prop.pairs(size)
            rules.append(flat[upper] >= float(prop.ratio) * flat[lower])
        if prop.equal is not None:
            first, second = prop.equal(size)
            rules.append(flat[first] == flat[second])
    cost = np.array([[float(value) for value in row] for row in problem.cost])
    return float(problem.rescaling) * cvxpy.Problem(cvxpy.Minimize(cvxpy.sum(cvxpy.multiply(cost, p))), rules).solve(
        solver="HIGHS"
    )


@pytest.mark.slow
@pytest.mark.usefixtures("newcomers")
@pytest.mark.parametrize("properties", ["NH", "NR", "EF", "ER", "EF,RH", "NH,EF", "F,EF", "EF,S", "ER,FE,EF", "NR,RM"])
def test_a_property_that_is_registered_works_in_every_model_and_by_every_method(properties):
    for prior in (LOPSIDED, "uniform"):
        for model in MODELS:
            problem = DesignProblem(model=model, alpha="7/10", properties=properties, loss="L1", prior=prior)
            best = design(problem)
            assert best.status == "exact"
            assert float(best.score) == pytest.approx(peer(problem), abs=1e-6)
            for method in ("column-generation", "symmetric", "full"):
                try:
                    other = design(problem, method=method)
                except InputError:
                    continue
                assert other.score == best.score


@pytest.mark.usefixtures("newcomers")
def test_a_property_that_changes_under_rotation_gives_symmetry_a_price():
    assert not DesignProblem(4, "7/10", properties="EF").symmetry_is_free
    assert DesignProblem(4, "7/10", properties="NH").symmetry_is_free
    loss = {"loss": "L1", "prior": "uniform"}
    assert (
        design(DesignProblem(4, "7/10", properties="EF,WH", **loss)).score
        < design(DesignProblem(4, "7/10", properties="EF,WH,S", **loss)).score
    )


ALLOWED = {
    "problem/properties.py",
    "verify/kernel.py",
    "verify/document.py",
    "verify/proving.py",
    "releases/designing.py",  # what a release is designed for unless asked otherwise
    "documents/arrays.py",  # numpy's orders are called F and C
    "methods/closed_forms/theorems.py",
    "methods/flowchart.py",
    "laws/finding.py",
    "laws/law.py",
    "laws/problem.py",  # laws are proved for these properties alone, each by its own condition on the table
    "methods/layers/half_line.py",
    "methods/layers/search.py",
    "verify/layers.py",
    "verify/layer_duals.py",
    "verify/laws.py",
}
ONE_LINE = "methods/column_generation/frame.py"


@pytest.mark.slow
def test_no_property_is_named_in_engine_code():
    """Outside the properties, the kernel, the theorems, defaults, and one line of column generation."""
    names = {*registry.PROPERTIES, *registry.FAMILIES}
    root = Path(mechdesign.__file__).parent
    found = {}
    for path in sorted(root.rglob("*.py")):
        place = path.relative_to(root).as_posix()
        tree = ast.parse(path.read_text())
        docs = {
            id(node.body[0].value)
            for node in ast.walk(tree)
            if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef)
            and node.body
            and isinstance(node.body[0], ast.Expr)
        } | {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
        named = [
            node.lineno
            for node in ast.walk(tree)
            if isinstance(node, ast.Constant)
            and isinstance(node.value, str)
            and id(node) not in docs
            and names & set("".join(c if c.isalnum() else " " for c in node.value).split())
        ]
        if named and place not in ALLOWED:
            found[place] = named
    assert set(found) == {ONE_LINE}
    assert len(found[ONE_LINE]) == 1
