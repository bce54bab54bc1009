"""Models: what they are, what they refuse, and where they meet."""

from fractions import Fraction

import pytest
from cases import require_certified
from hypothesis import given, settings
from hypothesis import strategies as st
from peer_lp import by_cvxpy
from wording import refused

from mechdesign import DesignProblem, InputError, Model, design
from mechdesign.audits.audit import audit
from mechdesign.documents.document import design_document, document_text
from mechdesign.documents.json_text import parse_json
from mechdesign.documents.stored import read_document

CVXPY_AGREEMENT = 1e-6
LINE = [[0, 1, 3], [1, 0, 2], [3, 2, 0]]
HALVES = [["0", "0.5", "1.25"], ["0.5", "0", "0.75"], ["1.25", "0.75", "0"]]
ALL_MODELS = [
    Model.count(4),
    Model.ldp(4),
    Model.lldp(5, 2),
    Model.lldp(18, 8),
    Model.metric(LINE),
    Model.metric(HALVES),
]


@pytest.mark.slow
@pytest.mark.parametrize("k", range(2, 13))
@pytest.mark.parametrize("properties", ["none", "all"])
@pytest.mark.parametrize("method", ["auto", "symmetric", "full"])
def test_the_local_optimum_is_generalised_randomised_response(k, properties, method):
    alpha = Fraction(3, 5)
    result = design(DesignProblem(model=Model.ldp(k), alpha=alpha, properties=properties), method=method)
    require_certified(result)
    denominator = 1 + (k - 1) * alpha
    expected = [[(1 if i == j else alpha) / denominator for j in range(k)] for i in range(k)]
    assert [[result.mechanism.fraction(i, j) for j in range(k)] for i in range(k)] == expected
    assert (result.status, result.score) == ("exact", k * alpha / denominator)


@pytest.mark.slow
@pytest.mark.parametrize("loss", ["L0", "L1", "L2", "L0:1"])
@pytest.mark.parametrize("properties", ["none", "WH", "RM", "CM", "F", "OS:1/2"])
@pytest.mark.parametrize("aggregate", ["expected", "worst"])
def test_the_band_lies_between_counts_and_local(loss, properties, aggregate):
    """Radius k-1 is LDP, radius 1 is a count, and every step between costs something or nothing."""

    def score(model):
        problem = DesignProblem(model=model, alpha="7/10", properties=properties, loss=loss, aggregate=aggregate)
        return design(problem).score

    k = 7
    bands = [score(Model.lldp(k, radius)) for radius in range(1, k)]
    assert bands[0] == score(Model.count(k - 1))
    assert bands[-1] == score(Model.ldp(k))
    assert bands == sorted(bands)


def test_a_band_is_not_full_local_privacy():
    """The figure of the design notes: one minimum for the whole row would give 0.9231."""
    band = design(DesignProblem(model=Model.lldp(8, 2), alpha="0.6"))
    assert round(float(band.score), 4) == 0.8444
    assert round(float(design(DesignProblem(model=Model.ldp(8), alpha="0.6")).score), 4) == 0.9231


models = st.one_of(
    st.integers(1, 5).map(Model.count),
    st.integers(2, 6).map(Model.ldp),
    st.tuples(st.integers(4, 7), st.integers(1, 3)).map(lambda shape: Model.lldp(*shape)),
    st.lists(st.integers(1, 9), min_size=2, max_size=4).map(
        lambda steps: Model.metric(
            [[abs(sum(steps[:j]) - sum(steps[:k])) for k in range(len(steps) + 1)] for j in range(len(steps) + 1)]
        )
    ),
    st.just(Model.metric([[0, 2, 2], [2, 0, 3], [2, 3, 0]])),
    st.just(Model.metric(HALVES)),
)


@pytest.mark.slow
@settings(max_examples=40)
@given(
    models,
    st.fractions(Fraction(1, 20), Fraction(19, 20), max_denominator=20),
    st.sets(st.sampled_from(["WH", "RH", "RM", "CH", "CM", "F", "S", "OS:1/2", "OS:9/10"])),
    st.sampled_from(["L0", "L1", "L2", "L0:1"]),
    st.sampled_from(["uniform", "binomial:1/3", "worst"]),
)
def test_every_model_against_another_formulation(model, alpha, properties, loss, aim):
    problem = DesignProblem(
        model=model,
        alpha=alpha,
        properties=properties,
        loss=loss,
        prior=None if aim == "worst" else aim,
        aggregate="worst" if aim == "worst" else "expected",
    )
    result = design(problem)
    require_certified(result)
    assert result.status == "exact" or not problem.step.is_exact
    largest = max(1, *(float(value) for row in problem.loss.matrix(problem.size) for value in row))
    assert float(result.score) == pytest.approx(by_cvxpy(problem), abs=CVXPY_AGREEMENT * largest)


@pytest.mark.parametrize("aggregate", ["expected", "worst"])
@pytest.mark.parametrize("properties", ["S", "S,CH", "S,WH,F"])
def test_symmetry_over_neighbours_that_are_not_symmetric(properties, aggregate):
    """The rotation of a row has other neighbours than the row: both sets of privacy rows must be there."""
    model = Model.metric([[0, 1, 4], [1, 0, 3], [4, 3, 0]])
    problem = DesignProblem(model=model, alpha="1/3", properties=properties, loss="L1", aggregate=aggregate)
    for method in ("symmetric", "full"):
        result = design(problem, method=method)
        require_certified(result)
        assert result.status == "exact"
        assert float(result.score) == pytest.approx(by_cvxpy(problem), abs=CVXPY_AGREEMENT)


def test_a_model_says_whether_its_distances_were_rounded():
    assert not Model.metric(LINE).is_rounded
    assert not Model.metric(HALVES).is_rounded
    assert Model.metric(LINE, "3/4").is_rounded
    assert not Model.ldp(3).is_rounded


@pytest.mark.parametrize("model", ALL_MODELS, ids=Model.describe)
@pytest.mark.parametrize("aggregate", ["expected", "worst"])
def test_documents_carry_every_model(model, aggregate):
    problem = DesignProblem(model=model, alpha="2/3", loss="L1", properties="WH,OS:1/2", aggregate=aggregate)
    result = design(problem)
    text = document_text(design_document(result))
    document = read_document(parse_json(text, "here"), "here")
    assert document.problem == result.problem
    assert document.parsed.certificate == result.certificate
    found = audit(document)
    assert found.passed, [claim for claim in found.claims if not claim.true]
    assert found.own.epsilon <= problem.epsilon * float(model.unit) + 1e-12


@pytest.mark.parametrize(
    "make",
    [
        lambda: Model.count(0),
        lambda: Model.count(10**6),
        lambda: Model.ldp(1),
        lambda: Model.ldp(True),
        lambda: Model.lldp(5, 0),
        lambda: Model.lldp(5, 5),
        lambda: DesignProblem(alpha="1/2"),
        lambda: DesignProblem(2, "1/2", model=Model.ldp(3)),
        lambda: DesignProblem(alpha="1/2", model="ldp"),
        lambda: DesignProblem(3, "1/2", aggregate="median"),
        lambda: DesignProblem(3, "1/2", aggregate="worst", prior="binomial:1/2"),
    ],
)
def test_bad_models(make):
    with refused(InputError):
        make()


def test_an_audit_needs_the_models_size():
    with refused(InputError, about="model"):
        audit([[Fraction(1, 2)] * 2] * 2, model=Model.ldp(3))


def test_an_audit_of_a_plain_matrix_knows_its_model():
    rows = design(DesignProblem(model=Model.ldp(3), alpha="1/2")).mechanism
    matrix = [[rows.fraction(i, j) for j in range(3)] for i in range(3)]
    assert audit(matrix, alpha="1/2", model=Model.ldp(3)).passed
    assert not audit(matrix, alpha="51/100", model=Model.ldp(3)).passed
    free = design(DesignProblem(3, "1/2")).mechanism
    plain = [[free.fraction(i, j) for j in range(4)] for i in range(4)]
    assert audit(plain, alpha="1/2").passed
    assert not audit(plain, alpha="1/2", model=Model.ldp(4)).passed
    assert audit(plain, alpha="1/8", model=Model.ldp(4)).passed
    assert audit(matrix, model=Model.ldp(3)).derivable is None
