"""Steps: what of a request becomes which words of a command line, and what is refused."""

import pytest
from wording import refused

from mechdesign.errors import InputError
from mechdesign_cli.app import COMMAND_LINE
from mechdesign_cli.commands import SUMMARIES
from mechdesign_cli.record import types_of
from mechdesign_cli.studio.options_table import OFFERED, WITHHELD, find_command, list_commands
from mechdesign_cli.studio.releasing.reading import simulated
from mechdesign_cli.studio.steps import read_steps
from mechdesign_cli.studio.work import Learnt
from mechdesign_cli.studio.work import read as read_order

COMMANDS = list_commands(COMMAND_LINE)
UPLOADS = {"u1": "people.csv", "u2": "people.csv", "u3": "wm.json"}


def read(command, arguments=(), **options):
    return read_steps([{"command": command, "arguments": list(arguments), "options": options}], COMMANDS, UPLOADS)


def words(command, arguments=(), **options):
    return list(read(command, arguments, **options).steps[0].words)


def test_values_become_words():
    assert words("solve", n=8, alpha="9/10", json=True, exact=False, prior=None) == [
        "solve", "--n", "8", "--alpha", "9/10", "--json",
    ]  # fmt: skip
    assert words("solve", epsilon=0.1, output=["a.json", "b.csv"]) == [
        "solve", "--epsilon", "0.1", "--output", "a.json", "--output", "b.csv",
    ]  # fmt: skip
    assert words("compare", mechanisms=["GM", "design:WH,CM:L1", {"upload": "u3"}]) == [
        "compare", "--mechanisms", "GM;design:WH,CM:L1;wm.json",
    ]  # fmt: skip
    assert words("report", ["wm.json"], prices=False) == ["report", "--no-prices", "wm.json"]
    assert words("check", ["a.json"], alpha="-1") == ["check", "--alpha=-1", "a.json"]
    assert words("solve", loss="") == ["solve", "--loss="]


def test_uploads_stand_under_names_of_their_own():
    found = read_steps(
        [
            {"command": "check", "arguments": [{"upload": "u1"}]},
            {"command": "check", "arguments": [{"upload": "u2"}], "options": {"distances": {"upload": "u1"}}},
        ],
        COMMANDS,
        UPLOADS,
    )
    assert dict(found.links) == {"people.csv": "u1", "people-2.csv": "u2"}
    assert [step.line for step in found.steps] == [
        "mechdesign check people.csv",
        "mechdesign check --distances people.csv people-2.csv",
    ]


def test_columns_are_called_as_people_call_them():
    named = {"bit": "income / month", "group": "a..b", "column": "~x"}
    assert words("compare", **named)[1:] == ["--bit", "income / month", "--group", "a..b", "--column", "~x"]
    with refused(InputError, about="data"):
        words("compare", data="/ month")


def test_lines_are_those_of_a_shell():
    assert read("compare", data="zipf:1.5", metric="error-rate;rm").steps[0].line == (
        "mechdesign compare --data zipf:1.5 --metric 'error-rate;rm'"
    )


@pytest.mark.parametrize(
    ("option", "value"),
    [
        ("prior", "/etc/passwd"),
        ("prior", "~/x"),
        ("prior", "a/../../b"),
        ("prior", "\\\\host\\x"),
        ("loss", "x,/etc/passwd"),
        ("loss", "../loss.csv"),
        ("loss", "a:/b"),
        ("loss", "a=/b"),
        ("loss", "a b/../c"),
        ("distances", "a/b.csv"),
        ("output", [".."]),
        ("output", ["a", "-b"]),
        ("plot", "/tmp/x.svg"),
        ("plot", ["a.svg", "b.svg"]),
        ("k", [1, 2]),
        ("n", True),
        ("k", {"upload": "u1"}),
        ("json", "yes"),
        ("json", 1),
        ("prior", {"upload": "u9"}),
        ("prior", {"upload": "u1", "x": 1}),
        ("prior", "a\tb"),
        ("prior", "x" * 20_001),
        ("output", ["x"] * 201),
        ("jobs", 2),
        ("help", True),
    ],
    ids=lambda value: str(value)[:20],
)
def test_what_leads_out_of_the_folder_or_makes_no_sense_is_refused(option, value):
    with refused(InputError) as error:
        read("solve", **{option: value})
    assert len(str(error.value)) < 400


@pytest.mark.parametrize(
    "arguments", [["-x"], ["--json"], ["a", "b"], ["/etc/passwd"], [".."], [None], [{"upload": "?"}]], ids=str
)
def test_arguments_are_files_of_the_folder(arguments):
    with refused(InputError):
        read("check", arguments)


def test_every_path_of_every_offered_command_is_a_file_and_no_secret_is_offered():
    for name in OFFERED:
        assert name in SUMMARIES
        assert not WITHHELD & COMMANDS[name].options.keys()
        known = {**COMMANDS[name].options, **{argument.name: argument for argument in COMMANDS[name].arguments}}
        for parameter, stated in types_of(COMMAND_LINE.record(name)).items():
            option = known.get(parameter.replace("_", "-"))
            if option is not None:
                assert (option.kind == "file") == ("pathlib" in str(stated)), option


def test_kinds_are_those_of_the_command():
    options = COMMANDS["solve"].options
    kinds = {name: options[name].kind for name in ("n", "k", "alpha", "json", "output", "plot", "prior", "time-limit")}
    assert kinds == {
        "n": "text", "k": "number", "alpha": "text", "json": "flag", "output": "file", "plot": "file", "prior": "text",
        "time-limit": "number",
    }  # fmt: skip
    assert [name for name, option in options.items() if option.repeatable] == ["then", "output"]
    assert options["aggregate"].default == "expected"


def test_a_release_among_the_steps_of_a_job_is_a_simulation():
    release = simulated(find_command("release", COMMAND_LINE, withheld=frozenset()))
    learnt = Learnt({**COMMANDS, "release": release}, {}, is_all=True)
    step = {
        "command": "release",
        "options": {"input": {"upload": "u1"}, "bit": "poor", "epsilon": 1, "output": "r.csv"},
    }
    with refused(InputError, about="release"):
        read_order([step], learnt, UPLOADS)
    seeded = {**step, "options": {**step["options"], "seed": 1}}
    assert "--seed 1" in read_order([seeded], learnt, UPLOADS).lines[0]
    for name in ("ledger", "dataset", "key", "replace", "discard"):
        assert name not in release.options
