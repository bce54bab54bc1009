"""What is known of a system is a method of its class: no table of classes, and no chain of questions, says it again."""

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

from mechdesign.problem.privacy import Privacy
from mechdesign_catalog.randomizers.oracle import LocalOracle
from mechdesign_catalog.systems.flat.grr import Grr

ROOT = Path(__file__).parents[2]
SOURCES = [
    path
    for folder in ("catalog", "cli", "figures", "tests/helpers", "tests/benchmarks", "docs/extensions")
    for path in sorted((ROOT / folder).rglob("*.py"))
]
REGISTRIES = {"systems/registry.py", "systems/mean.py", "systems/tables/registry.py", "systems/attributes/registry.py"}


def classes(base: type = LocalOracle) -> Iterator[type]:
    for kind in base.__subclasses__():
        yield kind
        yield from classes(kind)


NAMES = frozenset(kind.__name__ for kind in classes())


def named(node: ast.AST | None) -> set[str]:
    """The system classes that an expression names, as classes or as texts."""
    found = {one.id for one in ast.walk(node) if isinstance(one, ast.Name)} if node is not None else set()
    texts = {one.value for one in ast.walk(node) if isinstance(one, ast.Constant)} if node is not None else set()
    return (found | {text for text in texts if isinstance(text, str)}) & NAMES


def asked(call: ast.Call) -> set[str]:
    """The classes that a call of isinstance or issubclass asks for, or a register of singledispatch."""
    name = getattr(call.func, "id", "")
    return named(call.args[1]) if name in ("isinstance", "issubclass") and len(call.args) == 2 else set()


def tables(tree: ast.AST) -> Iterator[tuple[int, set[str]]]:
    """Yield where a tree has a table or a chain over system classes: line and classes."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Dict) and len(keys := set().union(*map(named, node.keys))) > 1:
            yield node.lineno, keys
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            chain = set().union(*(asked(call) for call in ast.walk(node) if isinstance(call, ast.Call)))
            chain |= set().union(*(named(case.pattern) for case in ast.walk(node) if isinstance(case, ast.match_case)))
            if len(chain) > 1:
                yield node.lineno, chain
            if any("register" in ast.unparse(one) for one in node.decorator_list):
                yield node.lineno, set().union(*(named(part.annotation) for part in node.args.args))
        if isinstance(node, ast.Subscript) and ast.unparse(node.slice).startswith("type("):
            yield node.lineno, {ast.unparse(node)}


PACKAGES = ("catalog", "cli", "figures", "tests", "docs")


@pytest.mark.parametrize("folder", PACKAGES)
def test_no_table_of_types_says_what_a_system_does(folder):
    found = [
        f"{path.relative_to(ROOT)}:{line} {', '.join(sorted(kinds))}"
        for path in SOURCES
        if path.is_relative_to(ROOT / folder) and not str(path).endswith(tuple(REGISTRIES))
        for line, kinds in tables(ast.parse(path.read_text(encoding="utf-8")))
        if kinds
    ]
    assert found == [], "make it a method of the classes, abstract in `randomizers/oracle.py`"


@pytest.mark.parametrize(
    "text",
    [
        "KINDS = {Grr: 1, Oue: 2}",
        "KINDS = {'Grr': 1, 'Oue': 2}",
        "def f(x):\n    if isinstance(x, Grr): return 1\n    if isinstance(x, Oue | Sue): return 2",
        "def f(x):\n    match x:\n        case Grr(): return 1\n        case Oue(): return 2",
        "@f.register\ndef g(x: Grr): ...",
        "A[type(oracle)]",
    ],
)
def test_tables_are_found(text):
    assert list(tables(ast.parse(text)))


FACTS = frozenset({"own_constants", "honest_rates", "report_law", "information", "worst_bias"})


@pytest.mark.parametrize("fact", sorted(FACTS | {"aggregate", "alpha", "contribution", "privatize", "report_schema"}))
def test_a_system_without_a_fact_cannot_be_made(fact):
    """A copy of GRR that leaves the fact out, as a class of its own would."""
    missing = {fact: getattr(LocalOracle, fact)} if fact in LocalOracle.__abstractmethods__ else {}
    less = type("Less", (Grr,), missing)
    with pytest.raises(TypeError, match=f"abstract.*{fact}"):
        less(4, Privacy(epsilon=1))
