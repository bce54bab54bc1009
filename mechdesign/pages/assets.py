"""Scripts and style sheets of pages: the files, and modules joined.

A page that must be one file has all its modules joined; the studio's page, those that it loads at once: a browser takes
milliseconds for each file.
"""

import posixpath
import re
from collections.abc import Callable, Iterable
from functools import cache
from pathlib import Path

HERE = Path(__file__).parent
FILES = HERE / "files"
"""What the studio's page has too: its `js` and `style`, by the same names."""

_FROM = re.compile(r'^(?:import \{[^}]*\}|export \*) from "([^"]+)";$', re.MULTILINE)
_IMPORT = re.compile(r'^import \{([^}]*)\} from "([^"]+)";$', re.MULTILINE)
_PASSED_ON = re.compile(r'^export \* from "([^"]+)";\n', re.MULTILINE)
_EXPORT = re.compile(r"^export (?=(?:async )?(?:function|const|class) (\w+)|const \[([^\]]*)\])", re.MULTILINE)
_REMARK = re.compile(r"^[ \t]*(?://.*|/\*(?s:(?!\*/).)*\*/)[ \t]*$", re.MULTILINE)
_LEFT = re.compile(r"^(?:import|export)\b.*|</script|<!--", re.MULTILINE | re.IGNORECASE)


@cache
def style(*names: str) -> str:
    """Join style sheets, by their names in the folder of pages."""
    return "".join((HERE / name).read_text(encoding="utf-8") for name in names)


def without_remarks(text: str) -> str:
    """Return a script or style sheet as a browser gets it: remarks that fill lines go, and every line keeps its number.

    >>> without_remarks("// One.\\nlet a = '//'; // two\\n")
    "\\nlet a = '//'; // two\\n"
    """
    return _REMARK.sub(lambda found: "\n" * found[0].count("\n"), text)


@cache
def joined_script(name: str) -> str:
    """Join a module and all that it imports to one classic script, each in a scope of its own.

    Raises:
        ValueError: for a module that cannot be joined.
    """

    def read(one: str) -> str:
        return without_remarks((HERE / one).read_text(encoding="utf-8"))

    names = reached(name, lambda one: imports(one, read(one)))
    return '"use strict";\n' + "".join(scoped(one, read(one)) for one in names)


def imports(name: str, text: str) -> list[str]:
    """List the names of the modules that a module imports."""
    return [_beside(name, source) for source in _FROM.findall(text)]


def reached(name: str, imported_by: Callable[[str], Iterable[str]]) -> list[str]:
    """List a module behind all that it imports, itself or by others."""
    found: dict[str, None] = {}

    def add(one: str) -> None:
        for imported in imported_by(one):
            if imported not in found:
                add(imported)
        found[one] = None

    add(name)
    return list(found)


def scoped(name: str, text: str) -> str:
    """Write a module as a constant, its `scope_name`, that has its exports; what it imports are others.

    Raises:
        ValueError: for an import or export of another form than `import { a, b as c } from "./d.js"` and
            `export * from "./d.js"`, or text that would end a script in a page.
    """

    def bound(found: "re.Match[str]") -> str:
        names = [one.strip().replace(" as ", ": ") for one in found[1].split(",") if one.strip()]
        return f"const {{ {', '.join(names)} }} = {scope_name(_beside(name, found[2]))};"

    passed = [f"...{scope_name(_beside(name, source))}" for source in _PASSED_ON.findall(text)]
    exported = [one for pair in _EXPORT.findall(text) for part in pair for one in part.split(", ") if one]
    code = _EXPORT.sub("", _IMPORT.sub(bound, _PASSED_ON.sub("", text)))
    if left := _LEFT.search(code):
        raise ValueError(f"module must be one that can be joined, got {left.group()!r} in {name}")
    return f"const {scope_name(name)} = (() => {{\n{code}return {{ {', '.join([*passed, *exported])} }};\n}})();\n"


def scope_name(name: str) -> str:
    """Return the constant that has a module's exports.

    >>> scope_name("js/parts/plot.js")
    'module_parts_plot'
    """
    return "module_" + re.sub(r"\W", "_", name.removeprefix("js/").removesuffix(".js"))


def _beside(name: str, source: str) -> str:
    """Return the name of what a module imports."""
    return posixpath.normpath(posixpath.join(posixpath.dirname(name), source))
