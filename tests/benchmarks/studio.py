"""How soon the studio's page answers: from the command to the first design drawn, and drags of alpha in a browser.

Run `PYTHONPATH=tests/helpers/browsing python tests/benchmarks/studio.py`; `--sets 3` takes three of the property sets.
A drag is over when its design is drawn: 50 drags for each n, property set and prior, one after another. Then come 200
presses of *Publish*, the memory of the page's scripts over 500 drags, and the bytes of the page.
"""

import argparse
import statistics
import tempfile
import time
from itertools import combinations
from pathlib import Path
from typing import Any

from browsers import start_browser
from measuring import load, row
from panels import open_panel
from running_studio import running_studio

from mechdesign.problem.properties import PROPERTIES, closure
from mechdesign_cli.studio.facts import FACTS
from mechdesign_studio.page_files import PageFiles

DRAGS = 50
LARGEST = {8: 60, 16: 120, 32: 250}
"""Milliseconds that the 95th percentile may take, by n."""

PAGE_BYTES = 450_000
"""Bytes of all files of the page, uncompressed."""

MANY_DRAGS = 500
GROWTH = 2.0
"""Megabytes by which the scripts may have more in memory after so many drags."""

FIRST_DESIGN, FIRST_FRAME = 2.0, 0.97
"""Seconds from the command to the first design drawn, and to the first frame of Start."""

DRAWN = "() => document.querySelector('.design-results')?.dataset.asked === location.hash"
FRAME = "() => document.querySelector('#panel-start .scene') && performance.getEntriesByType('paint').length > 1"
DRAG = """async alphas => {
  const slider = document.querySelector("#panel-design .strip-privacy input[type=range]");
  const shown = document.querySelector(".design-results");
  const times = [];
  for (const alpha of alphas) {
    const began = performance.now();
    const drawn = new Promise((done) => {
      const look = new MutationObserver(() => {
        if (`${shown.dataset.asked}&`.includes(`alpha=${alpha}&`)) { look.disconnect(); requestAnimationFrame(done); }
      });
      look.observe(shown, { attributes: true, attributeFilter: ["data-asked"] });
    });
    slider.value = alpha;
    slider.dispatchEvent(new Event("input", { bubbles: true }));
    await drawn;
    times.push(performance.now() - began);
  }
  slider.dispatchEvent(new Event("change", { bubbles: true }));
  return times;
}"""
PRESS = """async () => {
  const told = document.querySelector("#panel-start .verdict");
  const all = new Promise((done) => new MutationObserver(() => {
    if (told.textContent.includes("Of 200 numbers")) requestAnimationFrame(done);
  }).observe(told, { childList: true, subtree: true, characterData: true }));
  const began = performance.now();
  [...document.querySelectorAll("#panel-start button")].find((one) => one.textContent === "Publish 200 times").click();
  await all;
  return performance.now() - began;
}"""


def property_sets() -> list[str]:
    """The closed sets of properties of the lattice, as the page writes them."""
    names = [one.name for one in PROPERTIES.values() if one.in_lattice and one.name != "S"]
    every = (frozenset(some) for size in range(len(names) + 1) for some in combinations(names, size))
    closed = {closure(some) for some in every}
    return sorted(
        (",".join(name for name in names if name in some) or "none" for some in closed), key=lambda x: (len(x), x)
    )


def priors(n: int) -> list[str]:
    """The uniform prior, and one as it is drawn: whole weights, not symmetric."""
    return ["uniform", "weights:" + ",".join(str(1 + (7 * at * at + 3 * at) % 23) for at in range(n + 1))]


def drags(page: Any, n: int, props: str, prior: str) -> list[float]:
    """Milliseconds of each drag."""
    open_panel(page, "design", n=n, alpha="0.4", props=props, loss="L0", prior=prior)
    page.wait_for_function(DRAWN)
    return list(page.evaluate(DRAG, [f"{(45 + at) / 100:g}" for at in range(DRAGS)]))


def page_bytes() -> int:
    """Bytes of all files of the page."""
    return sum(len(content) for _, content in PageFiles(FACTS))


def percentile(times: list[float]) -> float:
    """The 95th percentile."""
    return statistics.quantiles(times, n=20)[-1]


def presses(page: Any) -> float:
    """Seconds until 200 published numbers are drawn."""
    panel = open_panel(page, "start")
    panel.get_by_role("button", name="Publish 200 times").and_(page.locator(":enabled")).wait_for()
    return float(page.evaluate(PRESS)) / 1000


def megabytes(page: Any) -> float:
    """What the scripts of a page hold in memory, after what is no longer needed was given back."""
    client = page.context.new_cdp_session(page)
    client.send("HeapProfiler.collectGarbage")
    return float(client.send("Runtime.getHeapUsage")["usedSize"]) / 1e6


def growth(page: Any) -> float:
    """Megabytes that 500 drags leave behind, beside those of 50 before."""
    alphas = [f"{(45 + at) / 100:g}" for at in range(DRAGS)]
    drags(page, 8, "WH,CM", "uniform")
    before = megabytes(page)
    for _ in range(MANY_DRAGS // DRAGS):
        page.evaluate(DRAG, [*alphas[1:], alphas[0]])
    return megabytes(page) - before


def first(browser: Any, folder: Path, panel: str, is_there: str) -> float:
    """Seconds from the command until a panel has what a function of the page looks for; the browser runs already."""
    context = browser.new_context(viewport={"width": 1280, "height": 900})
    page = context.new_page()
    began = time.perf_counter()
    with running_studio(folder) as studio:
        page.goto(f"{studio.address}#panel={panel}")
        page.wait_for_function(is_there)
        taken = time.perf_counter() - began
        context.close()
    return taken


def main() -> None:
    from playwright.sync_api import sync_playwright

    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sets", type=int, default=None, help="how many property sets, all by default")
    sets = property_sets()[: parser.parse_args().sets]
    print(load())
    with tempfile.TemporaryDirectory() as name, sync_playwright() as playwright:
        folder = Path(name)
        browser = start_browser(playwright)
        frames = [first(browser, folder, "start", FRAME) for _ in range(3)]
        row("command to first frame, median of 3", f"{statistics.median(frames):.2f} s", f"{FIRST_FRAME:g} s")
        starts = [first(browser, folder, "design", DRAWN) for _ in range(3)]
        row(
            "command to first design drawn, median of 3",
            f"{statistics.median(starts):.2f} s",
            f"under {FIRST_DESIGN:g} s",
        )
        with running_studio(folder) as studio:
            page = browser.new_page(viewport={"width": 1280, "height": 900})
            page.goto(studio.address)
            for n, most in LARGEST.items():
                found = {(props, prior): drags(page, n, props, prior) for prior in priors(n) for props in sets}
                every = [one for times in found.values() for one in times]
                worst = max(found, key=lambda key: percentile(found[key]))
                row(
                    f"n = {n}: {len(found)} designs, {len(every)} drags, median",
                    f"{statistics.median(every):.0f} ms",
                    "",
                )
                row(f"n = {n}: 95th percentile of all drags", f"{percentile(every):.0f} ms", f"under {most} ms")
                row(
                    f"n = {n}: slowest set, {worst[0]}, prior {worst[1][:7]}, 95th percentile",
                    f"{percentile(found[worst]):.0f} ms",
                    f"under {most} ms",
                )
            row("200 presses of Publish", f"{presses(page):.2f} s", "1 s")
            row(f"memory after {MANY_DRAGS} drags", f"{growth(page):+.2f} MB", f"under {GROWTH:g} MB more")
        row("bytes of the page", f"{page_bytes():,}", f"under {PAGE_BYTES:,}")
        browser.close()
    print(load())


if __name__ == "__main__":
    main()
