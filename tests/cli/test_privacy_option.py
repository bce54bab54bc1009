"""`--alpha 1/2` means exactly one half in every command that takes it; commands are found from the app."""

import csv
import json
from fractions import Fraction
from pathlib import Path

import pytest
from wording import check_wording

from mechdesign.problem.privacy import Privacy
from mechdesign_catalog.collection.memories.memory_database import MemoryDatabase
from mechdesign_catalog.collection.reports.report_files import read_header
from mechdesign_catalog.systems import oracle_of
from mechdesign_catalog.systems.mean import mean_oracle_of
from mechdesign_cli.commands import SUMMARIES
from mechdesign_cli.group import load_command

TAKING_ALPHA = [
    name for name in SUMMARIES if any("--alpha" in parameter.opts for parameter in load_command(name).params)
]


def of_problem(run, *arguments):
    return [json.loads(run(*arguments, "--json"))["problem"]["alpha"]]


def of_solve(run):
    shown = run("solve", "--n", 3)
    assert "0.693148 = -ln(alpha)" in shown
    models = (["--model", "ldp", "--k", 3], ["--model", "lldp", "--k", 3, "--radius", 1], ["--n", 3])
    return [alpha for model in models for alpha in of_problem(run, "solve", *model)]


def of_local_design(run):
    return of_problem(run, "local", "design", "--k", 3, "--workload", "prefixes")


def of_local_calibrate(run):
    asked = ("--error", "0.1", "--workload", "histogram", "--k", 3)
    return [json.loads(run("local", "calibrate", *asked, "--json"))["alpha"]]


def of_check(run):
    """Entries 1/3 and 2/3 as floats, one twice the other: private with 1/2 exactly, and with nothing above."""
    Path("coin.csv").write_text(f"{2 / 3!r},{1 / 3!r}\n{1 / 3!r},{2 / 3!r}\n")
    run("check", "coin.csv", "--repair", "mended.json")
    claims = {claim["claim"]: claim["true"] for claim in json.loads(run("check", "coin.csv", "--json"))["claims"]}
    assert claims["alpha-DP with alpha = 0.5"]
    stated = [claim.rpartition(" = ")[2] for claim in claims if claim.startswith("alpha-DP")]
    return [*stated, json.loads(Path("mended.json").read_text())["problem"]["alpha"]]


def of_derive(run):
    Path("flat.csv").write_text("0.5,0.5\n0.5,0.5\n")
    return [json.loads(run("derive", "flat.csv", "--json"))["alpha"]]


def of_release(run):
    Path("groups.csv").write_text("size,sick\n3,1\n5,5\n")
    asked = ("--input", "groups.csv", "--column", "sick", "--size", "size")
    run("release", *asked, "-o", "released.csv", "--statement", "s.txt")
    said = " ".join(Path("s.txt").read_text().split())
    assert "epsilon = 0.693148 (alpha = " in said
    return [said.partition("(alpha = ")[2].partition(")")[0]]


def of_rows(run, *arguments):
    return [row["alpha"] for row in json.loads(run(*arguments, "--json"))["rows"]]


def of_compare(run):
    return of_rows(run, "compare", "--data", "saxony", "--mechanisms", "GM;UM", "--repetitions", 1)


def of_catalog(run):
    asked = ("--domains", "2,3")
    tuples = [json.loads(run("catalog", name, *asked, "--json"))["alpha"] for name in ("SPL", "SMP", "RS+FD")]
    smp = json.loads(run("catalog", "SMP", *asked, "--json"))["rows"][0]
    return [*of_problem(run, "catalog", "GM", "--n", 3), *tuples, smp["whole_tuple"]["alpha"]]


def of_local_oracles(run):
    found = json.loads(run("local", "oracles", "--k", 6, "--json"))
    rows = {row["oracle"]: row for row in found["oracles"]}
    used = [rows[name]["actual_alpha"] for name in ("grr", "olh", "hrr", "ss", "oue", "blh", "hcms")]
    return [found["alpha"], *(row["alpha"] for row in rows.values()), *used]


def of_local_privatize(run):
    """Headers of files, the oracles that they give, and the memory."""
    Path("values.csv").write_text("user,city,hours\n" + "".join(f"{u},{u % 3},{u % 7}\n" for u in range(30)))
    Path("domain.txt").write_text("0\n1\n2\n")
    seen = []
    for oracle in ("grr", "sue", "design:none:L0", "dbitflip:d=2"):
        memory = ("--user", "user", "--memory", "m.db", "--round", "one") if oracle.startswith("dbit") else ()
        Path("r.parquet").unlink(missing_ok=True)
        run(*collect(oracle, "city"), "--domain", "domain.txt", *memory)
        made = oracle_of(read_header(Path("r.parquet")).task.parameters)
        seen += [
            read_header(Path("r.parquet")).task.parameters["privacy"].removeprefix("alpha="),
            str(made.privacy.alpha),
        ]
        assert made.alpha >= Fraction(1, 2)
        if memory:
            digest = read_header(Path("r.parquet")).task.domain_digest
            assert MemoryDatabase(Path("m.db"), made, digest, round="two").note(["0", "1"]).known == 2
    Path("r.parquet").unlink()
    run(*collect("onebitmean", "hours"), "--maximum", 7)
    return [*seen, str(mean_oracle_of(read_header(Path("r.parquet")).task.parameters).alpha)]


def collect(oracle, column):
    return ("local", "privatize", "--oracle", oracle, "--input", "values.csv", "--column", column, "-o", "r.parquet")


def of_local_compare(run):
    names = "grr,sue,laplace,design:none:L0"
    return of_rows(run, "local", "compare", "--data", "titanic", "--oracles", names, "--repetitions", 1, "--seed", 1)


def of_landscape(run):
    return of_problem(run, "landscape", "--n", 2)


def of_sweep(run):
    run("sweep", "--n", "2,3", "-o", "sweep.csv")
    return [row["alpha"] for row in csv.DictReader(Path("sweep.csv").read_text().splitlines())]


def of_local_task_new(run):
    """What the document says, and what its constants were worked out from."""
    run("local", "task", "new", "--oracle", "grr", "--k", 3, "-o", "task.json")
    task = json.loads(Path("task.json").read_text())
    return [task["parameters"]["privacy"].removeprefix("alpha="), task["constants"]["alpha"]]


SEEN = {name: globals().get(f"of_{name.replace('-', '_').replace(' ', '_')}") for name in TAKING_ALPHA}


def test_commands_that_take_alpha_are_found():
    assert {"solve", "local privatize", "local oracles", "local compare", "release"} <= set(TAKING_ALPHA)


@pytest.mark.slow
@pytest.mark.parametrize("typed", ["1/2", "0.5"])
@pytest.mark.parametrize("command", TAKING_ALPHA)
def test_alpha_is_what_was_typed(mechdesign, command, typed):
    """A command without a way to see it fails here: give it one, and a function above."""

    def run(*arguments):
        seen = mechdesign(*arguments, "--alpha", typed)
        assert seen.code in (0, 1), seen.err
        return seen.out

    assert SEEN[command] is not None, f"nothing shows what --alpha means to {command}"
    found = SEEN[command](run)
    assert found
    assert set(map(Fraction, found)) == {Fraction(1, 2)}


def test_a_report_file_under_one_half(mechdesign):
    """The file says so; reading it gives the same oracle; it does not mix with reports under the epsilon nearest."""
    Path("values.csv").write_text("city\n" + "a\nb\nc\n" * 20)
    Path("domain.txt").write_text("a\nb\nc\n")
    asked = ("local", "privatize", "--oracle", "grr", "--input", "values.csv", "--domain", "domain.txt", "--seed", 1)
    seen = mechdesign(*asked, "--alpha", "1/2", "-o", "half.parquet")
    check_wording(seen.err)
    mechdesign(*asked, "--alpha", "0.50", "-o", "again.parquet")
    mechdesign(*asked, "--epsilon", "0.6931471805599453", "-o", "near.parquet")
    half, again, near = (read_header(Path(f"{name}.parquet")) for name in ("half", "again", "near"))
    assert half.task.parameters == {"oracle": "grr", "k": 3, "privacy": "alpha=1/2"}
    assert half == again
    oracle = oracle_of(half.task.parameters)
    assert (oracle.privacy, oracle.alpha, oracle.support.p) == (Privacy(alpha="1/2"), Fraction(1, 2), Fraction(1, 2))
    assert oracle.parameters == half.task.parameters
    assert oracle_of(near.task.parameters).alpha > Fraction(1, 2)
    assert "alpha = 0.5 (epsilon = 0.693148)" in mechdesign("local", "aggregate", "half.parquet").out
    refused = mechdesign("local", "aggregate", "half.parquet", "near.parquet")
    assert refused.code == 2
    check_wording(refused.err)


def test_a_loss_is_never_shown_below_the_truth(mechdesign):
    """ln 3 = 1.0986123..., which was shown as 1.09861."""
    Path("values.csv").write_text("city\na\nb\n")
    Path("domain.txt").write_text("a\nb\n")
    asked = ("--input", "values.csv", "--domain", "domain.txt", "-o", "r.parquet", "--alpha", "1/3")
    check_wording(mechdesign("local", "privatize", "--oracle", "grr", *asked).err)
    assert "1.09862" in mechdesign("solve", "--n", 2, "--alpha", "1/3").out
    assert "epsilon = 1.09862" in mechdesign("local", "oracles", "--k", 4, "--alpha", "1/3").out
