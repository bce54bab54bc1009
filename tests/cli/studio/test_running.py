"""Running steps: what comes back of output, remarks, progress, verdicts and failures."""

import json
import sys
from dataclasses import replace

import pytest

from mechdesign_cli.app import COMMAND_LINE, run
from mechdesign_cli.showing.progress import line_a_minute, progress_after_a_second
from mechdesign_cli.studio import running
from mechdesign_cli.studio.running import run_steps
from mechdesign_cli.studio.steps import Step


@pytest.fixture
def told(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return []


def steps(*lines):
    return tuple(Step(line.split()[0], tuple(line.split())) for line in lines)


def do(told, *lines, by=run):
    line = COMMAND_LINE if by is run else replace(COMMAND_LINE, run=by, record=lambda name: None)
    return run_steps(steps(*lines), line, lambda kind, data: told.append((kind, dict(data))))


def test_the_document_is_the_one_of_the_command_line(told, capsys):
    end = do(told, "solve --n 4 --alpha 0.9 --props WH,CM --json --output wm.json", "check wm.json --json")
    assert end.kind == "done"
    solved, checked = end.data["steps"]
    assert run(["solve", "--n", "4", "--alpha", "0.9", "--props", "WH,CM", "--json"]) == 0
    expected = json.loads(capsys.readouterr().out)
    assert {**solved["document"], "seconds": None} == {**expected, "seconds": None}
    assert (solved["code"], solved["text"], solved["remarks"]) == (0, "", ["wrote wm.json"])
    assert all(claim["true"] for claim in checked["document"]["claims"])
    assert ("remark", {"text": "wrote wm.json", "code": "wrote", "audience": "terminal"}) in told


def test_remarks_say_what_they_are_about_and_whom_they_are_for(told, capsys):
    with open("ages.csv", "w") as stream:
        stream.write("age\n1\n2\n")
    words = "local privatize --oracle grr --epsilon 1 --input ages.csv --column age --bins 0:4:1 --seed 1 -o r.parquet"
    step = Step("local privatize", tuple(words.split()))
    run_steps((step,), COMMAND_LINE, lambda kind, data: told.append((kind, dict(data))))
    said = {(data["code"], data["audience"]) for kind, data in told if kind == "remark"}
    assert said == {("option", "terminal"), ("wrote", "terminal"), ("spent", "everybody")}
    assert capsys.readouterr().err == ""


def test_what_is_no_json_is_text(told):
    (step,) = do(told, "solve --n 2 --alpha 0.9").data["steps"]
    assert step["document"] is None
    assert "gap" in step["text"]


def test_a_verdict_is_no_failure(told):
    with open("bad.csv", "w") as stream:
        stream.write("0.9,0.1\n0.1,0.9\n")
    end = do(told, "check bad.csv --alpha 0.9 --json", "catalog --json")
    assert [step["code"] for step in end.data["steps"]] == [1, 0]


@pytest.mark.parametrize(
    ("line", "code", "message"),
    [
        ("solve --n 0 --alpha 0.9", 2, "n must be"),
        ("solve --n 4 --alpha 0.9 --nothing", 2, "no such option"),
        ("solve --n 60 --alpha 0.9 --props WH,CM --time-limit 0.000001 --method full", 1, "time limit"),
    ],
    ids=["input", "usage", "no answer"],
)
def test_a_failure_tells_step_code_and_one_line_and_what_was_done_before(told, line, code, message):
    end = do(told, "solve --n 2 --alpha 0.9 --json", line, "catalog")
    assert end.kind == "failed"
    assert (end.data["step"], end.data["code"]) == (1, code)
    assert message in end.data["message"]
    assert not end.data["message"].startswith("mechdesign:")
    assert len(end.data["steps"]) == 1


def test_progress_is_heard_and_not_written(told, capsys):
    def work(_words):
        with progress_after_a_second("subsets", 1_000) as show:
            for done in range(1_001):
                show(done)
        with line_a_minute("designing"):
            print("{}")
        return 0

    do(told, "x", by=work)
    heard = [data for kind, data in told if kind == "progress"]
    assert heard[0] == {"label": "subsets", "done": 0, "total": 1_000}
    assert {"label": "subsets", "done": 1_000, "total": 1_000} in heard
    assert heard[-1] == {"label": "designing", "done": 0, "total": None}
    assert len(heard) < 20
    assert capsys.readouterr().err == ""


def test_output_without_end_fails(told, monkeypatch):
    monkeypatch.setattr(running, "LONGEST_OUTPUT", 1_000)
    end = do(told, "catalog --json")
    assert end.kind == "failed"
    assert "more than 1,000 letters" in end.data["message"]


def test_remarks_are_told_line_by_line_the_last_ones_are_kept(told, monkeypatch):
    monkeypatch.setattr(running, "MOST_REMARKS", 2)

    def work(_words):
        for part in ("a", "b\n\nc\n", "d", "\ne"):
            sys.stderr.write(part)
        return 0

    end = do(told, "x", by=work)
    assert [data["text"] for kind, data in told if kind == "remark"] == ["ab", "c", "d", "e"]
    assert end.data["steps"][0]["remarks"] == ["d", "e"]


@pytest.mark.parametrize("text", ['{"a": NaN}', "[1, 2]", "{", "[" * 100_000, "{'a': 1}"])
def test_documents_are_json_that_a_browser_reads(told, text):
    end = do(told, "x", by=lambda _words: print(text) or 0)
    (step,) = end.data["steps"]
    json.dumps(step["document"], allow_nan=False)
    assert (step["document"] is None) == (step["text"] != "")
