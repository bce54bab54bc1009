"""The sentences that people read, against one file, `tests/wording.txt`.

It has a line each, by test and place.

A test says what kind of error it expects, and what the error is about; the sentence stands in the file.
`pytest --reword` writes the lines of the tests that it runs anew; read the diff aloud before you commit it.
"""

import platform
import re
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

import pytest

FOLDER = Path(__file__).parents[1]
FILE = FOLDER / "wording.txt"
HOST = platform.node()
_LINE = re.compile(r"    (.+?) #([0-9]+): (.*)")


class Place(NamedTuple):
    """The position of a checked sentence: file within tests, test, and number in the test."""

    file: str
    test: str
    number: int


def parse_wording(text: str) -> dict[Place, str]:
    """Return the sentences of a snapshot by their places."""
    found, file = {}, ""
    for line in filter(None, text.split("\n")):
        parts = _LINE.fullmatch(line)
        if parts:
            found[Place(file, parts[1], int(parts[2]))] = parts[3]
        else:
            file = line
    return found


def format_wording(sentences: dict[Place, str]) -> str:
    """Write a snapshot: files, tests and places in order, a line for each sentence."""
    lines, file = [], ""
    for place, sentence in sorted(sentences.items()):
        if place.file != file:
            lines += ["", file := place.file] if lines else [file := place.file]
        lines.append(f"    {place.test} #{place.number}: {sentence}")
    return "".join(f"{line}\n" for line in lines)


def normalize(line: str, *folders: str) -> str:
    """Replace what is of this run, machine or state of the code: folders, ports, memory, versions, digests, searches.

    >>> normalize("file must exist, got /scratch/pytest-of-me/pytest-7/test_a0/m.csv", "/scratch")
    'file must exist, got {folder}/m.csv'
    """
    for folder in folders:
        root = rf"{re.escape(folder)}/(?:pytest-of-[^/\s]+/pytest-[0-9]+/)?(?:popen-gw[0-9]+/)?"
        line = re.sub(rf"{root}[^/\s.,;:'\"()]*[0-9](?![^/\s.,;:'\"()])", "{folder}", line)
        line = re.sub(rf"{root}(?:[^\s,;'\"]*/|[^\s,;'\"]*(?=\.\.\.))", "{folder}/", line)
    line = re.sub(r"\{folder\}/[^\s,;'\"]*/", "{folder}/", line)
    line = re.sub(r"(127\.0\.0\.1|localhost):[0-9]+", r"\1:{port}", line)
    line = re.sub(r"\b(process|pid) [0-9]+\b", r"\1 {process}", line)
    line = re.sub(r"\([0-9.e+]+ .?B of it may be used\)", "({memory} of it may be used)", line)
    line = re.sub(r"\bgap [0-9.e-]+, asked", "gap {gap}, asked", line)
    line = re.sub(r"(variance is|has less than) [0-9]+\.[0-9]{4,}(?=[,;])", r"\1 {variance}", line)
    line = re.sub(r"\b[0-9]+ (of [0-9]+ designs are kept)", r"{some} \1", line)
    line = re.sub(r"\.py:[0-9]+, version [0-9.a-z+]+", ".py:{line}, version {version}", line)
    line = re.sub(r" [0-9][0-9.a-z]* as here\b", " {version} as here", line).replace(f" on {HOST}", " on {host}")
    line = re.sub(r"\b(?=[0-9]*[a-f])[0-9a-f]{13,}(?:\.\.\.[0-9a-f]+)?\b", "{digest}", line)
    return "".join(letter if letter.isprintable() else letter.encode("unicode_escape").decode() for letter in line)


class Snapshot:
    """The plugin that holds the file, knows which test runs, and writes what was seen under `--reword`."""

    def __init__(self, config: pytest.Config) -> None:
        self.config = config
        self.rewords = config.getoption("--reword", default=False)
        self.folders = [*filter(None, [config.getoption("basetemp")]), tempfile.gettempdir()]
        self.sentences = parse_wording(FILE.read_text(encoding="utf-8")) if FILE.exists() else {}
        self.seen: dict[Place, str] = {}
        self.ran: set[tuple[str, str]] = set()
        self.stale: set[Place] = set()
        self._test = ("", "")
        self._said: list[str] = []

    def check(self, text: str) -> None:
        """Compare each line of a text with those of the test that runs; what it said before has its line already."""
        __tracebackhide__ = True
        for line in text.rstrip("\n").split("\n"):
            said = normalize(line, *self.folders).rstrip()
            if said in self._said:
                continue
            self._said.append(said)
            place = Place(*self._test, len(self._said))
            self.seen[place] = said
            if not self.rewords and said != self.sentences.get(place):
                pytest.fail(
                    f"another sentence than in tests/wording.txt; where it is better, run pytest --reword\n"
                    f"- {self.sentences.get(place, '(no line yet)')}\n+ {said}"
                )

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_call(self, item: pytest.Item) -> Iterator[None]:
        file, _, test = item.nodeid.removeprefix(f"{FOLDER.name}/").partition("::")
        self._test, self._said = (file, test), []
        result = yield
        self.ran.add(self._test)
        if not self.rewords and Place(*self._test, len(self._said) + 1) in self.sentences:
            pytest.fail("tests/wording.txt has more sentences of this test than it says; run pytest --reword")
        return result

    @pytest.hookimpl(tryfirst=True)
    def pytest_collection_modifyitems(self, items: list[pytest.Item]) -> None:
        """Find lines without a test: of a file that is gone, or of a test that a whole file does not have."""
        parts = {argument.split("::")[0] for argument in self.config.args if "::" in argument}
        known = {item.nodeid.removeprefix(f"{FOLDER.name}/") for item in items}
        whole = {node.split("::")[0] for node in known} - {part.removeprefix(f"{FOLDER.name}/") for part in parts}
        self.stale = {
            place
            for place in self.sentences
            if not (FOLDER / place.file).exists()
            or (place.file in whole and f"{place.file}::{place.test}" not in known)
        }

    @pytest.hookimpl(optionalhook=True)
    def pytest_testnodedown(self, node: Any) -> None:
        """Take over what a worker saw, also where it was stopped before its end."""
        seen, ran, stale = getattr(node, "workeroutput", {}).get("wording", ([], [], []))
        self.seen.update({Place(*place): said for place, said in seen})
        self.ran.update(tuple(test) for test in ran)
        self.stale.update(Place(*place) for place in stale)

    @pytest.hookimpl(trylast=True)
    def pytest_sessionfinish(self) -> None:
        if not self.rewords:
            return
        if hasattr(self.config, "workeroutput"):
            self.config.workeroutput["wording"] = (
                [(tuple(place), said) for place, said in self.seen.items()],
                list(self.ran),
                [tuple(place) for place in self.stale],
            )
            return
        kept = {
            place: said
            for place, said in self.sentences.items()
            if place not in self.stale and (place.file, place.test) not in self.ran
        }
        new = {place: said for place, said in self.seen.items() if (place.file, place.test) in self.ran}
        FILE.write_text(format_wording(kept | new), encoding="utf-8")


_snapshot: list[Snapshot] = []


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--reword", action="store_true", help="write the sentences of these tests to tests/wording.txt")


def pytest_configure(config: pytest.Config) -> None:
    """Watch the tests of a session."""
    _snapshot[:] = [Snapshot(config)]
    config.pluginmanager.register(_snapshot[0], "wording")


def check_wording(text: str) -> None:
    """Compare what a person reads with the snapshot, line by line."""
    __tracebackhide__ = True
    _snapshot[0].check(text)


@contextmanager
def refused(kind: type[Exception], *, about: str | None = None) -> Iterator[pytest.ExceptionInfo[Any]]:
    """Expect an error of a kind, about an argument where it is named, with the sentence of the snapshot."""
    __tracebackhide__ = True
    with pytest.raises(kind) as caught:
        yield caught
    if about is not None:
        assert caught.value.about == about
    check_wording(str(caught.value))


@contextmanager
def warned(kind: type[Warning]) -> Iterator[pytest.WarningsRecorder]:
    """Expect warnings of a kind, with the sentences of the snapshot."""
    __tracebackhide__ = True
    with pytest.warns(kind) as caught:
        yield caught
    for one in caught:
        check_wording(str(one.message))
