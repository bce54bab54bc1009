"""The program beside the kernel with one of its statements changed."""

import contextlib
import importlib
import shutil
import sys
from pathlib import Path

import pytest
from tampering import tampered

from mechdesign.verify import __main__ as program

FOLDER = Path(program.__file__).parent


@contextlib.contextmanager
def mutant(name, statement, instead, folder, monkeypatch):
    """The program of a copy in which a file has another statement instead of one that stands there once."""
    package = f"mutant_{abs(hash((name, statement)))}"
    shutil.copytree(FOLDER, folder / package)  # with what is compiled
    source = folder / package / name
    for compiled in (source.parent / "__pycache__").glob(f"{source.stem}.*"):
        compiled.unlink()
    text = source.read_text()
    assert text.count(statement) == 1, statement
    source.write_text(text.replace(statement, instead))
    monkeypatch.syspath_prepend(folder)
    try:
        one = importlib.import_module(f"{package}.__main__")
        one.belief = str  # it reads all sources for each document, and is judged elsewhere
        yield one
    finally:
        for module in [module for module in sys.modules if module.partition(".")[0] == package]:
            del sys.modules[module]


def with_verdict(path):
    """A case: a document, with the verdict of the program as it is."""
    return [path], program.main([str(path)])


def cases_of(folder, changed):
    """The cases of designs with a change each, written into a folder."""
    paths = [tampered(one, folder, change).rename(folder / f"{k}.json") for k, (one, change) in enumerate(changed)]
    return list(map(with_verdict, paths))


def judged(one, *paths):
    """The verdict of such a program; a mutant may break down."""
    try:
        return one.main([*map(str, paths)])
    except (ArithmeticError, LookupError, ValueError, TypeError):
        return None


def is_noticed(one, cases):
    """Whether such a program judges a case otherwise, cases being paths and verdicts; the case is tried first later."""
    for place, (paths, verdict) in enumerate(cases):
        if judged(one, *paths) != verdict:
            cases.insert(0, cases.pop(place))
            return True
    return False


def each_noticed(mutants):
    """The test that the program judges one of the module's `documents` otherwise with each of the statements changed.

    Statements are given as the file, the statement, and another one instead.
    """

    @pytest.mark.slow
    @pytest.mark.parametrize(("name", "statement", "instead"), mutants)
    def noticed(name, statement, instead, documents, tmp_path, monkeypatch):
        with mutant(name, statement, instead, tmp_path, monkeypatch) as other:
            assert is_noticed(other, documents)

    return noticed


def documents_of(changed):
    """The fixture of designs with a change each, `changed()`, with the verdicts of the program as it is."""

    @pytest.fixture(scope="module")
    def documents(tmp_path_factory):
        return cases_of(tmp_path_factory.mktemp("changed"), changed())

    return documents
