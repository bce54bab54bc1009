"""Every public name has a docstring whose first line says, in one sentence, what it does or is."""

import ast
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import NamedTuple

import pytest

REPOSITORY = Path(__file__).parent.parent
PACKAGES = ("mechdesign", "catalog/mechdesign_catalog", "figures/mechdesign_figures", "cli/mechdesign_cli")
"""Packages whose docstrings are held to the rule: add the path of another one here."""

LONGEST = 120
ENDS = (".", ":", "?")
NO_VERBS = """
    a about above after all also an and another any are as at be because before below beside between both but by can
    does each either every everything few for from has have how if in into is it its many may more most much must
    neither no none nor not nothing of on one only or other others over same several she some so such than that the
    their them then there these they this those to true two under until upon was we were what whatever when where
    whether which whichever while who whose why will with without you false
"""
"""Articles, pronouns, question words, prepositions and auxiliaries, with which no imperative begins."""

NO_IMPERATIVES = ("s", "ed", "ing", "ly", "tion", "ment", "ness", "ity", "ance", "ence")
"""Endings of plurals, of verbs in another form, of adverbs and of abstract nouns."""

IMPERATIVES = frozenset(
    {"address", "bring", "compress", "discuss", "embed", "feed", "multiply", "need", "pass", "position", "press"}
)
"""Verbs with one of these endings all the same."""

Node = ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef


class Documented(NamedTuple):
    """A public name: where it is, what it is, and its docstring."""

    place: str
    is_function: bool
    text: str | None


@cache
def parsed(folder: Path) -> tuple[tuple[Path, ast.Module], ...]:
    """Parse all modules below a folder, once for all tests."""
    return tuple((path, ast.parse(path.read_text(encoding="utf-8"))) for path in sorted(folder.rglob("*.py")))


@cache
def documented(package: Path, root: Path) -> tuple[Documented, ...]:
    """List each public module, class, function and method below a package."""
    return tuple(_documented(package, root))


def _documented(package: Path, root: Path) -> Iterator[Documented]:
    for path, module in parsed(package):
        inner = path.relative_to(package).with_suffix("").parts
        if any(part.startswith("_") and part != "__init__" for part in inner):
            continue
        name = str(path.relative_to(root))
        yield Documented(name, False, ast.get_docstring(module))
        yield from _members(module, name)


def _members(node: ast.Module | ast.ClassDef, place: str) -> Iterator[Documented]:
    for child in node.body:
        if not isinstance(child, ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef) or child.name.startswith("_"):
            continue
        if isinstance(child, ast.ClassDef):
            yield Documented(f"{place}:{child.name}", False, ast.get_docstring(child))
            yield from _members(child, f"{place}:{child.name}")
        elif not _adds_to_a_property(child):
            yield Documented(f"{place}:{child.name}", not _is_read_as_a_value(child), ast.get_docstring(child))


def _adds_to_a_property(function: ast.FunctionDef | ast.AsyncFunctionDef) -> bool:
    """Tell whether a function is a setter, whose property is documented, or one of several overloads."""
    return bool(_marks(function) & {"setter", "deleter", "overload"})


def _is_read_as_a_value(function: ast.FunctionDef | ast.AsyncFunctionDef) -> bool:
    """Tell whether a function is a property, which a noun may describe."""
    return bool(_marks(function) & {"property", "cached_property"})


def _marks(function: ast.FunctionDef | ast.AsyncFunctionDef) -> set[str]:
    marks = function.decorator_list
    return {mark.attr if isinstance(mark, ast.Attribute) else getattr(mark, "id", "") for mark in marks}


def faults(name: Documented) -> list[str]:
    """List what is wrong with the first line of a docstring."""
    if not name.text:
        return ["has no docstring"]
    first, *rest = name.text.splitlines()
    found = []
    if len(first) > LONGEST:
        found.append(f"first line has {len(first)} characters")
    if not first.endswith(ENDS):
        found.append("first line does not end a sentence")
    if rest and rest[0].strip():
        found.append("first line is not followed by an empty one")
    if name.is_function and not begins_with_a_verb(first):
        found.append("does not begin with a verb in the imperative")
    return found


def begins_with_a_verb(line: str) -> bool:
    """Tell whether a line may begin with a verb in the imperative: `Return`, and not `The`, `Returns` or `n`."""
    word = line.split()[0].rstrip(",:;.")
    if not (word.isalpha() and word.isascii() and word.istitle() and len(word) > 1):
        return False
    lower = word.lower()
    return lower not in NO_VERBS.split() and (lower in IMPERATIVES or not lower.endswith(NO_IMPERATIVES))


@pytest.mark.parametrize("package", PACKAGES)
def test_docstrings_begin_with_what_a_name_is_for(package):
    found = [
        f"{name.place} {fault}: {(name.text or '').partition(chr(10))[0]}"
        for name in documented(REPOSITORY / package, REPOSITORY)
        for fault in faults(name)
    ]
    assert not found, "\n" + "\n".join(found)


@pytest.mark.parametrize("package", PACKAGES)
def test_packages_are_where_the_tuple_says(package):
    assert sum(name.is_function for name in documented(REPOSITORY / package, REPOSITORY)) > 10


QUESTIONS = frozenset({"How", "What", "When", "Where", "Whether", "Which", "Who", "Why"})
"""Words that begin a clause, which is no noun phrase either."""

NOUNS_TOO = frozenset({"Cut", "Design", "Release", "Repair", "Report", "Test", "Work"})
"""Verbs that are nouns too; before an article they are verbs."""

ARTICLES = frozenset({"a", "all", "an", "any", "each", "every", "one", "the", "what"})


@cache
def imperatives() -> set[str]:
    """Collect the verbs that first lines of public functions and methods begin with."""
    names = (name for package in PACKAGES for name in documented(REPOSITORY / package, REPOSITORY))
    firsts = [(name.text or "-").splitlines()[0] for name in names if name.is_function]
    return {line.split()[0].rstrip(",:;.") for line in firsts if begins_with_a_verb(line)}


def is_a_noun_phrase(line: str, verbs: set[str]) -> bool:
    """Tell whether a line begins neither with one of the verbs nor with a clause."""
    first, second = (*(word.rstrip(",:;.") for word in line.split()[:2]), "")[:2]
    return first not in QUESTIONS and (first not in verbs or (first in NOUNS_TOO and second not in ARTICLES))


@pytest.mark.parametrize("folder", [*PACKAGES, "tests/helpers"])
def test_modules_and_classes_are_described_by_nouns(folder):
    verbs, wrong = imperatives(), []
    for path, module in parsed(REPOSITORY / folder):
        texts = [ast.get_docstring(node) for node in ast.walk(module) if isinstance(node, ast.Module | ast.ClassDef)]
        firsts = [text.splitlines()[0] for text in texts if text]
        wrong += [f"{path.relative_to(REPOSITORY)}: {line}" for line in firsts if not is_a_noun_phrase(line, verbs)]
    assert not wrong, "\n" + "\n".join(wrong)


@pytest.mark.parametrize(
    ("line", "is_noun"),
    [
        ("The bound: the least of all.", True),
        ("Design documents.", True),
        ("Design a mechanism.", False),
        ("Return the bound.", False),
        ("What a bound is.", False),
    ],
)
def test_a_description_is_judged_by_its_first_words(line, is_noun):
    assert is_a_noun_phrase(line, {"Design", "Return"}) == is_noun


GOOD = '"""Return the bound: the least of all.\n\nMore."""'


@pytest.mark.parametrize(
    ("line", "fault"),
    [
        (GOOD, None),
        ('"""Pass an answer on."""', None),
        ('"""Return a + b"""', "end a sentence"),
        ('"""Return the sum\nof two numbers."""', "end a sentence"),
        ('"""Return the sum.\nOf two numbers."""', "followed by"),
        (f'"""Return {"very " * 30}much."""', "characters"),
        ('"""The bound."""', "imperative"),
        ('"""Returns the bound."""', "imperative"),
        ('"""Whether it holds."""', "imperative"),
        ('"""`P[i,j]` of a mechanism."""', "imperative"),
        ('"""Seconds until the limit."""', "imperative"),
        ("pass", "no docstring"),
    ],
)
def test_a_fault_is_found(tmp_path, line, fault):
    body = "\n".join("    " + part if part else "" for part in line.split("\n"))
    package = tmp_path / "package"
    package.mkdir()
    (package / "module.py").write_text(f'"""Hold a function."""\n\n\ndef bound(a, b):\n{body}\n')
    found = [(name.place, one) for name in documented(package, tmp_path) for one in faults(name)]
    if fault is None:
        assert not found
    else:
        assert {place for place, _ in found} == {str(Path("package") / "module.py") + ":bound"}
        assert any(fault in one for _, one in found)


def test_what_counts_as_public(tmp_path):
    (tmp_path / "_hidden.py").write_text("def f(): pass\n")
    (tmp_path / "__init__.py").write_text('"""Hold nothing else."""')
    (tmp_path / "shown.py").write_text(
        '"""Hold a class."""\n'
        "class Shown:\n"
        '    """Hold a value."""\n'
        "    def __repr__(self): pass\n"
        "    def _inner(self): pass\n"
        "    @property\n"
        '    def value(self):\n        """The value."""\n'
        "    @value.setter\n"
        "    def value(self, new): pass\n"
        "    def method(self): pass\n"
        "class _Hidden: pass\n"
    )
    names = documented(tmp_path, tmp_path)
    places = ["__init__.py", *(f"shown.py{inner}" for inner in ("", ":Shown", ":Shown:value", ":Shown:method"))]
    assert [name.place for name in names] == places
    assert [faults(name) for name in names] == [[], [], [], [], ["has no docstring"]]


def test_errors_are_described_by_nouns():
    classes = [
        node
        for node in ast.parse((REPOSITORY / "mechdesign/errors.py").read_text()).body
        if isinstance(node, ast.ClassDef)
    ]
    lines = {node.name: ast.get_docstring(node) for node in classes if node.name.endswith("Error")}
    assert len(lines) > 5
    assert [name for name, text in lines.items() if not text.startswith("The error ")] == []
