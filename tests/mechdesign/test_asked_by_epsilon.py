"""What is certified for an epsilon: nothing that is private at that epsilon beats it, and no file can say more."""

import json
import math
from decimal import Context, Decimal
from fractions import Fraction

import pytest
from contracts.mutants import judged, mutant
from contracts.two_checkers import FALSE, PROVED, UNREADABLE, by_engine, by_program
from wording import check_wording

from mechdesign import DesignProblem, Model, Privacy, WorkloadProblem, design, export, read_design
from mechdesign.certificate.proof import proved_loss
from mechdesign.documents.document import design_document, document_text
from mechdesign.workloads.ordered import Histogram, Prefixes

EPSILONS = ("1e-6", "1e-4", "0.01", "0.1", "0.7", "1", "3", "8")

COUNT = {"n": 6}
METRIC = Model.metric([["0", "1", "5/2"], ["1", "0", "2"], ["5/2", "2", "0"]], "1/2")
SQUARE = {
    "none": COUNT,
    "WH,CM": {**COUNT, "properties": "WH,CM"},
    "L1": {**COUNT, "loss": "L1"},
    "L2, WH": {**COUNT, "loss": "L2", "properties": "WH"},
    "worst": {**COUNT, "loss": "L1", "aggregate": "worst"},
    "ldp": {"model": Model.ldp(5), "loss": "L1"},
    "lldp": {"model": Model.lldp(6, 2)},
    "metric": {"model": METRIC},
    "whole metric": {"model": Model.metric([["0", "1", "3"], ["1", "0", "2"], ["3", "2", "0"]])},
}


def just_above(epsilon, digits=40):
    """A rational above `exp(-epsilon)`, by less than so many digits tell."""
    power = Context(prec=digits + 30).exp(-Decimal(epsilon))
    return Fraction(int(power * 10**digits) + 1, 10**digits)


@pytest.mark.parametrize("epsilon", EPSILONS)
@pytest.mark.parametrize("name", SQUARE)
def test_no_design_beats_a_certified_bound(name, epsilon):
    asked = design(DesignProblem(epsilon=epsilon, **SQUARE[name]))
    finer = design(DesignProblem(alpha=just_above(epsilon), **SQUARE[name]))
    assert asked.lower_bound <= finer.score
    assert finer.score * (1 - Fraction(1, 10**6)) <= asked.score  # of two nearly equal privacies
    assert asked.status == "certified"
    assert asked.gap <= asked.score / 10**7


@pytest.mark.parametrize(
    ("workload", "epsilon"),
    [(Histogram(6), epsilon) for epsilon in EPSILONS] + [(Prefixes(4), epsilon) for epsilon in EPSILONS[2:]],
    ids=lambda value: value if isinstance(value, str) else value.name,
)
def test_no_workload_design_beats_a_certified_bound(workload, epsilon):
    gap = Fraction(1, 10**5 if epsilon == "8" else 10**8)  # floats tell no more of prefixes at 8
    asked = design(WorkloadProblem(workload, epsilon=epsilon), gap=gap)
    finer = design(WorkloadProblem(workload, alpha=just_above(epsilon)), gap=gap)
    assert asked.lower_bound <= finer.lower_bound * (1 + 2 * gap)
    assert asked.lower_bound <= finer.score
    assert asked.floor <= finer.score
    assert asked.score <= asked.lower_bound * (1 + gap)


def test_alpha_is_as_it_was_and_exact_for_itself():
    found = design(DesignProblem(8, epsilon=1))
    assert found.problem.alpha == Fraction(27634, 75117)
    assert (found.status, found.at_alpha.status) == ("certified", "exact")
    assert found.at_alpha.lower_bound == found.score == Fraction(55268, 102751)
    assert 0 < found.gap < Fraction(6, 10**10)
    assert found.optimality == "exact for alpha = 27634/75117; for epsilon = 1 at most 5.1e-10 above the least"
    assert math.exp(-1) * 2 / (1 + math.exp(-1)) - float(found.lower_bound) < 1e-9


def test_a_gap_that_rounding_would_widen_is_proved_anew():
    """Prices at one alpha prove little at another where a walk along a row is long."""
    problem = DesignProblem(60, epsilon="0.011", loss="L2")
    found = design(problem)
    own = found.problem.rescaling * proved_loss(problem, design(problem.at_alpha).certificate)
    assert own < found.lower_bound
    assert found.gap < found.score / 10**8


def written(path, problem):
    """Export a design, and return its document."""
    path.write_text(text_of(design(problem)))
    return json.loads(path.read_text())


def verdicts(path, data):
    """What both checkers say of a document."""
    path.write_text(json.dumps(data))
    return by_engine(path), by_program(path)


@pytest.fixture(params=["count", "metric", "workload"])
def problem(request):
    """A problem that was asked by epsilon."""
    if request.param == "workload":
        return WorkloadProblem(Prefixes(3), epsilon="1/2")
    return DesignProblem(epsilon="1/2", **{"count": COUNT, "metric": {"model": METRIC}}[request.param])


def test_documents_have_version_2_and_are_proved(problem, tmp_path):
    path = tmp_path / "design.json"
    data = written(path, problem)
    assert data["format"].endswith("/2")
    assert data["problem"]["asked_epsilon"] == "1/2"
    assert Fraction(data["problem"]["bound_alpha"]) < just_above("0.5") <= Fraction(data["problem"]["alpha"])
    assert verdicts(path, data) == (PROVED, PROVED)


def test_documents_of_a_given_alpha_are_of_version_1(tmp_path):
    data = written(tmp_path / "design.json", DesignProblem(3, Privacy(epsilon=1).alpha))
    assert data["format"] == "mechdesign-design/1"
    assert not {"bound_alpha", "asked_epsilon"} & set(data["problem"])
    assert data["status"] == "exact"


@pytest.mark.parametrize(
    "epsilon", ["500000000000000001/1000000000000000000", "499999999999999999/1000000000000000000", "1", "1/4"]
)
def test_another_epsilon_than_the_alphas_enclose_is_false(problem, tmp_path, epsilon):
    """The two alphas are apart by more than is told here, or on one side of it."""
    path = tmp_path / "design.json"
    data = written(path, problem)
    low, high = (Fraction(data["problem"][key]) for key in ("bound_alpha", "alpha"))
    data["problem"]["asked_epsilon"] = epsilon
    true = low < just_above(epsilon.partition("/")[0] if "/" not in epsilon else _decimal(epsilon)) <= high
    assert verdicts(path, data) == ((PROVED, PROVED) if true else (FALSE, FALSE))


def _decimal(text):
    top, bottom = map(Decimal, text.split("/"))
    return Context(prec=60).divide(top, bottom)


def text_of(found):
    """The document of a design, proved or not."""
    return document_text(design_document(found))


def forged(problem, **privacy):
    """A problem whose two alphas do not enclose its epsilon."""
    stated = Privacy.enclosed(problem.privacy.given_epsilon, **privacy)
    if isinstance(problem, WorkloadProblem):
        return WorkloadProblem.stated(problem.workload, stated, problem.aggregate)
    return problem.with_privacy(stated)


def forgery(problem, side):
    """A problem with a `bound_alpha` above, or an alpha below `exp(-epsilon)`."""
    near, truth = Fraction(1, 1 << 40), just_above("0.5", 60)
    steps = {"bound": (1, 2), "alpha": (-2, -1)}[side]
    return forged(
        problem, **{key: truth * (1 + n * near) for key, n in zip(("bound_alpha", "alpha"), steps, strict=True)}
    )


@pytest.mark.parametrize("side", ["bound", "alpha"])
def test_a_consistent_forgery_is_refused(problem, side, tmp_path, monkeypatch):
    """All else is true of the forged alphas: the bound is that of a `bound_alpha` above `exp(-epsilon)`, or P leaks."""
    monkeypatch.setattr(Privacy, "finer", lambda privacy, bits: privacy)
    path = tmp_path / "design.json"
    assert verdicts(path, written(path, forgery(problem, side))) == (FALSE, FALSE)


def of_its_alpha_alone(problem, path):
    """A document that says of an epsilon what is proved of its alpha, as every design did once."""
    alpha = design(problem).problem.alpha
    given = (
        WorkloadProblem(problem.workload, alpha)
        if isinstance(problem, WorkloadProblem)
        else DesignProblem(model=problem.model, alpha=alpha)
    )
    data = written(path, given)
    data["format"] = data["format"].replace("/1", "/2")
    data["problem"] |= {"bound_alpha": "1/2", "asked_epsilon": "1/2"}
    if "step_alpha" in data["problem"]:
        data["problem"]["step_alpha"]["low"] = "7/10"
    return data | ({"status": "certified"} if "status" in data else {})


def test_what_is_proved_of_alpha_is_false_of_epsilon(problem, tmp_path):
    path = tmp_path / "design.json"
    assert verdicts(path, of_its_alpha_alone(problem, path)) == (FALSE, FALSE)


MUTANTS = [
    ("count", "alpha", "proving.py", "loss_bounds(privacy.alpha)[1] <= privacy.epsilon", "True"),
    ("count", "bound", "proving.py", "privacy.epsilon <= loss_bounds(privacy.bound_alpha)[0]", "True"),
    (
        "count",
        None,
        "document.py",
        "low, high, edges, is_rounded = privacy.bound_alpha,",
        "low, high, edges, is_rounded = privacy.alpha,",
    ),
    ("metric", None, "document.py", "(low, high, privacy.bound_alpha, unit", "(low, high, privacy.alpha / 2, unit"),
    (
        "workload",
        "own",
        "row_design.py",
        "privacy.bound_alpha, design.certificate",
        "privacy.alpha, design.certificate",
    ),
    ("workload", "bound", "row_design.py", "    yield from enclosure_claims(design.privacy)\n", ""),
    ("workload", None, "formats.py", "(row_design.FORMAT, row_design.FORMAT_BY_EPSILON)", "(row_design.FORMAT,)"),
]


@pytest.mark.parametrize(("problem", "side", "name", "statement", "instead"), MUTANTS, indirect=["problem"])
def test_a_checker_without_one_of_its_tests_is_noticed(problem, side, name, statement, instead, tmp_path, monkeypatch):
    """Each test of the program is needed: without it a forgery passes, or what is true does not."""
    monkeypatch.setattr(Privacy, "finer", lambda privacy, bits: privacy)
    path = tmp_path / "design.json"
    if side == "own":
        path.write_text(json.dumps(of_its_alpha_alone(problem, path)))
    else:
        path.write_text(text_of(design(problem if side is None else forgery(problem, side))))
    assert by_program(path) == (PROVED if side is None else FALSE)
    with mutant(name, statement, instead, tmp_path, monkeypatch) as other:
        assert judged(other, path) != by_program(path)


def test_exact_is_never_said_of_an_epsilon(tmp_path):
    """Even where the score is that of every alpha, as of the uniform mechanism."""
    path = tmp_path / "design.json"
    data = written(path, DesignProblem(3, epsilon=1, properties="OS:1"))
    assert data["score"] == data["lower_bound"]
    assert data["status"] == "certified"
    assert verdicts(path, data) == (PROVED, PROVED)
    data["status"] = "exact"
    assert verdicts(path, data) == (FALSE, FALSE)


def test_keys_go_with_their_version(problem, tmp_path, capsys):
    path = tmp_path / "design.json"
    data = written(path, problem)
    for change in ("bound_alpha", "asked_epsilon"):
        broken = json.loads(json.dumps(data))
        del broken["problem"][change]
        assert verdicts(path, broken) == (UNREADABLE, UNREADABLE)
    data["format"] = data["format"].replace("/2", "/1")
    assert verdicts(path, data) == (UNREADABLE, UNREADABLE)
    check_wording(capsys.readouterr().err)


def test_a_design_of_an_epsilon_is_read_as_it_was_written(tmp_path):
    path = tmp_path / "design.json"
    found = design(DesignProblem(5, epsilon="0.3", loss="L1"))
    export(found, path)
    again = read_design(path)
    assert (again.problem, again.lower_bound, again.status) == (found.problem, found.lower_bound, "certified")
    assert again.optimality == found.optimality
