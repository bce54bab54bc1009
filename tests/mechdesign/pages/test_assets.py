"""Modules joined to one script: every name is bound where it was, and what cannot be joined is refused."""

import re

import pytest

from mechdesign.pages import assets


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.setattr(assets, "HERE", tmp_path)
    assets.joined_script.cache_clear()
    yield tmp_path
    assets.joined_script.cache_clear()


def test_modules_stand_behind_what_they_import_and_share_no_name(folder):
    (folder / "a.js").write_text('import { one as first, two } from "./b/b.js";\nconst same = first + two;\n')
    (folder / "b").mkdir()
    (folder / "b" / "b.js").write_text(
        'import { zero } from "./c.js";\nconst same = zero;\nexport const one = same;\nexport function two() {}\n'
    )
    (folder / "b" / "c.js").write_text("export const [zero, other] = [0, 1];\n")
    assert assets.joined_script("a.js").splitlines() == [
        '"use strict";',
        "const module_b_c = (() => {",
        "const [zero, other] = [0, 1];",
        "return { zero, other };",
        "})();",
        "const module_b_b = (() => {",
        "const { zero } = module_b_c;",
        "const same = zero;",
        "const one = same;",
        "function two() {}",
        "return { one, two };",
        "})();",
        "const module_a = (() => {",
        "const { one: first, two } = module_b_b;",
        "const same = first + two;",
        "return {  };",
        "})();",
    ]


@pytest.mark.parametrize(
    "text",
    [
        'import "./a.js";',
        'import x from "./a.js";',
        "export default 1;",
        'const a = "</SCRIPT>";',
        "let a = 1; // <!--",
    ],
)
def test_what_cannot_be_joined_is_refused(folder, text):
    (folder / "a.js").write_text(f"{text}\n")
    with pytest.raises(ValueError, match="module must be one that can be joined"):
        assets.joined_script("a.js")


def test_the_script_of_a_page_has_each_of_its_modules_once_and_whole():
    script = assets.joined_script("saved.js")
    names = {"saved.js", *re.findall(r'from "\./([^"]+)"', (assets.HERE / "saved.js").read_text())}
    for name in names:
        last = (assets.HERE / name).read_text().rstrip().splitlines()[-2]
        assert script.count(f"{last}\n") >= 1, name
    assert not re.search(r"^(import|export)\b", script, re.MULTILINE)
    assert "fetch(" not in script
