"""The reference, which knows documents of tasks alone: laws to the last digit, messages, estimates as the catalog's."""

import json
from fractions import Fraction
from itertools import product
from pathlib import Path
from random import Random

import numpy as np
import pytest
from draw_tree import law_of, law_of_bytes
from flat_oracles import SMALL
from hypothesis import given, settings
from hypothesis import strategies as st
from random_tasks import NAMES, check, random_oracle, stated
from report_keys import key_of
from system_oracles import ATTRIBUTES, LEVELS, oracle_of
from wording import refused

import mechdesign_catalog as mc
from mechdesign import InputError, NoAnswerError, Privacy
from mechdesign.mechanism.row_mechanism import RowMechanism
from mechdesign.workloads.ordered import Prefixes
from mechdesign_catalog.collection.tasks.task import Task
from mechdesign_catalog.collection.tasks.task_document import save_task
from mechdesign_catalog.randomizers.reports.reports import State
from mechdesign_catalog.reference.byte_stream import ByteStream
from mechdesign_catalog.reference.stated import Stated
from mechdesign_catalog.reference.systems import KINDS, exact_estimates, report
from mechdesign_catalog.reference.vectors.flat_cases import HALVES
from mechdesign_catalog.systems.designs.workload_design import WorkloadOracle
from mechdesign_catalog.systems.flat.onebitmean import OneBitMean
from mechdesign_catalog.systems.levels.signed_hadamard import SignedHrr
from mechdesign_catalog.systems.registry import make_oracle
from mechdesign_catalog.systems.tables.registry import parse_marginal_oracle

HALF = Privacy(alpha="1/2")
SLOW = {"ss, given size", "oue, more than a byte", "sue, more than a byte", "olh, more parities than even buckets need"}
PARTS_ALONE = {"signed-hrr", "oue-z", "masked-blocks", "masked-rectangles", "nested-masks", "rotated-cells"}


def follow(oracle, values):
    """The law of the client for each value, beside that of the oracle."""
    known, law = stated(oracle), oracle.report_law()
    for place, value in enumerate(values):
        found = law_of(lambda draws, value=value: key_of(report(known, value, draws)))
        yield found, {told: chances[place] for told, chances in law.items() if chances[place]}


@pytest.mark.parametrize("label", [pytest.param(one, marks=[pytest.mark.slow] * (one in SLOW)) for one in SMALL])
def test_oracles_of_one_item(label):
    oracle = SMALL[label]()
    for found, expected in follow(oracle, range(oracle.k)):
        assert found == expected


@pytest.mark.parametrize("label", LEVELS)
def test_oracles_of_levels(label):
    for found, expected in follow(LEVELS[label], range(LEVELS[label].k)):
        assert found == expected


@pytest.mark.parametrize("text", ATTRIBUTES)
def test_oracles_of_attributes(text):
    oracle = oracle_of(text)
    for found, expected in follow(oracle, product(*map(range, oracle.domains))):
        assert found == expected


def test_every_oracle_is_under_test():
    oracles = [*(make() for make in SMALL.values()), *LEVELS.values(), *map(oracle_of, ATTRIBUTES)]
    lacking = set(NAMES) - {oracle.name for oracle in oracles}
    assert not lacking, f"tests/helpers/oracle_cases.py or system_oracles.py must have a case of {sorted(lacking)}"


def test_every_oracle_has_a_reference():
    different = set(KINDS) ^ {*NAMES, *PARTS_ALONE}
    assert not different, f"catalog/mechdesign_catalog/reference/systems.py must name each oracle: {sorted(different)}"


@pytest.mark.slow
@pytest.mark.parametrize(
    ("oracle", "value"),
    [
        (make_oracle("grr", 4, HALF), 1),
        (make_oracle("design:none:L0", 5, HALF), 1),
        (OneBitMean(4, HALF, Fraction(1)), 1),
        (parse_marginal_oracle("marght:k=1", (2, 2), HALF), (1, 1)),
    ],
    ids=lambda case: getattr(case, "name", ""),
)
def test_streams_of_two_bytes_give_the_law_but_for_what_is_thrown_away(oracle, value):
    """End to end, from bytes: each report comes as often as its chance says, and what lacks is what is rejected.

    A report's chance is above what two bytes give by what is left over, at most.
    """
    known, law = stated(oracle), oracle.report_law()
    place = value if isinstance(value, int) else 2 * value[0] + value[1]
    found, left = law_of_bytes(lambda draws: key_of(report(known, value, draws)), 2)
    assert left < Fraction(1, 40)
    assert sum(found.values()) == 1 - left
    assert set(found) == set(law)
    assert all(chance <= law[told][place] <= chance + left for told, chance in found.items())


@pytest.mark.parametrize("value", [-1, 4, True, 1.0, (1,)], ids=repr)
def test_a_value_beyond_the_items_is_refused_and_not_told(value):
    with refused(InputError, about="value"):
        report(stated(make_oracle("grr", 4, HALF)), value, ByteStream.of_system())
    with refused(InputError, about="value"):
        report(stated(make_oracle("haar", 4, HALF)), value, ByteStream.of_system())


@pytest.mark.parametrize("value", [3, (0,), (0, 0, 0), [0, 0]], ids=repr)
def test_a_value_that_is_no_tuple_of_items_is_refused(value):
    with refused(InputError, about="value"):
        report(stated(oracle_of("spl")), value, ByteStream.of_system())


def test_an_item_beyond_its_attribute_is_refused_and_not_told():
    with refused(InputError):
        report(stated(oracle_of("spl")), (1, 6), ByteStream.of_system())


def test_a_function_of_one_choice_reads_no_byte():
    """An attribute of two items has one function, whose signs are sure: what remains is the set and the response."""
    oracle = parse_marginal_oracle("inpes:k=1", (2,), Privacy(alpha="1/3"))
    stream = ByteStream.of(bytes([3]))
    assert oracle.functions[0].weights == (1,)
    assert report(stated(oracle), (0,), stream) == {"report": 0}
    assert stream.taken == 1


def test_the_prior_of_a_design_for_a_workload_weighs_more_rows_than_items():
    """Scores z of an item are those of least variance: sum of `m z n` over rows is 0 where n has the mean 0 for all.

    Items have rows of chances (2, 1, 2)/5 and (1, 2, 2)/5, so n = (2, 2, -3); m = (7, 5, 8)/4 by the prior 3 : 1. The
    scores of item 0 solve `2a + b + 2c = 5`, `a + 2b + 2c = 0`, `7a + 5b = 12c`. (By an even prior: 3, -2, 1/2.)
    """
    rows = RowMechanism(Fraction(1, 2), ("10", "01", "11"), (1, 1, 1), 5)
    oracle = WorkloadOracle.of(rows, Prefixes(2), (3, 1))
    for row, score in enumerate([Fraction(17, 6), Fraction(-13, 6), Fraction(3, 4)]):
        assert exact_estimates(stated(oracle), [{"row": row}]) == [score, 1 - score]
        state = State(oracle.parameters, 1, np.eye(3, dtype=np.int64)[row])
        assert oracle.estimate(state) == pytest.approx([float(score), float(1 - score)], rel=1e-14)


def test_signs_are_estimated_without_bias_exactly():
    """Over the law of one report the mean is the own sign at the own place, and 0 at every other one."""
    oracle = SignedHrr(8, Privacy(alpha="1/3"))
    known, law = Stated(oracle="signed-hrr", k=8, turned=Fraction(1, 4)), oracle.report_law()
    for item in range(oracle.k):
        place, minus = divmod(item, 2)
        scored = [
            [chances[item] * score for score in exact_estimates(known, [{"report": told}])]
            for (told,), chances in law.items()
        ]
        means = [sum(of_place) for of_place in zip(*scored, strict=True)]
        assert means == [(-1) ** minus * (one == place) for one in range(oracle.places)]


def one_report(oracle, value):
    return [report(stated(oracle), value, ByteStream.of_system())]


@pytest.mark.parametrize("text", ["smp", "margps", "calm", "marght", "inpht"])
def test_a_table_that_nobody_reported_about_has_no_estimate(text):
    oracle = oracle_of(text)
    with pytest.raises(NoAnswerError, match="must have a report, got none"):
        exact_estimates(stated(oracle), one_report(oracle, (0,) * len(ATTRIBUTES[text])))


def test_a_level_that_nobody_reported_about_has_no_estimate():
    known = stated(LEVELS["haar"])
    first = [report(known, 0, ByteStream.of(b"\1" * 64))]  # which level it is about is random
    with refused(NoAnswerError):
        exact_estimates(known, first)


def test_items_that_no_reports_tell_apart_have_no_estimate():
    with refused(NoAnswerError, about="reports"):
        exact_estimates(stated(HALVES), one_report(HALVES, 0))


VECTORS = Path(__file__).parents[2] / "vectors"
TASK = Task(make_oracle("grr", 300, Privacy(alpha="1/2")).parameters)


def test_the_messages_of_the_vectors_are_made_of_the_task_and_the_bytes(tmp_path):
    case = json.loads((VECTORS / "hrr.json").read_text())["cases"][0]
    (tmp_path / "task.json").write_text(json.dumps(case["task"]))
    for sent in case["reports"]:
        random = bytes.fromhex(sent["random"])
        assert mc.reference_message(tmp_path / "task.json", sent["value"], random).hex() == sent["message"]
        assert mc.reference_message(tmp_path / "task.json", sent["value"], random + b"!").hex() == sent["message"]


def test_a_task_serves_as_a_value_or_as_a_file(tmp_path):
    save_task(TASK, tmp_path / "t.json")
    random = bytes([0, 0])  # the chance 2/301 to keep is met
    assert mc.reference_message(TASK, 258, random) == b"\x02\x01"
    assert mc.reference_message(tmp_path / "t.json", 258, random) == b"\x02\x01"


def test_without_bytes_the_operating_system_draws():
    drawn = {mc.reference_message(TASK, 7) for _ in range(40)}
    assert {len(message) for message in drawn} == {2}
    assert len(drawn) > 10


@pytest.mark.parametrize(
    ("value", "random"),
    [
        (300, bytes(9)),
        ((3,), bytes(9)),
        (3, bytes(1)),
    ],
    ids=["no item", "a tuple", "too few bytes"],
)
def test_bad_input_is_refused(value, random):
    with refused(InputError):
        mc.reference_message(TASK, value, random)


@pytest.mark.parametrize("name", NAMES)
@settings(max_examples=3)
@given(st.integers(0, 2**32 - 1))
def test_messages_refusals_and_estimates_are_the_same(name, seed):
    random = Random(seed)
    check(random_oracle(name, random), random)


@pytest.mark.parametrize("label", [*SMALL, *LEVELS, *ATTRIBUTES])
def test_so_they_are_of_oracles_made_by_hand(label):
    oracle = SMALL[label]() if label in SMALL else LEVELS.get(label) or oracle_of(label)
    assert "estimates" in check(oracle, Random(4), users=250)
