"""Scripts and style sheets of pages: the files, and modules joined to one script.

The studio serves the modules as they are. A page that must be one file has them joined.
"""

import re
from functools import cache
from pathlib import Path

HERE = Path(__file__).parent
FILES = HERE / "files"
"""What the studio's page has too: its `js` and `style`, by the same names."""

_IMPORT = re.compile(r'^import \{([^}]*)\} from "([^"]+)";\n', re.MULTILINE)
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
        ValueError: for an import or export of another form than `import { a, b as c } from "./d.js"`, or text that
            would end a script in a page.
    """
    modules: dict[Path, str] = {}
    _add(HERE / name, modules)
    return '"use strict";\n' + "".join(modules.values())


def _add(path: Path, modules: dict[Path, str]) -> None:
    """Add a module behind those that it imports; modules are told by the order in which they came."""
    text = without_remarks(path.read_text(encoding="utf-8"))
    names = []
    for listed, source in _IMPORT.findall(text):
        imported = (path.parent / source).resolve()
        if imported not in modules:
            _add(imported, modules)
        bound = ", ".join(one.strip().replace(" as ", ": ") for one in listed.split(",") if one.strip())
        names.append(f"const {{ {bound} }} = module{list(modules).index(imported)};\n")
    exported = [one for pair in _EXPORT.findall(text) for part in pair for one in part.split(", ") if one]
    code = _EXPORT.sub("", _IMPORT.sub("", text))
    if left := _LEFT.search(code):
        raise ValueError(f"module must be one that can be joined, got {left.group()!r} in {path.name}")
    modules[path] = (
        f"const module{len(modules)} = (() => {{\n{''.join(names)}{code}return {{ {', '.join(exported)} }};\n}})();\n"
    )
