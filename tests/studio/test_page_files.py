"""The files of the page: a browser that has one gets no second copy, and the page names every module at once."""

import json
import posixpath
import re

from mechdesign.pages.assets import without_remarks
from mechdesign_cli.studio.facts import FACTS
from mechdesign_studio.page_files import FOLDERS, PageFiles

MOST_BYTES = 420_000
"""Bytes of all files of the page; 450,000 is the bound, and 30,000 are free for what comes."""


def test_a_file_that_the_browser_has_is_not_sent_again(tasks):
    for address in ("/", "/page/js/dom.js", "/page/style/base.css"):
        first = tasks.client.get(address)
        assert first.status_code == 200
        again = tasks.client.get(address, headers={"if-none-match": first.headers["etag"]})
        assert (again.status_code, again.content) == (304, b"")
        assert tasks.client.get(address, headers={"if-none-match": '"another"'}).content == first.content


def test_tags_differ_with_what_the_files_hold(tasks):
    tags = {tasks.client.get(f"/page/js/{name}.js").headers["etag"] for name in ("dom", "api", "main")}
    assert len(tags) == 3


def test_the_page_names_what_each_panel_needs(tasks):
    (named,) = re.findall(r"data-modules='([^']+)'", tasks.client.get("/").text)
    frame, *panels = json.loads(named).values()
    modules = {path.relative_to(folder).as_posix() for folder in FOLDERS for path in (folder / "js").rglob("*.js")}
    every = {f"js/{name}.js" for names in (frame, *panels) for name in names}
    assert every == {*modules, "js/facts.js"} - {"js/first.js"}
    assert len(frame) == len(set(frame))
    for panel in panels:
        assert not set(panel) & set(frame)
        known = {f"js/{name}.js" for name in (*frame, *panel)}
        for name in known:
            text = tasks.client.get(f"/page/{name}").text
            for target in re.findall(r'from "(\.[^"]+)"', text):
                assert posixpath.normpath(f"{posixpath.dirname(name)}/{target}") in known


def test_the_page_is_small():
    assert sum(len(content) for _, content in PageFiles(FACTS)) < MOST_BYTES


def test_remarks_stay_here_and_lines_keep_their_numbers():
    text = "/** One.\n * Two. */\n  // three\nlet a = '// /*'; // four\n/* five */ let b = 5; /* six */\n/* seven\n"
    assert without_remarks(text) == "\n\n\nlet a = '// /*'; // four\n/* five */ let b = 5; /* six */\n/* seven\n"
    for name, content in PageFiles(FACTS):
        source = next((folder / name for folder in FOLDERS if (folder / name).is_file()), None)
        if source is not None and source.suffix == ".js":
            lines = source.read_text(encoding="utf-8").split("\n")
            served = content.decode().split("\n")
            assert len(served) == len(lines)
            gone = [line for line, now in zip(lines, served, strict=True) if now != line]
            assert all(line.lstrip().startswith(("//", "/**", "* ", "*/")) or line.strip() == "*" for line in gone), (
                name
            )


def test_what_is_stated_in_python_is_a_module():
    answer = PageFiles({"LIMITS": {"matrix": 3}}).answer("js/facts.js")
    assert answer.body == b'export const LIMITS = {"matrix": 3};\n'
