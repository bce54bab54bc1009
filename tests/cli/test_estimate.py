import csv
import json
from fractions import Fraction
from pathlib import Path

import pytest
from wording import check_wording

from mechdesign import Mechanism, read_mechanism
from mechdesign.counts.estimation import estimate_counts, posterior
from mechdesign.documents.document import document_text
from mechdesign_catalog.datasets.counts import HISTOGRAMS
from mechdesign_cli.showing.estimates import Answer, estimate_csv, estimate_document

COUNTS = [4, 1, 1, 1, 5]
RELEASED = "released\n" + "".join(f"{count}\n" * groups for count, groups in enumerate(COUNTS))


@pytest.fixture
def workshop(mechdesign):
    """A folder with a mechanism for n = 4 and releases."""
    assert mechdesign("solve", "--n", 4, "--alpha", "1/2", "--output", "wm.json").code == 0
    Path("released.csv").write_text(RELEASED)
    Path("um.csv").write_text("0.5,0.5\n0.5,0.5\n")
    Path("bits.csv").write_text("noisy\n0\n1\n1\n")
    return mechdesign


def words(text):
    return " ".join(text.split())


def test_the_report(workshop):
    seen = workshop("estimate", "released.csv", "--mechanism", "wm.json", "--posterior", 3)
    assert (seen.code, seen.err) == (0, "")
    text = words(seen.out)
    assert "12 counts in 0..4: released.csv, through wm.json" in text
    assert "costs nothing: all of this is post-processing, from the released counts and the public mechanism" in text
    assert "--seed are a simulation" in text
    assert "unbiased, hence not clipped" in text
    found = estimate_counts(read_mechanism(Path("wm.json")), COUNTS)
    assert f"log-likelihood {found.likelihood.log_likelihood:.6f}" in text
    assert f"proved within {found.likelihood.bound:.1e} of the largest" in text
    assert f"{found.mean.value:.4f} people a group ({25 * found.mean.value:.2f} % of people), unbiased" in text
    assert found.mean.noise != found.mean.population
    for interval, name in ((found.mean.noise, "these groups"), (found.mean.population, "the population")):
        shown = (
            f"{interval.low:.4f} to {interval.high:.4f} ({25 * interval.low:.2f} to {25 * interval.high:.2f} %), 95 %"
        )
        assert f"{shown}, standard error {interval.standard_error:.4f}: for {name}" in text
    assert "of one group that released 3, prior uniform: mode 3" in text
    *table, note = [line.split() for line in seen.out.splitlines()[-6:]]
    assert note == ["+-:", "one", "standard", "error"]
    inversion = found.inversion
    for count, cells in enumerate(table):
        numbers = [COUNTS[count] / 12, found.likelihood.distribution[count], inversion.distribution[count]]
        assert cells[0] == str(count)
        assert cells[1:5] == [f"{value:.4f}" for value in [*numbers, inversion.standard_errors[count]]]


@pytest.mark.parametrize("width", [80, 200])
def test_it_fits_the_terminal(workshop, monkeypatch, width):
    monkeypatch.setenv("COLUMNS", str(width))
    seen = workshop("estimate", "released.csv", "--mechanism", "wm.json", "--posterior", 3, "--prior", "binomial:0.25")
    assert max(map(len, seen.out.splitlines())) <= width


def test_the_document_and_the_table(workshop):
    arguments = ["estimate", "released.csv", "--mechanism", "wm.json", "--posterior", 2, "--prior", "estimated"]
    seen = workshop(*arguments, "--json", "-o", "e.csv", "--plot", "e.svg", "--confidence", "0.8")
    assert seen.code == 0
    assert seen.err.splitlines() == ["wrote e.csv", "wrote e.svg"]
    found = estimate_counts(read_mechanism(Path("wm.json")), COUNTS, "0.8")
    document = json.loads(seen.out)
    assert (document["n"], document["groups"], document["counts"]) == (4, 12, COUNTS)
    assert document["likelihood"]["distribution"] == list(found.likelihood.distribution)
    assert document["likelihood"]["converged"] is True
    assert (document["rank"], document["identifiable"]) == (5, True)
    assert document["mean"]["population"]["low"] == found.mean.population.low
    assert document["mean"]["share_of_people"] == found.mean.value / 4
    one = document["posterior"]
    assert (one["released"], one["prior"]) == (2, "estimated")
    matrix = read_mechanism(Path("wm.json")).matrix()
    joint = [matrix[2, j] * share for j, share in enumerate(found.likelihood.distribution)]
    assert one["distribution"] == pytest.approx([value / sum(joint) for value in joint], rel=1e-12)
    shares = [Fraction(share) for share in found.likelihood.distribution]
    exact = posterior(2, read_mechanism(Path("wm.json")), shares)
    assert one["credible_set"] == list(exact.credible_set(Fraction("0.8"))) != list(exact.credible_set(Fraction("0.5")))
    assert one["credible_set_probability"] == float(exact.chance(one["credible_set"]))
    assert (one["mode"], one["mean"]) == (exact.mode, float(exact.mean))
    rows = list(csv.DictReader(Path("e.csv").read_text().splitlines()))
    assert list(rows[0]) == ["count", "released", "likelihood", "inversion", "standard_error"]
    assert [float(row["inversion"]) for row in rows] == list(found.inversion.distribution)
    assert [float(row["standard_error"]) for row in rows] == list(found.inversion.standard_errors)
    assert Path("e.svg").read_text().startswith("<?xml")


def test_equal_releases_are_no_certainty(workshop):
    Path("equal.csv").write_text("released\n4\n4\n4\n")
    text = words(workshop("estimate", "equal.csv", "--mechanism", "wm.json", "-o", "e.csv").out)
    assert "of the likeliest distribution, as all releases are equal" in text
    # (1 - 0.63)^3 = 0.05
    assert "others may be up to 63 % of releases (95 %): too few counts to estimate their distribution" in text
    assert "normal approximation, rough for so few groups" in text
    rows = list(csv.DictReader(Path("e.csv").read_text().splitlines()))
    assert min(float(row["standard_error"]) for row in rows) > 0.3
    Path("many.csv").write_text("released\n" + "4\n" * 200)
    text = words(workshop("estimate", "many.csv", "--mechanism", "wm.json").out)
    assert "others may be up to 1.5 % of releases (95 %)" in text
    assert "so few" not in text


def test_one_release_leaves_its_errors_unknown(workshop):
    Path("one.csv").write_text("released\n4\n")
    arguments = ["estimate", "one.csv", "--mechanism", "wm.json"]
    seen = workshop(*arguments, "-o", "e.csv", "--plot", "e.svg")
    text = words(seen.out)
    assert "1 count in 0..4" in text
    assert "standard errors unknown, from one release: too few counts to estimate their distribution" in text
    assert "population unknown: a variance needs at least two released counts" in text
    assert [line.split()[-1] for line in seen.out.splitlines()[-6:-1]] == ["unknown"] * 5
    rows = list(csv.DictReader(Path("e.csv").read_text().splitlines()))
    assert {row["standard_error"] for row in rows} == {""}
    document = json.loads(workshop(*arguments, "--json").out)
    assert document["inversion"]["standard_errors"] is None
    assert [float(row["inversion"]) for row in rows] == document["inversion"]["distribution"]
    assert document["mean"]["population"] is None
    assert document["mean"]["noise"]["standard_error"] > 0


def test_what_no_float_can_hold_is_empty_and_null(workshop):
    largest = 10**400
    tiny = Mechanism.from_weights([[largest - 1, largest - 2], [1, 2]], largest)
    answer = Answer(Path("f"), Path("m"), estimate_counts(tiny, [5, 3]), Fraction(1, 2), None, "uniform")
    document = json.loads(document_text(estimate_document(answer)), parse_constant=pytest.fail)
    assert document["inversion"] == {"distribution": [None, None], "standard_errors": [None, None]}
    assert document["mean"]["value"] is None
    assert document["likelihood"]["log_likelihood"] == answer.estimate.likelihood.log_likelihood
    assert estimate_csv(answer.estimate).decode().splitlines()[1:] == ["0,0.625,0.0,,", "1,0.375,1.0,,"]


@pytest.mark.slow
def test_a_rounded_zero_has_no_sign(workshop):
    Path("coin.csv").write_text("1/2,1/4,1/4\n1/4,1/2,1/4\n1/4,1/4,1/2\n")  # the inversion is 4 f - 1
    Path("near.csv").write_text("released\n" + "0\n" * 37_500 + "1\n" * 37_500 + "2\n" * 24_999)
    seen = workshop("estimate", "near.csv", "--mechanism", "coin.csv", "-o", "e.csv")
    assert -5e-5 < float(Path("e.csv").read_text().splitlines()[-1].split(",")[3]) < 0
    assert "-0.0000" not in seen.out


def test_a_singular_mechanism(workshop):
    seen = workshop("estimate", "bits.csv", "--mechanism", "um.csv", "-o", "e.csv")
    text = words(seen.out)
    assert seen.code == 0
    assert "none: the matrix is singular, of exact rank 1 where 2 is needed" in text
    assert "no unbiased estimate exists" in text
    assert Path("e.csv").read_text().splitlines()[1].endswith(",,")
    document = json.loads(workshop("estimate", "bits.csv", "--mechanism", "um.csv", "--json").out)
    assert (document["rank"], document["identifiable"], document["inversion"], document["mean"]) == (
        1,
        False,
        None,
        None,
    )


def test_a_tolerance_below_rounding_is_raised_and_that_is_said(workshop):
    arguments = ["estimate", "released.csv", "--mechanism", "wm.json", "--tolerance", "1e-30"]
    seen = workshop(*arguments)
    assert (seen.code, seen.err) == (0, "")
    found = estimate_counts(read_mechanism(Path("wm.json")), COUNTS, tolerance=1e-30).likelihood
    said = f"(tolerance {found.tolerance:.1e}: rounding allows no smaller one; 1e-30 was asked)"
    assert said in words(seen.out)
    assert "rounding" not in words(workshop(*arguments[:-2]).out)
    document = json.loads(workshop(*arguments, "--json").out)["likelihood"]
    assert (document["tolerance_asked"], document["tolerance"]) == (1e-30, found.tolerance)
    assert document["bound"] <= document["tolerance"] < 1e-10
    assert document["converged"] is True


def test_a_tolerance_that_was_not_reached_is_said(workshop, monkeypatch):
    def fails(system, target):
        raise RuntimeError("Maximum number of iterations reached.")

    assert workshop("solve", "--n", 4, "--alpha", "0.9", "--props", "F", "-o", "em.json").code == 0
    Path("middling.csv").write_text("released\n" + "".join(f"{count % 5}\n" for count in range(999)))
    monkeypatch.setattr("scipy.optimize.nnls", fails)  # EM alone needs more steps than there are
    seen = workshop("estimate", "middling.csv", "--mechanism", "em.json")
    assert seen.code == 1
    check_wording(seen.err)
    assert "NOT within the tolerance" in words(seen.out)


def test_from_saxony_to_its_mean(mechdesign):
    assert mechdesign("solve", "--n", 12, "--alpha", "0.9", "--props", "WH,RM,CM", "-o", "wm12.json").code == 0
    release = ["release", "--data", "saxony", "--mechanism", "wm12.json", "-o", "released.csv", "--seed", 1]
    assert mechdesign(*release).code == 0
    seen = mechdesign("estimate", "released.csv", "--mechanism", "wm12.json", "--json")
    assert seen.code == 0
    document = json.loads(seen.out)
    data = HISTOGRAMS["saxony"]
    true_mean = sum(j * groups for j, groups in enumerate(data.groups)) / data.size
    assert document["groups"] == data.size
    assert document["mean"]["noise"]["low"] < true_mean < document["mean"]["noise"]["high"]
    assert "more than any share" in words(mechdesign("estimate", "released.csv", "--mechanism", "wm12.json").out)


BAD = [
    ["released.csv"],
    ["gone.csv"],
    ["empty.csv"],
    ["header.csv"],
    ["above.csv"],
    ["nan.csv"],
    ["two.csv"],
    ["two.csv", "--column", "c"],
    ["released.csv", "--confidence", "95"],
    ["released.csv", "--confidence", "x"],
    ["released.csv", "--tolerance", "0"],
    ["released.csv", "--tolerance", "nan"],
    ["released.csv", "--posterior", "x"],
    ["released.csv", "--posterior", "5"],
    ["released.csv", "--posterior", "1", "--prior", "nearly"],
    ["released.csv", "--posterior", "1", "--prior", "short.csv"],
    ["released.csv", "--prior", "uniform"],
    ["released.csv", "-o", "e.txt"],
    ["released.csv", "-o", "no/e.csv"],
    ["released.csv", "--plot", "e.gif"],
    ["released.csv", "-o", "released.csv"],
    ["released.csv", "--posterior", "1", "--prior", "short.csv", "-o", "short.csv"],
]


@pytest.mark.slow
@pytest.mark.parametrize("arguments", BAD)
def test_bad_input(workshop, arguments):
    Path("empty.csv").write_text("")
    Path("header.csv").write_text("released\n")
    Path("above.csv").write_text("released\n4\n5\n")
    Path("nan.csv").write_text("released\n4\nnan\n")
    Path("two.csv").write_text("a,b\n1,1\n")
    Path("short.csv").write_text("1/2,1/2\n")
    if arguments != BAD[0]:
        arguments = [*arguments, "--mechanism", "wm.json"]
    targets = [] if "-o" in arguments or "--plot" in arguments else ["-o", "e.csv", "--plot", "e.png"]
    check_refusal(workshop, [*arguments, *targets])


def check_refusal(workshop, arguments):
    before = {path: path.read_bytes() for path in Path().iterdir()}
    seen = workshop("estimate", *arguments)
    assert (seen.code, seen.out) == (2, "")
    check_wording(seen.err)
    assert len(seen.err.splitlines()) == 1
    assert {path: path.read_bytes() for path in Path().iterdir()} == before


def test_mechanisms_that_are_refused(workshop):
    assert workshop("solve", "--model", "ldp", "--k", 5, "--alpha", "0.5", "-o", "ldp.json").code == 0
    check_refusal(workshop, ["released.csv", "--mechanism", "ldp.json"])
    Path("sums.csv").write_text("0.5,0.3\n0.4,0.7\n")
    check_refusal(workshop, ["released.csv", "--mechanism", "sums.csv"])
    check_refusal(workshop, ["released.csv", "--mechanism", "gone.json"])
    Path("gap.csv").write_text("0.5,0.5,0.5\n0,0,0\n0.5,0.5,0.5\n")
    check_refusal(workshop, ["bits.csv", "--mechanism", "gap.csv"])
    check_refusal(workshop, ["bits.csv", "--mechanism", "gap.csv", "--posterior", "1"])
