"""Every block of the README and of the pages runs, and prints what it says."""

from pathlib import Path

import pytest
from page_blocks import (
    COLUMNS,
    NOT_RUN,
    PARSERS,
    blocks_of,
    console_commands,
    difference,
    has_r,
    run_line,
    run_page,
    shell_commands,
)

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"
GENERATED = {DOCS / "reference" / "commands", DOCS / "reference" / "python", DOCS / "explanation" / "tables"}
"""Folders of pages that the build writes: their examples are those of `--help` and of docstrings, tested there."""

NOTEBOOK = "kernelspec:"
"""What stands on top of a notebook; its cells are run by the build."""

PAGES = [
    ROOT / "README.md",
    *(
        path
        for path in sorted(DOCS.rglob("*.md"))
        if "_build" not in path.parts and not GENERATED & set(path.parents) and NOTEBOOK not in path.read_text()[:500]
    ),
]
READ_BACK = {DOCS / "how-to" / "ranges.md", DOCS / "how-to" / "tables.md"}
"""Pages that `test_collected_files.py` runs, which reads the files that they write."""

WITH_BLOCKS = [
    path for path in PAGES if path not in READ_BACK and any(block.language in PARSERS for block in blocks_of(path))
]

INSTALLS = "it installs, and serves until it is ended"
IN_AN_EMPTY_ENVIRONMENT = "`.ci/run` runs it in an empty environment"
EXEMPTED = {
    "README.md": [IN_AN_EMPTY_ENVIRONMENT, IN_AN_EMPTY_ENVIRONMENT, "`.ci/run` builds the site in a step of its own"],
    "docs/CONTRIBUTING.md": [
        "these are the tests, the linters and the site themselves; `.ci/run` runs them",
        "it needs a compiled checker",
        "it takes the time of the tests, and of some tests for each mutant",
    ],
    "docs/explanation/benchmarks.md": ["they install other libraries and take minutes to hours"],
    "docs/how-to/count-in-parts.md": ["it needs a Spark session", "it needs Beam"],
    "docs/how-to/cluster.md": ["it starts servers on several machines"],
    "docs/how-to/extend.md": ["it needs the recipe; `tests/docs/test_recipes.py` runs it"] * 6,
    "docs/how-to/install.md": ["it makes an environment; `.ci/run` does the same from nothing"],
    "docs/how-to/local-design.md": ["it takes minutes"],
    "docs/how-to/paste-clients.md": ["it serves until it is ended; the block below asks the same app"],
    "docs/how-to/studio.md": [INSTALLS, "it serves until it is ended"],
}
"""Every block that is not run here, by page: the reasons that stand above them."""


def name_of(path: Path) -> str:
    return str(path.relative_to(ROOT))


@pytest.mark.slow
@pytest.mark.parametrize("path", WITH_BLOCKS, ids=name_of)
def test_blocks_of_a_page_print_what_they_say(path, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", str(COLUMNS))
    if any(block.language == "r" for block in blocks_of(path)) and not has_r():
        pytest.skip("no Rscript with jsonlite is installed")
    assert run_page(path)


@pytest.mark.parametrize("path", PAGES, ids=name_of)
def test_every_block_says_what_it_is(path):
    unknown = [block for block in blocks_of(path) if block.language not in {*PARSERS, *NOT_RUN}]
    assert not unknown


def test_blocks_that_are_not_run_are_listed():
    found = {
        name_of(path): reasons
        for path in PAGES
        if (reasons := [block.reason for block in blocks_of(path) if block.mark == "not run"])
    }
    assert found == EXEMPTED


def test_a_block_that_prints_something_else_is_found(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for block in (
        "```python\nprint(1)  # -> 2\n```",
        "```python\nprint(1)\n```",
        "```python\nx = 1  # -> 1\n```",
        "```console\n$ mechdesign --version\nmechdesign 0.0\n```",
        "```console\n$ mechdesign solve --n 8\n```",
        "```console\n$ false\n```",
        "```shell\nmechdesign --version\nmechdesign nothing\n```",
        *(("```r\ncat(1)  # -> 2\n```", "```r\nstop(1)\n```") if has_r() else ()),
    ):
        page = tmp_path / "page.md"
        page.write_text(f"# Page\n\n{block}\n")
        with pytest.raises(AssertionError, match="did not evaluate as expected"):
            run_page(page)


def test_blocks_of_a_page_share_folder_and_names(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    page = tmp_path / "page.md"
    page.write_text(
        "<!--- invisible-code-block: python\nimport pathlib\nx = 1\n-->\n\n"
        '```python\npathlib.Path("x.txt").write_text("one")\nprint(x)  # -> 1\n'
        "```\n\n```console\n$ cat x.txt; echo; echo and \\\n>     more\none\nand ...re\n```\n\n"
        "<!-- not run: it fails -->\n```shell\nfalse\n```\n\n"
        "<!-- needs: no-such-file -->\n```shell\nfalse\n```\n"
    )
    assert run_page(page) == 5
    assert [(block.language, block.mark) for block in blocks_of(page)] == [
        ("python", None),
        ("console", None),
        ("shell", "not run"),
        ("shell", "needs"),
    ]


@pytest.mark.parametrize(
    ("promised", "printed", "same"),
    [
        ("a\nb", "a\nb\n", True),
        ("a\nb", "a  \nb", True),
        ("a", "a\nb", False),
        ("a\n...\nd", "a\nb\nc\nd", True),
        ("a\n...\nd", "a\nd", True),
        ("a\n...\nd", "a\nb\nc", False),
        ("solve ... s", "solve 0.1 s", True),
        ("solve ... s", "solve\n s", False),
        ("...", "", True),
        ("a+", "aa", False),
    ],
    ids=[
        "same",
        "spaces at the end",
        "more",
        "lines left out",
        "none left out",
        "other end",
        "part left out",
        "not over lines",
        "anything",
        "letters are letters",
    ],
)
def test_what_is_promised_is_what_is_printed(promised, printed, same):
    assert (difference(promised.split("\n"), printed) is None) == same


def test_commands_are_read_with_what_continues_them():
    assert list(console_commands("$ a \\\n    b\nx\ny\n$ c\n")) == [("a b", ["x", "y"]), ("c", [])]
    assert shell_commands("# first\na \\\n    b\n\nc\n") == ["a b", "c"]


def test_one_command_prints_the_same_in_process_and_in_a_shell():
    assert run_line("mechdesign --version") == run_line("mechdesign --version | cat")
