"""Clocks shared by the benchmark scripts: medians, and solves that run in a process of their own under a cap."""

import multiprocessing
import os
import statistics
import time
from collections.abc import Callable
from dataclasses import dataclass
from multiprocessing.connection import Connection
from typing import Any

Work = Callable[[Any], Any]
"""A question to its answer; a function of a module, so that another process can find it."""

OracleLaw = Callable[[Any, Any], Any]
"""Question and answer to what is to be said of it."""

RUNS = 15
ENOUGH_SECONDS = 2.0
"""A solve is repeated up to RUNS times, and no further once this much time has been spent on it."""

WARM_UP_SECONDS = 60.0
JUDGING_SECONDS = 300.0


def seconds(work: Callable[[], object], runs: int = 5) -> float:
    """Median wall-clock time after one warm-up."""
    work()
    times = []
    for _ in range(runs):
        started = time.perf_counter()
        work()
        times.append(time.perf_counter() - started)
    return statistics.median(times)


def cpu_seconds(work: Callable[[], object]) -> float:
    """CPU time of this process, all threads, over one run: what a busy machine disturbs least."""
    started = time.process_time()
    work()
    return time.process_time() - started


def row(label: str, value: str, target: str) -> None:
    print(f"{label:<58} {value:>16}   {target}", flush=True)


def load() -> str:
    """How busy the machine is: ratios taken on a busy one are worth less."""
    return "load averages " + ", ".join(f"{value:.2f}" for value in os.getloadavg()) + f" on {os.cpu_count()} cores"


@dataclass(frozen=True)
class Measured:
    """Median time and what was made of the answer; without an answer all are None and `note` says why.

    `at_least` is the time that has passed in any case: the median, or the cap where that cut the solve short.
    """

    seconds: float | None = None
    verdict: Any = None
    at_least: float | None = None
    note: str = ""
    cpu: float | None = None

    @property
    def words(self) -> str:
        return self.note if self.seconds is None else f"{self.seconds:.3f} s"


def measured(work: Work, question: Any, judge: OracleLaw, cap: float) -> Measured:
    """Time `work(question)` in a new process, after a warm-up on `question.tiny()`; no solve may exceed `cap` seconds.

    A solve that does is killed with its process. The warm-up takes the imports and the first-call costs out of
    everybody's time. `judge(question, answer)` runs in that process after the clock has stopped, so that only its
    verdict travels.
    """
    context = multiprocessing.get_context("spawn")
    receiver, sender = context.Pipe(duplex=False)
    process = context.Process(target=_child, args=(sender, work, question, judge), daemon=True)
    process.start()
    sender.close()
    times: list[tuple[float, float]] = []
    patience = {"warming up": WARM_UP_SECONDS, "solving": cap, "judging": JUDGING_SECONDS}
    stage = "warming up"
    try:
        while True:
            if not receiver.poll(patience[stage]):
                note = f"{stage} over {patience[stage]:g} s"
                return Measured(at_least=cap if stage == "solving" else None, note=note)
            stage, content = receiver.recv()
            if stage == "failed":
                return Measured(note=content)
            if stage == "done":
                median, cpu = (statistics.median(values) for values in zip(*times, strict=True))
                return Measured(median, content, at_least=median, cpu=cpu)
            if content is not None:
                times.append(content)
    except EOFError:
        return Measured(note="its process died")
    finally:
        process.kill()
        process.join()


def _child(sender: Connection, work: Work, question: Any, judge: OracleLaw) -> None:
    """Send the stage that comes next, with the time of the solve before it."""
    try:
        work(question.tiny())
        sender.send(("solving", None))
        times: list[tuple[float, float]] = []
        while True:
            started, began = time.perf_counter(), time.process_time()
            answer = work(question)
            times.append((time.perf_counter() - started, time.process_time() - began))
            if len(times) == RUNS or sum(wall for wall, _ in times) >= ENOUGH_SECONDS:
                break
            sender.send(("solving", times[-1]))
        sender.send(("judging", times[-1]))
        sender.send(("done", judge(question, answer)))
    except Exception as error:
        text = str(error).splitlines()
        sender.send(("failed", f"{type(error).__name__}: {text[0][:90] if text else ''}"))
