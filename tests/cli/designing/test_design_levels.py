"""`local design` by levels: from a design to its reports, the document, and what is printed."""

import json
from fractions import Fraction

import numpy as np
import pytest
from wording import check_wording

from mechdesign import InputError, LevelDesign, WorkloadProblem, audit, export, read_design
from mechdesign.verify.level_design import MOST_PROVED
from mechdesign.workloads.arcs import Arcs
from mechdesign.workloads.ordered import Prefixes, Ranges
from mechdesign_catalog import design_levels, oracle_of_design, parse_oracle
from mechdesign_catalog.systems.levels.blocks import Blocks
from mechdesign_catalog.systems.levels.warped_blocks import WarpedBlocks
from mechdesign_figures.plots.row_heatmap import design_words

DESIGN = ("local", "design", "--epsilon", 1, "--workload")


@pytest.fixture(scope="module")
def file(tmp_path_factory):
    path = tmp_path_factory.mktemp("levels") / "r.json"
    export(design_levels(WorkloadProblem(Ranges(1000), epsilon=1)), path)
    return path


def test_many_items_are_answered_by_levels(mechdesign, tmp_path):
    seen = mechdesign(*DESIGN, "ranges", "--k", 192, "--output", tmp_path / "r.json")
    assert seen.code == 0
    assert "levels on a circle of 192 places" in " ".join(seen.out.split())
    assert "certified for epsilon = 1" in " ".join(seen.out.split())
    assert isinstance(read_design(tmp_path / "r.json"), LevelDesign)


@pytest.mark.parametrize(("k", "method"), [(97, "auto"), (97, "levels"), (1000, "auto")])
def test_what_a_search_could_better_is_said_where_there_is_one(mechdesign, k, method):
    seen = mechdesign(*DESIGN, "ranges", "--k", k, "--method", method)
    assert ("--method rows" in seen.err) == ((k, method) == (97, "auto"))
    if seen.err:
        check_wording(seen.err)


def test_few_items_are_searched_in_rows_unless_levels_are_asked_for(mechdesign):
    by_rows = json.loads(mechdesign(*DESIGN, "circular", "--k", 8, "--json", "--summary").out)
    by_levels = json.loads(mechdesign(*DESIGN, "circular", "--k", 8, "--method", "levels", "--json", "--summary").out)
    assert (by_rows["method"], by_levels["method"]) == ("all rows", "levels")
    upper, lower = (Fraction(repr(by_levels["variance"]["upper"]["value"])), by_rows["variance"]["lower"]["value"])
    assert upper >= lower
    assert by_levels["gap"] < 1e-4
    assert by_levels["status"] == "certified"
    assert lower <= Fraction(by_levels["variance"]["upper"]["exact"]) <= upper


def test_an_alpha_that_no_checker_takes_is_refused_before_any_work():
    with pytest.raises(InputError, match="alpha must have at most 4096 bits for a design of levels, got 4123"):
        design_levels(WorkloadProblem(Ranges(192), alpha=Fraction(3**2600, 1 << 4122)))


def test_the_plan_is_made_before_any_work(mechdesign):
    seen = mechdesign(*DESIGN, "ranges", "--k", 43_793, "--plan")
    assert "on a circle of 43840 places" in " ".join(seen.out.split())
    assert "on a line of 43793 items" in mechdesign(*DESIGN, "prefixes", "--k", 43_793, "--plan").out
    assert json.loads(mechdesign(*DESIGN, "prefixes", "--k", 97, "--plan", "--json").out)["places"] == 97
    document = json.loads(mechdesign(*DESIGN, "ranges", "--k", 43_793, "--plan", "--json").out)
    assert document["places"] == 43_840
    assert document["floor"] == pytest.approx(8.35114e10, rel=1e-5)


def test_a_check_says_what_the_levels_are(mechdesign, file):
    seen = mechdesign("check", file)
    assert seen.code == 0
    assert "FALSE" not in seen.out
    document = json.loads(mechdesign("check", file, "--json").out)
    assert (document["kind"], document["passed"], document["inputs"]) == ("levels", True, 1000)
    assert document["lower_bound"] < document["variance"] < 1.005 * document["lower_bound"]


def test_a_false_document_draws_nothing(mechdesign, file, tmp_path):
    data = json.loads(file.read_text())
    data["levels"][0]["weight"] = "9"
    false = tmp_path / "false.json"
    false.write_text(json.dumps(data))
    assert mechdesign("check", false).code == 1
    values = tmp_path / "v.csv"
    values.write_text("v\n" + "3\n" * 50)
    seen = mechdesign(
        *(
            "local",
            "privatize",
            "--input",
            values,
            "--bins",
            "0:1000:1",
            "--oracle",
            false,
            "-o",
            tmp_path / "r.parquet",
        )
    )
    assert (seen.code, (tmp_path / "r.parquet").exists()) == (1, False)


@pytest.mark.parametrize("asked", ["1/2", "2"])
def test_reports_are_made_with_a_design_and_claim_what_it_loses(mechdesign, file, tmp_path, asked):
    values = tmp_path / "v.csv"
    random = np.random.default_rng(4)
    values.write_text("v\n" + "".join(f"{v}\n" for v in random.binomial(999, 0.3, 4000)))
    reports = tmp_path / "r.parquet"
    command = ("local", "privatize", "--input", values, "--bins", "0:1000:1", "--oracle", file, "-o", reports)
    seen = mechdesign(*command, "--epsilon", asked)
    if asked == "1/2":
        assert seen.code == 2
        check_wording(seen.err.replace(str(file), "r.json"))
        return
    assert "1-LDP" in seen.err
    answers = mechdesign("local", "ranges", reports, "--quantiles", "0.5", "--json")
    (median,) = json.loads(answers.out)["quantiles"]
    low, high = float(median["low"]), float(median["high"])
    assert low - 3 * (high - low) <= 300 <= high + 3 * (high - low)  # no test fails one time in twenty


@pytest.mark.parametrize(
    ("workload", "asked"), [(Ranges(192), {"epsilon": 1}), (Arcs(73), {"alpha": "1/2"}), (Arcs(4), {"epsilon": 2})]
)
def test_the_oracle_is_that_of_blocks_and_has_the_stated_variance(workload, asked, tmp_path):
    made = design_levels(WorkloadProblem(workload, **asked))
    oracle = oracle_of_design(made)
    assert oracle == Blocks(workload.k, oracle.privacy)
    users = 10**12  # the number of users of a level is fixed then, which takes 1/users of the variance away
    variance = oracle.average_variance(workload, users) * users * workload.count
    rest = 1e-9 if workload.k == 4 else 0.003  # blocks of two lengths have one bound for both
    assert variance * (1 - 1e-9) <= float(made.score) <= variance * (1 + rest)
    export(made, tmp_path / "d.json")
    assert parse_oracle(str(tmp_path / "d.json"), workload.k, None) == oracle
    assert audit(made).passed
    assert read_design(tmp_path / "d.json").score == made.score


@pytest.mark.parametrize(("k", "asked"), [(97, {"epsilon": 1}), (64, {"alpha": "1/20"}), (5, {"epsilon": "1/4"})])
def test_a_design_for_prefixes_is_nearly_tight_and_drawn_by_warped_blocks(k, asked, tmp_path):
    made = design_levels(WorkloadProblem(Prefixes(k), **asked))
    oracle = oracle_of_design(made)
    assert oracle == WarpedBlocks(k, oracle.privacy, nested=0)
    variance = oracle.average_variance(Prefixes(k), 1) * k
    assert variance * (1 - 1e-9) <= float(made.score) <= variance * (1 + 2e-4)
    export(made, tmp_path / "p.json")
    assert parse_oracle(str(tmp_path / "p.json"), k, None) == oracle
    assert audit(made).passed
    assert read_design(tmp_path / "p.json").certificate == made.certificate


@pytest.mark.slow
@pytest.mark.parametrize("k", [MOST_PROVED + 1, 5000])
def test_a_variance_of_many_prefixes_is_measured_and_said_to_be(mechdesign, k, tmp_path):
    path = tmp_path / "p.json"
    seen = mechdesign(*DESIGN, "prefixes", "--k", k, "--output", path)
    assert seen.code == 0
    assert "measured, not proved" in " ".join(seen.out.split())
    made = read_design(path)
    assert (made.gap, made.status) == (None, "feasible")
    assert made.measured.how == ("computed" if k < 5000 else "probed")
    assert made.lower_bound < made.measured.low < made.score < made.measured.high < 1.1 * made.lower_bound
    assert "measured, bound" in repr(made)
    assert "measured; no mechanism has less" in design_words(made)
    checked = mechdesign("check", path)
    assert checked.code == 0
    assert "measured, not proved" in " ".join(checked.out.split())
    assert not [line for line in checked.out.splitlines() if line.startswith("true") and "the variance" in line]


@pytest.mark.slow
def test_reports_of_a_design_for_prefixes_answer_quantiles(mechdesign, tmp_path):
    path, values = tmp_path / "p.json", tmp_path / "v.csv"
    mechdesign(*DESIGN, "prefixes", "--k", 80, "--output", path)
    values.write_text("item\n" + "\n".join(str(u * u % 80) for u in range(4000)) + "\n")
    reports = tmp_path / "r.parquet"
    sent = mechdesign("local", "privatize", "--oracle", path, "--input", values, "--bins", "0:80:1", "-o", reports)
    assert sent.code == 0
    seen = mechdesign("local", "ranges", reports, "--quantiles", "0.25,0.5,0.75", "--json")
    assert seen.code == 0
    assert len(json.loads(seen.out)["quantiles"]) == 3
