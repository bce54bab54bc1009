"""The program beside the kernel with one of its statements changed."""

import contextlib
import importlib
import shutil
import sys
from pathlib import Path

from mechdesign.verify import __main__ as program

FOLDER = Path(program.__file__).parent


@contextlib.contextmanager
def mutant(name, statement, instead, folder, monkeypatch):
    """The program of a copy in which a file has another statement instead of one that stands there once."""
    package = f"mutant_{abs(hash((name, statement)))}"
    shutil.copytree(FOLDER, folder / package, ignore=shutil.ignore_patterns("__pycache__"))
    text = (folder / package / name).read_text()
    assert text.count(statement) == 1, statement
    (folder / package / name).write_text(text.replace(statement, instead))
    monkeypatch.syspath_prepend(folder)
    try:
        yield importlib.import_module(f"{package}.__main__")
    finally:
        for module in [module for module in sys.modules if module.partition(".")[0] == package]:
            del sys.modules[module]


def judged(one, path):
    """The verdict of such a program; a mutant may break down."""
    try:
        return one.main([str(path)])
    except (ArithmeticError, LookupError, ValueError, TypeError):
        return None
