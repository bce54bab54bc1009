"""Break one token of the source at a time, and list what no test noticed.

    python tests/fuzzing/catalog_mutants.py map MAP tests/catalog
    python tests/fuzzing/catalog_mutants.py run MAP SURVIVORS --mutants 200 --seed 29 catalog/mechdesign_catalog

`map` runs tests once in a copy of the tree whose functions note that they were called, and writes a line of JSON for
each test: its name, its seconds, the functions that it called. `run` draws places of the stated folders or files,
breaks each in a copy, and runs the quickest tests that called the function around it, `--seconds` of them at most.
Places follow from the seed and the source alone. What survived is tried with more tests by `--only SURVIVORS --seconds
60 --alike 99`. It works on any source of the tree, the engine's as well.

A mutant is another comparison, operator, constant, truth value or order of two arguments, or a call of `abs`, `min`,
`max` or `sum` that is gone or turned round. Messages of errors, annotations and docstrings are left as they are.
"""

import argparse
import ast
import importlib
import json
import os
import random
import resource
import shutil
import signal
import sys
import tempfile
import traceback
from collections import Counter
from collections.abc import Generator, Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
SOURCES = ("mechdesign", "catalog", "cli", "figures")
START_SECONDS = 20
TEST_SECONDS = 0.1
"""What a test needs beside its own time, as its file may have to be loaded."""

MOST_BYTES = 8 << 30
LOADED = ("numpy", "pyarrow.parquet", "scipy.stats")
"""What no mutant changes, and no fork has to load again."""

SEEN: set[str] = set()
"""Functions that were called since the last test began; the functions of the copy add themselves."""

OTHER_OPERATOR = {
    ast.Lt: (ast.LtE, ast.GtE),
    ast.LtE: (ast.Lt, ast.Gt),
    ast.Gt: (ast.GtE, ast.LtE),
    ast.GtE: (ast.Gt, ast.Lt),
    ast.Eq: (ast.NotEq,),
    ast.NotEq: (ast.Eq,),
    ast.In: (ast.NotIn,),
    ast.NotIn: (ast.In,),
    ast.Is: (ast.IsNot,),
    ast.IsNot: (ast.Is,),
    ast.And: (ast.Or,),
    ast.Or: (ast.And,),
    ast.Add: (ast.Sub,),
    ast.Sub: (ast.Add,),
    ast.Mult: (ast.Div, ast.Add),
    ast.Div: (ast.Mult,),
    ast.FloorDiv: (ast.Mult, ast.Div),
    ast.Mod: (ast.FloorDiv,),
    ast.Pow: (ast.Mult,),
    ast.LShift: (ast.RShift,),
    ast.RShift: (ast.LShift,),
    ast.BitAnd: (ast.BitOr,),
    ast.BitOr: (ast.BitAnd,),
    ast.BitXor: (ast.BitAnd,),
}
OTHER_CALL = {"min": "max", "max": "min", "minimum": "maximum", "maximum": "minimum", "any": "all", "all": "any"}
DROPPED = ("abs", "sum", "sorted", "round", "sqrt")
FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)


@dataclass(frozen=True)
class Mutant:
    """Hold a changed source: the place as `file:line`, the function around it, what stood there and what stands now."""

    place: str
    function: str
    before: str
    after: str
    source: str


def others(node: ast.AST) -> list[ast.AST]:
    """Return what may stand in the place of an expression."""
    if isinstance(node, ast.Compare):
        pairs = [(at, new) for at, operator in enumerate(node.ops) for new in _instead(operator)]
        return [_with(node, ops=[*node.ops[:at], new(), *node.ops[at + 1 :]]) for at, new in pairs]
    if isinstance(node, ast.BinOp | ast.BoolOp):
        return [_with(node, op=new()) for new in _instead(node.op)]
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not | ast.USub):
        return [node.operand]
    if isinstance(node, ast.IfExp):
        return [_with(node, body=node.orelse, orelse=node.body)]
    if isinstance(node, ast.Constant) and isinstance(node.value, bool):
        return [ast.Constant(not node.value)]
    if isinstance(node, ast.Constant) and isinstance(node.value, int | float):
        return [ast.Constant(node.value + 1), ast.Constant(node.value - 1)]
    return _other_calls(node) if isinstance(node, ast.Call) else []


def _other_calls(node: ast.Call) -> list[ast.AST]:
    made: list[ast.AST] = []
    field = "attr" if isinstance(node.func, ast.Attribute) else "id"
    name = getattr(node.func, field, "")
    if name in OTHER_CALL:
        made.append(_with(node, func=_with(node.func, **{field: OTHER_CALL[name]})))
    if name in DROPPED and len(node.args) == 1 and not isinstance(node.args[0], ast.GeneratorExp):
        made.append(node.args[0])
    if len(node.args) > 1 and not any(isinstance(one, ast.Starred) for one in node.args[:2]):
        made.append(_with(node, args=[node.args[1], node.args[0], *node.args[2:]]))
    return made


def _instead(operator: ast.AST) -> tuple[type, ...]:
    return OTHER_OPERATOR.get(type(operator), ())


def _with(node: ast.AST, **changed: object) -> ast.AST:
    return ast.copy_location(type(node)(**{**dict(ast.iter_fields(node)), **changed}), node)


def places(node: ast.AST, function: int = 0) -> Iterator[tuple[ast.AST, str, int | None, ast.AST, int]]:
    """Yield (holder, field, index in it, expression, line of the function around it) of all that can be changed."""
    for field, value in ast.iter_fields(node):
        if field in ("annotation", "returns", "decorator_list"):
            continue
        for at, child in enumerate(value) if isinstance(value, list) else [(None, value)]:
            if not isinstance(child, ast.AST) or isinstance(child, ast.Raise | ast.JoinedStr | ast.Assert):
                continue
            if isinstance(child, ast.expr) and others(child):
                yield node, field, at, child, function
            yield from places(child, child.lineno if isinstance(child, FUNCTIONS) else function)


def mutants(paths: list[Path], how_many: int, seed: int) -> Iterator[Mutant]:
    """Draw different places of these files, and yield a mutant of each."""
    generator = random.Random(seed)
    trees = {path: ast.parse(path.read_text(encoding="utf-8")) for path in sorted(paths)}
    every = [(path, *place) for path, tree in trees.items() for place in places(tree)]
    for path, holder, field, at, child, function in generator.sample(every, min(how_many, len(every))):
        name = path.relative_to(ROOT).as_posix()
        other = generator.choice(others(child))
        _put(holder, field, at, other)
        source = ast.unparse(ast.fix_missing_locations(trees[path]))
        _put(holder, field, at, child)
        yield Mutant(f"{name}:{child.lineno}", f"{name}:{function}", ast.unparse(child), ast.unparse(other), source)


def _put(holder: ast.AST, field: str, at: int | None, child: ast.AST) -> None:
    if at is None:
        setattr(holder, field, child)
    else:
        getattr(holder, field)[at] = child


def noting(source: str, name: str) -> str:
    """Let each function of a source note that it was called."""
    tree = ast.parse(source)
    for node in ast.walk(tree):
        if isinstance(node, FUNCTIONS):
            node.body.insert(_after_docstring(node), ast.parse(f"_SEEN.add({f'{name}:{node.lineno}'!r})").body[0])
    tree.body.insert(_after_docstring(tree), ast.parse("from catalog_mutants import SEEN as _SEEN").body[0])
    return ast.unparse(tree)


def _after_docstring(node: ast.Module | ast.FunctionDef | ast.AsyncFunctionDef) -> int:
    return int(ast.get_docstring(node, clean=False) is not None)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol(item: pytest.Item) -> Generator[None, object, object]:
    """Write what a test called, where the environment names a file for it."""
    started = os.times()
    SEEN.clear()
    result = yield
    ended = os.times()
    if "MUTANTS_MAP" in os.environ:
        seconds = sum(ended[:4]) - sum(started[:4])
        line = {"test": item.nodeid, "seconds": round(seconds, 3), "functions": sorted(SEEN)}
        with open(os.environ["MUTANTS_MAP"], "a", encoding="utf-8") as file:
            file.write(json.dumps(line) + "\n")
    return result


def copied(folder: str) -> Path:
    """Copy the tree."""
    ignored = shutil.ignore_patterns(".git", "__pycache__", ".hypothesis", ".*_cache")
    return Path(shutil.copytree(ROOT, Path(folder) / "tree", ignore=ignored))


def tested(tree: Path, arguments: list[str], seconds: float) -> tuple[int, str]:
    """Run pytest in a copy, in a fork of this process, within a limit of processor time and memory."""
    said = tree.parent / "said.txt"
    child = os.fork()
    if child == 0:
        code = 1
        try:
            with open(said, "wb") as file:
                os.dup2(file.fileno(), 1)
                os.dup2(file.fileno(), 2)
            resource.setrlimit(resource.RLIMIT_CPU, (int(seconds), int(seconds)))
            resource.setrlimit(resource.RLIMIT_AS, (MOST_BYTES, MOST_BYTES))
            os.chdir(tree)
            paths = [str(tree / part) for part in (".", *SOURCES[1:], "tests/fuzzing")]
            os.environ["PYTHONPATH"] = os.pathsep.join(paths)
            sys.path[:0] = paths
            signal.alarm(int(3 * seconds))
            code = int(pytest.main(["-q", "-p", "no:cacheprovider", "--hypothesis-seed=0", *arguments]))
            sys.stdout.flush()
        except BaseException:
            traceback.print_exc()
        finally:
            os._exit(code)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), said.read_text(encoding="utf-8", errors="replace")


def make_map(target: Path, tests: list[str]) -> int:
    """Write which functions each test calls."""
    target.unlink(missing_ok=True)
    with tempfile.TemporaryDirectory() as folder:
        tree = copied(folder)
        for path in (path for part in SOURCES for path in (tree / part).rglob("*.py")):
            path.write_text(
                noting(path.read_text(encoding="utf-8"), path.relative_to(tree).as_posix()), encoding="utf-8"
            )
        os.environ["MUTANTS_MAP"] = str(target.absolute())
        code, said = tested(tree, ["-p", "catalog_mutants", *tests], 1e6)
    print(said[-2000:])
    return code


def near(called: dict[str, list[tuple[float, str]]], function: str, seconds: float, alike: int) -> list[str]:
    """Return the quickest tests that call a function, or, outside functions, any of its file.

    At most `alike` of them are one test at several parameters.
    """
    file = function.rpartition(":")[0] + ":"
    found = called.get(function, [])
    if function.endswith(":0"):
        found = sorted({one for name, tests in called.items() if name.startswith(file) for one in tests})
    chosen, taken, times = [], 0.0, Counter[str]()
    for needed, test in found:
        times[test.partition("[")[0]] += 1
        if times[test.partition("[")[0]] > alike:
            continue
        taken += needed + TEST_SECONDS
        if chosen and taken > seconds:
            break
        chosen.append(test)
    return chosen


def verdict(tree: Path, mutant: Mutant, tests: list[str], seconds: float, number: int) -> str:
    """Break the source in a copy, run these tests, mend it, and say what came of it."""
    name, listed = mutant.place.rpartition(":")[0], tree.parent / "tests.txt"
    (tree / name).write_text(mutant.source, encoding="utf-8")
    os.utime(tree / name, (number, number))  # or a compiled file of the same second would be taken
    listed.write_text("\n".join(tests), encoding="utf-8")
    code, printed = tested(tree, ["-x", f"@{listed}"], START_SECONDS + 3 * seconds)
    shutil.copy2(ROOT / name, tree / name)
    failed = [line for line in printed.splitlines() if line.startswith(("FAILED", "ERROR"))]
    if code > 0 and not failed:
        raise SystemExit(f"pytest itself must work, got {printed[-2000:]}")
    if code:
        return f"killed: {failed[0][:160] if failed else f'ended by signal {-code}, as the limit of time does'}"
    return f"survived {len(tests)} tests"


def run(options: argparse.Namespace) -> int:
    """Try the mutants; write those that no test noticed."""
    called: dict[str, list[tuple[float, str]]] = {}
    for line in options.map.read_text(encoding="utf-8").splitlines():
        one = json.loads(line)
        for function in one["functions"]:
            called.setdefault(function, []).append((one["seconds"], one["test"]))
    for tests in called.values():
        tests.sort()
    paths = [path for part in options.sources for path in ([part] if part.is_file() else part.rglob("*.py"))]
    only = options.only.read_text(encoding="utf-8") if options.only else ""
    killed = tried = 0
    with tempfile.TemporaryDirectory() as folder, open(options.survivors, "w", encoding="utf-8") as survivors:
        tree, first = copied(folder), next(iter(called))
        code, printed = tested(tree, ["-x", *near(called, first, options.seconds, options.alike)], 1e4)
        if code:
            raise SystemExit(f"tests must pass before anything is broken, got {printed[-2000:]}")
        for mutant in mutants([path.absolute() for path in paths], options.mutants, options.seed):
            if only and f"{mutant.place}: {mutant.before!r} -> {mutant.after!r}" not in only:
                continue
            tests = near(called, mutant.function, options.seconds, options.alike)
            tried += 1
            said = verdict(tree, mutant, tests, options.seconds, tried) if tests else "no test calls it"
            killed += said.startswith("killed")
            text = f"{mutant.place}: {mutant.before!r} -> {mutant.after!r}: {said}"
            print(text, flush=True)
            if not said.startswith("killed"):
                survivors.write(text + "\n")
                survivors.flush()
    print(f"{killed} of {tried} mutants were noticed")
    return 0


def main() -> int:
    """Read the command line."""
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    for name in LOADED:
        importlib.import_module(name)
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    kinds = parser.add_subparsers(dest="kind", required=True)
    mapping, running = kinds.add_parser("map"), kinds.add_parser("run")
    for one in (mapping, running):
        one.add_argument("map", type=Path)
    mapping.add_argument("tests", nargs="+")
    running.add_argument("survivors", type=Path)
    running.add_argument("sources", nargs="+", type=Path)
    running.add_argument("--mutants", type=int, default=200)
    running.add_argument("--seed", type=int, default=29)
    running.add_argument("--seconds", type=float, default=8)
    running.add_argument("--alike", type=int, default=3)
    running.add_argument("--only", type=Path, help="a file of survivors: no other mutants are tried")
    options = parser.parse_args()
    return make_map(options.map, options.tests) if options.kind == "map" else run(options)


if __name__ == "__main__":
    sys.exit(main())
