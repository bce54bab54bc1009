"""The page of one design: heat map, column and seal, read by pointer and keys in one file without a server.

The script is made of the studio's own modules. The policy of the page names it by its digest, and lets nothing else
run or load.
"""

from html import escape

from mechdesign.designs import Design
from mechdesign.pages.assets import joined_script, style
from mechdesign.pages.html import PROVE_AGAIN, Looks, paragraphs, section, table, whole_page
from mechdesign.pages.words import certificate_sentences, key_facts, problem_sentences

SHEETS = (*(f"files/style/{name}.css" for name in ("tokens", "base", "layout", "controls", "design")), "saved.css")
SCRIPT = "saved.js"
TITLE = "A proved mechanism"

NO_SCRIPT = (
    "<noscript><p>This browser runs no script, so the heat map is not drawn. The document at the end of this file has "
    "every number.</p></noscript>"
)


def design_page(design: Design, document: str) -> str:
    """Write the page of a design; `document` is its JSON, which `verify` has proved."""
    data = document.replace("<", "\\u003c")  # no text of it can end the element that holds it
    sections = (
        _seal(design),
        f'<div id="picture">{NO_SCRIPT}</div>',
        table("Key facts", key_facts(design)),
        section("What was asked", paragraphs(problem_sentences(design.problem))),
        f'<script type="application/json" id="document">{data}</script>',
    )
    return whole_page(TITLE, design.problem.describe(), sections, Looks(style(*SHEETS), joined_script(SCRIPT)))


def _seal(design: Design) -> str:
    """Write what is proved in a sentence, with the proof folded into it."""
    proof = paragraphs(certificate_sentences(design)) + PROVE_AGAIN + '<div id="proof"></div>'
    return f'<details class="seal">\n<summary>{escape(design.seal)}</summary>\n{proof}\n</details>'
