"""The files of the page: a browser that has one gets no second copy, and the page names every module at once."""

import re

from mechdesign.pages.assets import scope_name, without_remarks
from mechdesign_cli.studio.facts import FACTS
from mechdesign_studio.page_files import FOLDERS, PageFiles

MOST_BYTES = 420_000
"""Bytes of all files of the page; 450,000 is the bound, and 30,000 are free for what comes."""

SCOPE = r"\bmodule_\w+"


def test_a_file_that_the_browser_has_is_not_sent_again(tasks):
    for address in ("/", "/page/js/panels/data.js", "/page/style/page.css"):
        first = tasks.client.get(address)
        assert first.status_code == 200
        again = tasks.client.get(address, headers={"if-none-match": first.headers["etag"]})
        assert (again.status_code, again.content) == (304, b"")
        assert tasks.client.get(address, headers={"if-none-match": '"another"'}).content == first.content


def test_tags_differ_with_what_the_files_hold(tasks):
    tags = {tasks.client.get(f"/page/js/{name}.js").headers["etag"] for name in ("first", "main", "panels/data")}
    assert len(tags) == 3


def test_a_module_is_in_one_file_alone_and_behind_what_it_imports():
    modules = {path.relative_to(folder).as_posix() for folder in FOLDERS for path in (folder / "js").rglob("*.js")}
    files = {name: content.decode() for name, content in PageFiles(FACTS) if name.endswith(".js")}
    assert set(files) == {"js/first.js", "js/main.js", *(name for name in modules if name.startswith("js/panels/"))}
    begun = []
    for text in files.values():
        known = set()
        for line in text.splitlines():
            if line.startswith("import "):
                known.update(re.findall(SCOPE, line))
            elif found := re.fullmatch(rf"const ({SCOPE}) = \(\(\) => {{", line):
                begun.append(found[1])
                known.add(found[1])
            else:
                assert known.issuperset(re.findall(SCOPE, line)), line
    assert sorted(begun) == sorted(map(scope_name, {*modules, "js/facts.js"} - {"js/first.js"}))


def test_the_page_names_its_style_once_and_in_order(tasks):
    index = (FOLDERS[0] / "index.html").read_text(encoding="utf-8")
    assert re.findall(r'"(/page/style/[^"]+\.css)"', tasks.client.get("/").text) == ["/page/style/page.css"]
    style = tasks.client.get("/page/style/page.css").text
    places = []
    for name in re.findall(r'"/page/(style/[^"]+\.css)"', index):
        sheet = next(folder / name for folder in FOLDERS if (folder / name).is_file())
        places.append(style.index(without_remarks(sheet.read_text(encoding="utf-8"))))
    assert places == sorted(places)
    assert len(places) == sum(path.suffix == ".css" for folder in FOLDERS for path in folder.rglob("*"))


def test_the_page_is_small():
    assert sum(len(content) for _, content in PageFiles(FACTS)) < MOST_BYTES


def test_remarks_stay_here_and_lines_keep_their_numbers():
    text = "/** One.\n * Two. */\n  // three\nlet a = '// /*'; // four\n/* five */ let b = 5; /* six */\n/* seven\n"
    assert without_remarks(text) == "\n\n\nlet a = '// /*'; // four\n/* five */ let b = 5; /* six */\n/* seven\n"
    for folder in FOLDERS:
        for path in folder.rglob("*.js"):
            lines = path.read_text(encoding="utf-8").split("\n")
            served = without_remarks("\n".join(lines)).split("\n")
            gone = [line for line, now in zip(lines, served, strict=True) if now != line]
            assert all(line.lstrip().startswith(("//", "/**", "* ", "*/")) or line.strip() == "*" for line in gone), (
                path
            )


def test_what_is_stated_in_python_is_a_module():
    facts = {**FACTS, "LIMITS": {"matrix": 3}}
    assert b'const LIMITS = {"matrix": 3};\n' in PageFiles(facts).answer("js/main.js").body
