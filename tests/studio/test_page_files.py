"""The files of the page: a browser that has one gets no second copy, and the page names every module at once."""

import re

from mechdesign_studio.page_files import FOLDERS


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


def test_the_page_names_every_module_once(tasks):
    (named,) = re.findall(r'data-modules="([^"]+)"', tasks.client.get("/").text)
    modules = {path.relative_to(folder).as_posix() for folder in FOLDERS for path in (folder / "js").rglob("*.js")}
    assert sorted(f"js/{name}.js" for name in named.split()) == sorted(modules - {"js/first.js"})
