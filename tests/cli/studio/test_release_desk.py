"""Releases of the studio: drawn once whoever asks, found again after any kill, never drawn under a name given up."""

import json
import os
import shutil
import subprocess
import sys
from math import ceil, floor
from pathlib import Path

import desk_calls
import pytest
from desk_calls import FOLDER, do
from killing import KILLED
from microdata import write_people
from wording import refused

from mechdesign import check_release
from mechdesign.releases import locking, quoting
from mechdesign.releases.forecasting import Forecast
from mechdesign_cli.studio.releasing import tasks
from mechdesign_studio.releases.folder import ReleaseFolder


@pytest.fixture
def store(tmp_path, monkeypatch):
    """A folder for releases, and microdata beside it."""
    monkeypatch.chdir(tmp_path)
    write_people("people.csv", areas=8)
    FOLDER.mkdir()
    return ReleaseFolder(tmp_path / FOLDER)


@pytest.fixture
def small_desk(store):
    """As `store`, with two groups: quick to draw again and again."""
    write_people("people.csv", areas=2)
    return store


def named():
    return do("quote")["release"]


def state(store, name):
    found = store.describe(name)
    return None if found is None else found["state"]


def output(name):
    return (FOLDER / name / "released.csv").read_bytes()


def test_a_price_is_named_and_nothing_is_drawn(store):
    found = do("quote")
    assert (found["kind"], found["is_there"], found["earlier"], found["spent"]) == ("done", False, [], None)
    quote = found["quote"]
    assert (quote["epsilon_text"], quote["alpha"], quote["groups"], quote["unit"]) == (
        "0.693148",
        "1/2",
        8,
        "household",
    )
    assert (quote["units"], quote["sizes"], quote["published"]) == (21, "1..5", ["area", "size"])
    assert os.listdir(FOLDER) == ["secret.key"]
    assert store.all() == []


def test_a_release_is_drawn_once_and_shown_again(store):
    name = named()
    first = do("draw", name)
    assert (first["kind"], first["release"], first["was_there"]) == ("done", name, False)
    before = output(name)
    assert all(claim.true for claim in check_release(FOLDER / name / "record.json", FOLDER / name / "released.csv"))
    Path("people.csv").touch()  # sent again by another page, it is a new file with the same bytes
    again = do("draw", name)
    assert (again["kind"], again["was_there"], output(name)) == ("done", True, before)
    assert any("nothing was drawn" in remark for remark in again["remarks"])
    found = do("quote")
    assert (found["release"], found["is_there"], found["spent"]) == (name, True, "0.693148")
    assert [one["release"] for one in store.all()] == [name]


def test_the_same_release_in_other_words_is_the_same(store):
    name = named()
    for words in ({"alpha": "0.5"}, {"alpha": "0.50", "props": "cm,wh,RM"}, {"unit": " household "}):
        assert do("quote", **words)["release"] == name
    others = [{"alpha": "1/3"}, {"props": "WH"}, {"loss": "L0"}, {"unit": "person"}, {"unit-column": "id"}]
    assert len({name, *(do("quote", **words)["release"] for words in others)}) == len(others) + 1
    with Path("people.csv").open("a") as stream:
        stream.write("h9999,area 0000,1\n")
    assert named() != name


def test_a_name_given_up_is_never_drawn_again_and_counts_as_spent(store):
    name = named()
    do("draw", name)
    assert do("discard", name) == {"kind": "done", "release": name, "drawn": False}
    assert state(store, name) == "discarded"
    assert sorted(os.listdir(FOLDER / name)) == ["discarded", "release.json"]
    refused = do("draw", name)
    assert (refused["kind"], refused["code"]) == ("failed", 2)
    assert f"got {name}, which was discarded or never shown" in refused["message"]
    found = do("quote")
    assert (found["release"], found["is_there"], found["spent"]) == (f"{name}-2", False, "0.693148")
    do("draw", f"{name}-2")
    assert do("quote")["spent"] == "1.3863"
    assert {one["release"]: one["state"] for one in store.all()} == {name: "discarded", f"{name}-2": "drawn"}


def test_a_name_that_nobody_gave_is_not_drawn(store):
    for name in ("release-0123456789abcdef", f"{named()}-3"):
        assert "reload the page" in do("draw", name)["message"]
    assert store.all() == []


def test_a_price_foretells_errors_and_bytes(store, monkeypatch):
    found = do("quote")
    told = found["forecast"]
    do("draw", found["release"])
    record = FOLDER / found["release"] / "record.json"
    assert told["record_bytes"] == pytest.approx(record.stat().st_size, rel=0.02)
    assert (told["is_made"], told["obstacle"]) == (True, None)
    assert told["errors"].startswith("Distance from the true count, whatever that is. For groups of n = ")
    assert told["errors"] in json.loads(record.read_text())["statement"]
    monkeypatch.setattr(tasks, "FORECAST_SECONDS", 0)
    told = do("quote", alpha="0.9")["forecast"]  # whose designs would take longer
    assert (told["errors"], told["is_made"]) == (None, False)


@pytest.mark.parametrize("action", ["quote", "draw"])
def test_an_unfit_input_spends_nothing_and_leaves_nothing(store, action):
    Path("people.csv").write_text("id,area,poor\nh1,a,1\nh2,a,2\n")
    ended = do(action, None if action == "quote" else "release-0123456789abcdef")
    assert (ended["kind"], ended["code"]) == ("failed", 2)
    assert ended["message"].startswith("poor must be 0 or 1, got another in row 2 of people.csv; ")
    assert os.listdir(FOLDER) == ["secret.key"]


def test_a_draw_that_fails_leaves_nothing(store, monkeypatch):
    name = do("quote", loss="nothing.csv")
    assert (name["kind"], name["code"]) == ("failed", 2)
    name = do("quote", alpha="0.9", props="WH:3")  # no mechanism has it
    assert (name["kind"], name["code"]) == ("failed", 1)
    monkeypatch.setattr(quoting, "forecast_release", lambda *_: Forecast(0, 0, False))
    name = do("quote", alpha="0.9", props="WH:3")["release"]
    ended = do("draw", name, alpha="0.9", props="WH:3")
    assert (ended["kind"], ended["code"]) == ("failed", 1)
    assert "infeasible" in ended["message"]
    assert os.listdir(FOLDER) == ["secret.key"]


def test_a_folder_that_is_gone_is_told_in_one_line(store):
    name = named()
    shutil.rmtree(FOLDER)
    for ended in (do("quote"), do("draw", name), do("discard", name), do("finish", name)):
        assert (ended["kind"], ended.get("code")) in {("failed", 2), ("done", None)}
    assert do("quote")["message"] == f"release folder must exist, got {FOLDER.resolve()}"
    with refused(ValueError):
        store.all()
    assert not FOLDER.exists()


def test_a_key_that_is_gone_is_not_made_anew(store):
    name = named()
    do("draw", name)
    (FOLDER / "secret.key").unlink()
    assert "secret.key must be in the release folder" in do("quote")["message"]
    assert "secret.key must be in the release folder" in do("draw", name)["message"]
    assert state(store, name) == "drawn"


def test_an_output_that_was_changed_is_never_replaced(store):
    name = named()
    do("draw", name)
    (FOLDER / name / "released.csv").write_text("mine\n")
    ended = do("draw", name)
    assert (ended["kind"], ended["code"]) == ("failed", 2)
    assert output(name) == b"mine\n"
    assert do("discard", name)["kind"] == "done"


@pytest.mark.slow
def test_many_at_once_draw_once(store):
    name = named()
    command = [sys.executable, "-c", f"import desk_calls; desk_calls.main(['draw', '{name}'])"]
    helpers = {**os.environ, "PYTHONPATH": os.path.dirname(desk_calls.__file__)}
    running = [subprocess.Popen(command, stdout=subprocess.PIPE, env=helpers) for _ in range(2)]
    ends = [json.loads(one.communicate()[0]) for one in running]
    assert [end["kind"] for end in ends] == ["done"] * 2
    assert sorted(end["was_there"] for end in ends) == [False, True]


@pytest.mark.slow
def test_whoever_comes_while_another_draws_waits_and_then_sees_it(small_desk, launcher, monkeypatch):
    name = named()
    events = launcher.run("call", "desk_calls", "draw", name).events
    shutil.rmtree(FOLDER / name)
    monkeypatch.setattr(locking, "LOCK_SECONDS", 0.2)
    at = next(number for number, event in enumerate(events, start=1) if event.startswith("fsync"))
    late = next(number for number, event in enumerate(events, start=1) if "released.csv.unfinished" in event)
    assert at < late
    with launcher.held(late, "before", "call", "desk_calls", "draw", name) as let_go:
        refused = do("draw", name)
        assert "must be free" in refused["message"]
        assert do("finish", name)["message"].startswith("release must be free")
        assert state(small_desk, name) == "unfinished"
        drawn = json.loads(let_go().out)
    assert (drawn["kind"], drawn["was_there"]) == ("done", False)
    assert do("draw", name)["was_there"]


@pytest.mark.slow
def test_killed_anywhere_nothing_paid_for_is_lost_and_nothing_is_drawn_twice(small_desk, launcher):
    name = named()
    whole = launcher.run("call", "desk_calls", "draw", name)
    assert json.loads(whole.out)["kind"] == "done"
    synced = 1 + whole.events.index(f"fsync store/{name}/released.csv.unfinished")
    for number, moment in whole.changes:
        shutil.rmtree(FOLDER / name)
        seen = launcher.killed(number, moment, "call", "desk_calls", "draw", name)
        assert seen.code == KILLED
        is_drawn = number > synced or (number == synced and moment == "after")
        staged = next(
            (path for file in ("released.csv", "released.csv.unfinished") if (path := FOLDER / name / file).exists()),
            None,
        )
        there = staged.read_bytes() if staged is not None and is_drawn else None
        assert (there is not None) == is_drawn, (number, moment)
        finished = do("finish", name)  # what the next studio does when it looks at the folder
        assert finished["kind"] == "done", (number, moment, finished)
        if is_drawn:
            assert state(small_desk, name) == "drawn", (number, moment)
            assert output(name) == there
        elif finished["drawn"]:  # whole by now, though not yet forced to the disk
            assert state(small_desk, name) == "drawn"
        else:
            assert not (FOLDER / name).exists(), (number, moment)
        before = output(name) if finished["drawn"] else None
        again = do("draw", name)
        assert (again["kind"], again["was_there"]) == ("done", before is not None), (number, moment)
        assert before in (None, output(name))
        assert sorted(os.listdir(FOLDER / name)) == ["record.json", "release.json", "released.csv"]


@pytest.mark.slow
def test_discarding_that_is_killed_is_discarding_or_nothing(small_desk, launcher):
    name = named()
    assert do("draw", name)["kind"] == "done"
    shutil.copytree(FOLDER, "saved")
    whole = launcher.run("call", "desk_calls", "discard", name)
    assert json.loads(whole.out)["kind"] == "done"
    for number, moment in whole.changes:
        shutil.rmtree(FOLDER)
        shutil.copytree("saved", FOLDER)
        before = output(name)
        assert launcher.killed(number, moment, "call", "desk_calls", "discard", name).code == KILLED
        if state(small_desk, name) == "drawn":
            assert output(name) == before
            assert do("draw", name)["was_there"]
        else:
            assert do("finish", name)["kind"] == "done"
            assert sorted(os.listdir(FOLDER / name)) == ["discarded", "release.json"], (number, moment)
            assert do("quote")["release"] == f"{name}-2"
            assert do("quote")["spent"] == "0.693148"


@pytest.mark.slow
def test_a_full_disk_at_any_moment_spends_nothing_or_loses_nothing(small_desk, monkeypatch):
    name = named()
    forced = os.fsync
    for number in range(1, 40):
        calls = []

        def full(handle, calls=calls, number=number):
            calls.append(handle)
            if len(calls) == number:
                raise OSError(28, "No space left on device")
            forced(handle)

        monkeypatch.setattr(os, "fsync", full)
        ended = do("draw", name)
        monkeypatch.setattr(os, "fsync", forced)
        if len(calls) < number:
            break
        if ended["kind"] == "failed":
            assert ended["code"] == 2
            assert "No space left on device" in ended["message"]
        there = state(small_desk, name)
        staged = [file for file in ("released.csv", "released.csv.unfinished") if (FOLDER / name / file).exists()]
        before = (FOLDER / name / staged[0]).read_bytes() if staged else None
        assert ended["kind"] == "failed" or there == "drawn"
        again = do("draw", name)
        assert again["kind"] == "done", (number, again)
        assert before in (None, output(name))
        assert again["was_there"] == (before is not None)
        shutil.rmtree(FOLDER / name)
    assert number > 5


def test_intervals_and_two_texts_make_another_release(store):
    name = named()
    others = [do("quote", intervals=level)["release"] for level in ("0.95", "0.90", "0.9", "19/20")]
    assert others[0] == others[3] != others[1] == others[2]
    assert name not in others
    text = Path("people.csv").read_text().replace(",1\n", ",yes\n").replace(",0\n", ",no\n")
    Path("people.csv").write_text(text)
    texts = {do("quote", bit=f"poor={two}")["release"] for two in ("yes/no", "no/yes")}
    assert len(texts) == 2
    drawn = do("quote", bit="poor=yes/no", intervals="0.95")["release"]
    do("draw", drawn, bit="poor=yes/no", intervals="0.95")
    header, row, *_ = (FOLDER / drawn / "released.csv").read_text().splitlines()
    assert header == "area,size,released,low,high,low_all,high_all"
    assert do("draw", drawn, bit="poor=yes/no", intervals="0.95")["was_there"]
    assert (FOLDER / drawn / "released.csv").read_text().splitlines()[1] == row


def test_two_texts_of_the_column_are_told_where_they_were_not_named(store):
    text = Path("people.csv").read_text()
    for one, zero, told in (("yes", "no", ["no", "yes"]), ("a/b", "c", []), ("1", "no", []), ("yes", "", [])):
        Path("people.csv").write_text(text.replace(",1\n", f",{one}\n").replace(",0\n", f",{zero}\n"))
        found = do("quote")
        assert (found["kind"], found["texts"]) == ("failed", told)
    Path("people.csv").write_text(f"{text.replace(',1', ',yes').replace(',0', ',no')}h,area,perhaps\n")
    assert do("quote")["texts"] == []


def test_results_have_a_paragraph_in_plain_words(store):
    drawn = do("quote", intervals="0.95")["release"]
    do("draw", drawn, intervals="0.95")
    found = do("results", drawn)
    rows, total = found["rows"], found["totals"][0]["total"]
    least, most = (end(rows, key=lambda row: int(row[2])) for end in (min, max))
    assert found["titles"] == ["95 % interval, this area", "95 % interval, all areas at once"]
    assert found["sized_at"] == 1
    assert found["paragraph"] == (
        f"In all 8 areas about {total['value']:.0f} of 21 households are counted as poor ({floor(total['low'])} to "
        f"{ceil(total['high'])} with a chance of about 95 %). The largest released count is {most[2]} of {most[1]} "
        f"({most[5]} to {most[6]}) in {most[0]}, the smallest {least[2]} of {least[1]} ({least[5]} to {least[6]}) in "
        f"{least[0]}. As areas differ in size, a larger count need not be a larger share. "
        "All 8 such intervals hold the true counts at once with a chance of at least 95 %. The noise "
        "protects each household's answer. Even to somebody who knows all others, the release changes the odds of any "
        "one household's answer by at most a factor 2 (epsilon 0.693148). This holds if each household is in one row "
        "alone."
    )
    added = sum(int(row[2]) for row in found["rows"])
    assert found["notes"][0].endswith(f"Here they add up to {added}.")
    assert found["notes"][1:] == ["A total's interval is a normal approximation, rough for fewer than 30 groups."]


def test_one_count_alone_is_told_with_its_interval(small_desk):
    write_people("people.csv", areas=1)
    drawn = do("quote", intervals="0.9")["release"]
    do("draw", drawn, intervals="0.9")
    found = do("results", drawn)
    ((area, size, count, low, high, *_),) = found["rows"]
    said = (
        f"In {area} about {count} of {size} households are counted as poor; the noise leaves {low} to {high} (90 %). "
    )
    assert found["paragraph"].startswith(said)


def test_a_release_of_another_format_is_told_in_one_line(store):
    name = named()
    do("draw", name)
    entry = FOLDER / name / "release.json"
    entry.write_text('{"format": "other/1"}')
    found = do("quote")
    assert (found["kind"], found["code"]) == ("failed", 2)
    assert found["message"].startswith("release.json must have the format ")
    assert found["message"].endswith(f"/{FOLDER / name}")
