"""The Release panel's routes: a price, one draw, the same again after any end of the studio, files, giving up."""

import json
import os
import shutil
import signal
import time

import pytest
from microdata import write_people
from studios import Studio, wait_until

OPTIONS = {"bit": "poor", "group": "area", "unit": "household", "alpha": "1/2"}
NAME = "release-0123456789abcdef"


@pytest.fixture(scope="module")
def office(tmp_path_factory):
    """A studio with a folder for releases."""
    folder = tmp_path_factory.mktemp("office")
    yield from offices(folder)


def offices(folder, *, areas=6, largest=5):
    (folder / "rel").mkdir(exist_ok=True)
    write_people(folder / "people.csv", areas=areas, largest=largest)
    started = Studio(folder, "--release-folder", "rel").open()
    yield started
    started.close()


def upload(studio, content=None):
    content = (studio.folder / "people.csv").read_bytes() if content is None else content
    return studio.client.post("/api/uploads?name=people.csv", content=content).json()["upload"]


def asked(studio, **options):
    return {"input": {"upload": upload(studio)}, **OPTIONS, **options}


def ended(studio, answer):
    assert answer.status_code == 202, answer.text
    return studio.end_of(answer.json()["job"])


def quote(studio, options):
    return ended(studio, studio.client.post("/api/releases/quote", json={"options": options}))


def post_draw(studio, options, release):
    return studio.client.post("/api/releases", json={"options": options, "release": release})


def drawn(studio, **options):
    """A release that is drawn: its name, and how the draw ended."""
    given = asked(studio, **options)
    name = quote(studio, given)["release"]
    return name, ended(studio, post_draw(studio, given, name))


def listed(studio, name):
    found = [one for one in studio.client.get("/api/releases").json()["releases"] if one["release"] == name]
    return found[0] if found else None


def file_of(studio, name, file="released.csv", **more):
    return studio.client.get(f"/api/releases/{name}/files/{file}", **more)


@pytest.mark.slow
def test_from_a_file_to_output_record_and_statement(office):
    name, end = drawn(office)
    assert (end["kind"], end["was_there"], end["quote"]["epsilon_text"]) == ("done", False, "0.693148")
    entry = listed(office, name)
    assert (entry["state"], entry["input"], entry["remains"]) == ("drawn", "people.csv", False)
    assert [file["sent"] for file in entry["files"]] == [None, None, None]
    output, record = file_of(office, name), file_of(office, name, "record.json")
    assert output.headers["content-disposition"] == 'attachment; filename="released.csv"'
    assert output.headers["cache-control"] == "no-store"
    assert output.text.startswith("area,size,released\n")
    assert file_of(office, name, "statement.txt").text == record.json()["statement"]
    (office.folder / "r.csv").write_bytes(output.content)
    (office.folder / "r.json").write_bytes(record.content)
    from mechdesign import check_release

    assert all(claim.true for claim in check_release(office.folder / "r.json", office.folder / "r.csv"))
    fetched = {"released.csv", "record.json"}  # noted once the last byte has left
    wait_until(lambda: all(file["sent"] for file in listed(office, name)["files"] if file["name"] in fetched))


@pytest.mark.slow
def test_results_are_those_of_the_files_and_only_of_what_is_drawn(office):
    name, _ = drawn(office, alpha="1/19")
    end = ended(office, office.client.post(f"/api/releases/{name}/results", json={}))
    lines = file_of(office, name).text.splitlines()
    assert [",".join(row) for row in (end["header"], *end["rows"])] == lines
    assert (end["number"], [total["value"] for total in end["totals"]]) == (6, [None])
    assert office.client.post(f"/api/releases/{NAME}/results", json={}).status_code == 202
    (office.folder / "rel" / name / "released.csv").write_text("\n".join([*lines[:-1], lines[-1][:-1] + "7", ""]))
    end = ended(office, office.client.post(f"/api/releases/{name}/results", json={}))
    assert end["kind"] == "failed"
    end = ended(office, office.client.post(f"/api/releases/{NAME}/results", json={}))
    assert (end["kind"], end["message"]) == ("failed", f"release must be drawn already, got {NAME}")


@pytest.mark.slow
def test_two_pages_with_the_same_file_see_one_release(office):
    first, second = asked(office, alpha="1/3"), asked(office, alpha="1/3")
    name = quote(office, first)["release"]
    assert quote(office, second)["release"] == name
    answers = [post_draw(office, options, name) for options in (first, first, second)]
    assert answers[0].json()["job"] == answers[1].json()["job"]  # two clicks
    ends = [ended(office, answer) for answer in answers]
    assert sorted(end["was_there"] for end in (ends[0], ends[2])) == [False, True]
    assert quote(office, second)["is_there"]


@pytest.mark.slow
def test_another_studio_with_the_same_folder_sees_it(office, tmp_path):
    name, _ = drawn(office, alpha="1/5")
    before = file_of(office, name).content
    other = Studio(tmp_path, "--release-folder", str(office.folder / "rel")).open()
    try:
        assert listed(other, name)["state"] == "drawn"
        options = {
            **OPTIONS,
            "alpha": "1/5",
            "input": {"upload": upload(other, (office.folder / "people.csv").read_bytes())},
        }
        assert ended(other, post_draw(other, options, name))["was_there"]
        assert file_of(other, name).content == before
    finally:
        other.close()


@pytest.mark.slow
def test_a_page_that_goes_ends_no_draw(office):
    options = asked(office, alpha="1/7")
    name = quote(office, options)["release"]
    assert post_draw(office, options, name).status_code == 202  # and nobody listens
    wait_until(lambda: (listed(office, name) or {}).get("state") == "drawn")


def test_given_up_it_stays_written_down_and_its_name_is_spent(office):
    name, _ = drawn(office, alpha="1/11")
    assert office.client.delete(f"/api/releases/{name}").status_code == 204
    entry = listed(office, name)
    assert (entry["state"], entry["files"], entry["remains"]) == ("discarded", [], False)
    assert file_of(office, name).status_code == 404
    options = asked(office, alpha="1/11")
    assert ended(office, post_draw(office, options, name))["kind"] == "failed"
    assert quote(office, options)["release"] == f"{name}-2"
    assert office.client.delete(f"/api/releases/{NAME}").status_code == 400


def test_a_part_of_a_file_is_not_noted_as_sent(office):
    name, _ = drawn(office, alpha="1/13")
    file_of(office, name, headers={"range": "bytes=0-3"})
    office.client.head(f"/api/releases/{name}/files/released.csv")
    assert listed(office, name)["files"][0]["sent"] is None


def test_an_unfit_file_is_refused_in_one_line(office):
    bad = upload(office, b"area,poor\na,1\na,7\n")
    end = quote(office, {"input": {"upload": bad}, **OPTIONS})
    assert end["kind"] == "failed"
    assert end["message"].startswith("poor must be 0 or 1, got another in row 2 of people.csv; ")


BAD = {
    "nothing": {},
    "no-object": [],
    "options": {"options": 1},
    "no-input": {"options": OPTIONS},
    "input-path": {"options": {**OPTIONS, "input": "/etc/passwd"}},
    "input-gone": {"options": {**OPTIONS, "input": {"upload": "x"}}},
    "output": {"options": {**OPTIONS, "output": "x.csv"}},
    "key": {"options": {**OPTIONS, "key": "k"}},
    "discard": {"options": {**OPTIONS, "discard": True}},
    "seed": {"options": {**OPTIONS, "seed": 1}},
    "more": {"options": OPTIONS, "folder": "/tmp"},
}


@pytest.mark.parametrize("body", BAD.values(), ids=BAD)
def test_requests_that_are_none_get_one_line(office, body):
    for address in ("/api/releases/quote", "/api/releases"):
        answer = office.client.post(address, json=body)
        assert answer.status_code == 400
        assert list(answer.json()) == ["error"]
        assert "\n" not in answer.json()["error"]


@pytest.mark.parametrize("name", ["release-x", "..", "%2e%2e", "secret.key", NAME + "-0-1", "release-" + "0" * 17])
def test_names_that_are_none_are_not_found(office, name):
    for file in ("released.csv", "record.json", "statement.txt", "release.json", "%2e%2e/secret.key", "secret.key"):
        assert file_of(office, name, file).status_code == 404
    assert office.client.delete(f"/api/releases/{name}").status_code in (404, 405)
    assert post_draw(office, OPTIONS, name).status_code == 400


def test_secrets_of_a_release_are_not_handed_out(office):
    name, _ = drawn(office, alpha="1/17")
    for file in ("release.json", "discarded", "../secret.key", "%2e%2e%2fsecret.key", "released.csv.sent"):
        assert file_of(office, name, file).status_code == 404


def test_other_origins_draw_and_discard_nothing(office):
    for origin in ("http://evil.example", "null", ""):
        for method, address in (
            ("POST", "/api/releases"),
            ("POST", "/api/releases/quote"),
            ("DELETE", f"/api/releases/{NAME}"),
        ):
            assert office.client.request(method, address, headers={"origin": origin}).status_code == 403


def test_without_a_folder_the_way_to_one_is_told(studio):
    assert studio.client.get("/api/releases").json()["folder"] is None
    answer = post_draw(studio, {**OPTIONS, "input": {"upload": "x"}}, NAME)
    assert (answer.status_code, "--release-folder" in answer.json()["error"]) == (400, True)
    assert studio.client.delete(f"/api/releases/{NAME}").status_code == 400
    assert file_of(studio, NAME).status_code == 400


@pytest.mark.slow
def test_the_page_may_name_one_folder_beside_where_the_studio_was_started(tmp_path):
    """A name leads nowhere else, nothing is put into a folder of other things, and the choice is made once."""
    (tmp_path / "papers").mkdir()
    (tmp_path / "papers" / "letter.txt").write_text("private")
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "link").symlink_to(tmp_path / "elsewhere")
    (tmp_path / "a-file").write_text("private")
    before = sorted(path.name for path in tmp_path.iterdir())
    write_people(tmp_path / "people.csv", areas=3)
    studio = Studio(tmp_path).open()
    try:

        def choose(name, **more):
            return studio.client.post("/api/releases/folder", json={"name": name}, **more)

        paths = (
            "",
            ".",
            "..",
            "../rel",
            "/tmp/rel",
            "a/b",
            "a\\b",
            "~",
            ".hidden",
            "rel.",
            "a\0b",
            "a" * 65,
            "größe",
            7,
            None,
        )
        for name in (*paths, "papers", "link", "a-file"):
            assert choose(name).status_code == 400, name
        assert choose("rel", headers={"origin": "http://evil.example"}).status_code == 403
        assert studio.client.get("/api/releases").json()["folder"] is None
        assert studio.client.get("/api/releases").json()["place"] == str(tmp_path)
        assert sorted(path.name for path in tmp_path.iterdir() if path.name in before) == before
        assert not (tmp_path / "rel").exists()
        before_folder = quote(studio, asked(studio))
        assert choose("rel").json() == {"folder": str(tmp_path / "rel")}
        assert (tmp_path / "rel" / ".gitignore").read_text() == "*\n"  # the folder has a secret key
        assert (tmp_path / "rel").stat().st_mode & 0o777 == 0o700
        assert "chosen once" in choose("other").json()["error"]
        assert [path.name for path in (tmp_path / "rel").iterdir()] == [".gitignore"]
        name, end = drawn(studio)
        assert (end["kind"], end["was_there"]) == ("done", False)
        priced = quote(studio, asked(studio))
        differ = {key for key, value in priced["quote"].items() if value != before_folder["quote"][key]}
        assert differ == {"input_hmac"}  # the folder's own key is of nobody else
        assert (priced["is_there"], before_folder["is_there"]) == (True, False)
        assert (tmp_path / "rel" / name / "released.csv").is_file()
    finally:
        studio.close()
    assert list((tmp_path / "elsewhere").iterdir()) == []
    again = Studio(tmp_path).open()
    try:
        assert again.client.post("/api/releases/folder", json={"name": "rel"}).status_code == 201
        assert listed(again, name)["state"] == "drawn"
        assert drawn(again)[1]["was_there"]
    finally:
        again.close()


def test_a_pipe_in_the_folder_holds_nobody_up(office):
    place = office.folder / "rel" / "release-00000000000000aa"
    place.mkdir()
    os.mkfifo(place / "release.json")
    found = office.client.get("/api/releases").json()
    assert place.name not in [release["release"] for release in found["releases"]]
    refused = quote(office, asked(office))
    assert refused["kind"] == "failed"
    assert refused["message"].startswith("release.json must be a file, got another thing in ")
    shutil.rmtree(place)


def test_remains_that_cannot_be_finished_are_told(office):
    name, _ = drawn(office, alpha="1/19")
    (office.folder / "rel" / name / "released.csv").unlink()
    wait_until(lambda: listed(office, name)["problem"] is not None)
    entry = listed(office, name)
    assert (entry["state"], entry["remains"]) == ("unfinished", True)
    assert "without its output" in entry["problem"]
    assert (office.folder / "rel" / name / "record.json").exists()
    assert office.client.delete(f"/api/releases/{name}").status_code == 204
    assert listed(office, name)["state"] == "discarded"


@pytest.mark.slow
def test_a_folder_that_goes_and_comes_back(tmp_path):
    for office in offices(tmp_path):
        name, _ = drawn(office)
        (tmp_path / "rel").rename(tmp_path / "gone")
        found = office.client.get("/api/releases").json()
        assert "release folder must exist" in found["problem"]
        assert found["releases"] == []
        assert "release folder must exist" in quote(office, asked(office))["message"]
        assert not (tmp_path / "rel").exists()
        (tmp_path / "gone").rename(tmp_path / "rel")
        assert listed(office, name)["state"] == "drawn"


@pytest.mark.slow
@pytest.mark.parametrize("wait", [0.0, 0.15], ids=["at-once", "designing"])
def test_killed_in_the_middle_the_next_studio_loses_nothing(tmp_path, wait):
    (office,) = offices_once(tmp_path)
    options = asked(office)
    name = quote(office, options)["release"]
    folder = tmp_path / "rel" / name
    assert post_draw(office, options, name).status_code == 202
    wait_until((folder / "release.json").exists)
    time.sleep(wait)
    assert office.end(signal.SIGKILL) == -9
    wait_until(lambda: not office.processes())
    whole = [path for path in (folder / "released.csv", folder / "released.csv.unfinished") if path.exists()]
    before = whole[0].read_bytes() if whole and (folder / "record.json").exists() else None
    office.close()
    for again in offices(tmp_path, areas=10, largest=10):
        wait_until(
            lambda again=again: not any(one["remains"] for one in again.client.get("/api/releases").json()["releases"])
        )
        entry = listed(again, name)
        assert entry is None or entry["state"] == "drawn"
        assert before is None or folder.joinpath("released.csv").read_bytes() == before
        kept = file_of(again, name).content if entry else None
        name_again, end = drawn(again)
        assert (name_again, end["was_there"]) == (name, kept is not None)
        assert kept in (None, file_of(again, name).content)
        assert sorted(path for path in os.listdir(folder) if not path.endswith(".sent")) == [
            "record.json",
            "release.json",
            "released.csv",
        ]
        assert json.loads((folder / "release.json").read_text())["input"] == "people.csv"


def offices_once(folder):
    """A studio that the test itself ends; groups of up to 10 take a moment to design for."""
    (folder / "rel").mkdir()
    write_people(folder / "people.csv", areas=10, largest=10)
    return (Studio(folder, "--release-folder", "rel").open(),)
