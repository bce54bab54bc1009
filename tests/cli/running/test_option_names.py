"""Messages of the command line name options as they were typed, and suggest only what is nearly the same."""

import pytest
from wording import check_wording, refused

import mechdesign as md
from mechdesign_cli.app import NO_LONGER, OTHER_COMMANDS, PURPOSES
from mechdesign_cli.commands import GROUPS, SUMMARIES
from mechdesign_cli.group import load_command
from mechdesign_cli.studio.running import _of_fields

SOLVE = ("solve", "--n", 4)


@pytest.mark.parametrize(
    "arguments",
    [
        ("local", "ranges", "no.parquet", "--quantiles", 50),
        ("sweep", "--n", "2-8", "--alpha", "0.5", "-o", "s.csv"),
        SOLVE,
        (*SOLVE, "--alpha", "0.5", "--epsilon=1"),
        (*SOLVE, "--alpha=1.7"),
        (*SOLVE, "--epsilon", "-1"),
        ("local", "task", "new", "--oracle", "grr", "--k", 3, "-o", "t.json"),
        (*SOLVE, "--alpha", "0.5", "--factions"),
        (*SOLVE, "--fast"),
        (*SOLVE, "--time", 4),
    ],
)
def test_the_whole_line(mechdesign, arguments):
    seen = mechdesign(*arguments)
    assert seen.code == 2
    check_wording(seen.err)


def test_what_was_not_typed_is_no_option(mechdesign, tmp_path):
    """The n of a design for groups is nobody's --n."""
    (tmp_path / "c.csv").write_text("c,size\n1,5000\n")
    seen = mechdesign(
        "release",
        "--input",
        tmp_path / "c.csv",
        "--column",
        "c",
        "--size",
        "size",
        "--epsilon",
        1,
        "--loss",
        "L3",
        "-o",
        "r.csv",
    )
    assert seen.code == 2
    assert "--n" not in seen.err


def test_a_column_that_is_missing_is_quoted(mechdesign, tmp_path):
    (tmp_path / "ages.csv").write_text("age\n3\n")
    (tmp_path / "k.txt").write_text("3\n4\n")
    seen = mechdesign(
        *("local", "privatize", "--oracle", "grr", "--epsilon", 1, "--input", "ages.csv", "--column", "Age"),
        *("--domain", "k.txt", "-o", "r.parquet"),
    )
    assert seen.code == 2
    check_wording(seen.err)


def test_python_names_arguments():
    with refused(md.InputError, about="alpha"):
        md.DesignProblem(n=3, alpha="1.7")
    with refused(md.InputError):
        md.DesignProblem(n=3)


def test_the_page_names_its_fields():
    assert _of_fields("--time-limit must be positive, got -1") == "time limit must be positive, got -1"
    assert _of_fields("give --alpha or --epsilon, got neither") == "give alpha or epsilon, got neither"
    assert _of_fields("score is 1 - 2; go on by --start f.json") == "score is 1 - 2; go on by --start f.json"


@pytest.mark.slow
@pytest.mark.parametrize(
    ("arguments", "works"),
    [
        (("sweep", "--n", 2, "--alpha", "0.5", "-o", "s.csv", "--props", "none,WH,all"), "--props 'none;WH;all'"),
        (("sweep", "--n", 2, "--alpha", "0.5", "-o", "s.csv", "--props", "CM,WH;none,RM"), "--props 'CM,WH;none;RM'"),
        ((*SOLVE, "--alpha", "0.5", "--props", "WH;CM"), "--props WH,CM"),
        (
            ("compare", "--data", "saxony", "--alpha", "0.9", "--mechanisms", "GM,design:WH,CM:L1", "--repetitions", 1),
            "--mechanisms 'GM;design:WH,CM:L1'",
        ),
    ],
)
def test_a_refused_separator_comes_with_the_line_that_works(mechdesign, arguments, works):
    seen = mechdesign(*arguments)
    assert seen.code == 2
    check_wording(seen.err)
    option, value = works.split(" ", 1)
    fixed = [
        value.strip("'") if before == option else word
        for before, word in zip((None, *arguments), arguments, strict=False)
    ]
    assert mechdesign(*fixed).code == 0


def options_of(command):
    return {text for parameter in load_command(command).params for text in parameter.opts if text.startswith("--")}


@pytest.mark.parametrize("command", OTHER_COMMANDS)
def test_options_of_other_commands_are_found_there(mechdesign, command):
    own, left = options_of(command), {option for name, option in NO_LONGER if name == command}
    assert left.isdisjoint(own)
    named = set()
    for option in sorted(set().union(left, *map(options_of, OTHER_COMMANDS[command])) - own):
        seen = mechdesign(*command.split(), option)
        assert (seen.code, seen.out, seen.err.count("\n")) == (2, "", 1)
        said, _, other = seen.err.rstrip().rpartition(" by mechdesign ")
        assert said == f"mechdesign: no such option: {option}; {PURPOSES[other]}"
        assert option in options_of(other) or NO_LONGER[command, option] == other
        named.add(other)
    assert named == set(OTHER_COMMANDS[command])


@pytest.mark.parametrize(
    "words",
    [
        "aggregate",
        "task new",
        "oracle",
        "compare-oracles",
        "compare-oracle",
        "compar",
        "privatise",
        "new",
        "local agregate",
        "local compar",
        "local solve",
        "local task aggregate",
        "ledger show",
        "local task nw",
        "ledger nwe",
        "loca",
        "ledge",
        "tuble",
        "calibrat",
        "local x",
        "it's",
        "'",
    ],
)
def test_a_command_that_is_none_gets_the_right_one_or_none(mechdesign, words):
    seen = mechdesign(*words.split())
    assert (seen.code, seen.out) == (2, "")
    check_wording(seen.err)


@pytest.mark.parametrize("words", [("--n", 8), ("local", "--k", 3)])
def test_an_option_before_the_command_is_told_where_it_goes(mechdesign, words):
    seen = mechdesign(*words)
    assert (seen.code, seen.out) == (2, "")
    check_wording(seen.err)


@pytest.mark.parametrize(
    "words",
    [
        "check",
        "release --data saxony",
        "solve --n 8 --alpha",
        "ledger new office.db --budget",
        "solve --n 8 --exact=3",
        "check a.csv b.csv",
        "completion xsh",
        "completion",
    ],
)
def test_misuse_is_said_in_the_shape_of_all_errors(mechdesign, words):
    seen = mechdesign(*words.split())
    command = words.partition(" --")[0].rsplit(" ", 1)[0] if words.startswith("ledger") else words.split()[0]
    assert (seen.code, seen.out) == (2, "")
    assert " must " in seen.err
    assert seen.err.rstrip().endswith(f"; see mechdesign {command} --help")
    check_wording(seen.err)


def one_slip(word):
    """Every word that differs from it by a letter that is missing, doubled, or swapped with the next."""
    for at in range(len(word)):
        yield word[:at] + word[at + 1 :]
        yield word[: at + 1] + word[at:]
        yield word[:at] + word[at : at + 2][::-1] + word[at + 2 :]


@pytest.mark.parametrize("name", [*SUMMARIES, *GROUPS])
def test_a_slip_of_one_letter_gets_the_command(mechdesign, name):
    *group, word = name.split()
    for slip in {*one_slip(word)} - {word}:
        seen = mechdesign(*group, slip)
        assert (seen.code, seen.out) == (2, "")
        assert seen.err.endswith(f"; did you mean mechdesign {name}?\n"), slip
