"""The files of the page: a browser that has one gets no second copy, and the page names every module at once."""

import json
import posixpath
import re

from mechdesign_studio.page_files import FOLDERS, PageFiles


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


def test_what_is_stated_in_python_is_a_module():
    answer = PageFiles({"LIMITS": {"matrix": 3}}).answer("js/facts.js")
    assert answer.body == b'export const LIMITS = {"matrix": 3};\n'
