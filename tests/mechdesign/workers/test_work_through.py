"""Work through arguments: an outcome for each, once; suspects are tried alone; and nobody is left behind."""

import multiprocessing
from collections import Counter
from itertools import count

import pytest
from sweep_work import die_at_once, dies_at_three, refuses_three, squared
from wording import refused

from mechdesign import InputError
from mechdesign.errors import MachineError
from mechdesign.workers import processes
from mechdesign.workers.choosing import workers_for
from mechdesign.workers.work_through import work_through
from mechdesign.workers.workers import Answer, WorkerDiedError


@pytest.mark.slow
@pytest.mark.parametrize("jobs", [1, 2])
def test_every_outcome_once(jobs):
    with workers_for(jobs).open() as workers:
        found = [(outcome.place, outcome.result()) for outcome in work_through(squared, range(6), workers)]
        assert sorted(found) == [(k, k * k) for k in range(6)]
        assert not list(work_through(squared, [], workers))
        assert [outcome.result() for outcome in work_through(squared, [7], workers)] == [49]
    assert not multiprocessing.active_children()


@pytest.mark.slow
@pytest.mark.parametrize("jobs", [1, 2])
def test_an_error_of_the_work_is_an_outcome(jobs):
    with workers_for(jobs).open() as workers:
        found = {outcome.place: outcome for outcome in work_through(refuses_three, range(5), workers)}
    assert isinstance(found[3].error, InputError)
    assert not found[3].died
    assert [found[k].result() for k in (0, 1, 2, 4)] == [0, 1, 2, 4]
    with refused(InputError, about="number"):
        found[3].result("the number 3")


@pytest.mark.slow
def test_who_kills_its_process_is_told_from_who_stood_beside_it():
    with workers_for(2).open() as workers:
        found = {outcome.place: outcome for outcome in work_through(dies_at_three, range(9), workers)}
        assert [k for k, outcome in found.items() if outcome.died] == [3]
        assert [found[k].result() for k in range(9) if k != 3] == [0, 1, 2, 4, 5, 6, 7, 8]
        with refused(MachineError):
            found[3].result("the number 3")


@pytest.mark.slow
def test_processes_that_die_as_they_start_are_nobodys_fault(monkeypatch):
    monkeypatch.setattr(processes, "_settle_in", die_at_once)
    with (
        refused(MachineError),
        workers_for(2).open() as workers,
    ):
        list(work_through(squared, range(3), workers))
    assert not multiprocessing.active_children()


class Fated:
    """Workers of a script: each task is answered by the next fate of its argument; what they saw is kept."""

    def __init__(self, places, **fates):
        self.places = places
        self._fates = {int(name[1:]): list(fate) for name, fate in fates.items()}
        self._numbers = count()
        self.running = {}
        self.most = 0
        self.alone = Counter()
        self.cancelled = []

    def submit(self, work, argument):
        ticket = next(self._numbers)
        self.running[ticket] = (work, argument)
        self.most = max(self.most, len(self.running))
        return ticket

    def wait(self, tickets):
        assert set(tickets) == set(self.running)
        if len(self.running) == 1:
            self.alone.update(argument for _, argument in self.running.values())
        ticket = next(iter(self.running))
        work, argument = self.running.pop(ticket)
        fates = self._fates.get(argument)
        if fates and fates.pop(0) == "died":
            return [Answer(ticket, error=WorkerDiedError())]
        return [Answer(ticket, work(argument))]

    def cancel(self, tickets):
        self.cancelled += [self.running[ticket][1] for ticket in tickets]


def test_suspects_are_tried_alone_and_only_the_guilty_is_blamed():
    workers = Fated(2, _2=("died", "lives"), _5=("died", "died"))
    found = list(work_through(squared, range(8), workers))
    assert sorted(outcome.place for outcome in found) == list(range(8))
    assert [outcome.place for outcome in found if outcome.died] == [5]
    assert [outcome.place for outcome in found][-2:] == [2, 5]
    assert workers.alone[2] == workers.alone[5] == 1
    assert workers.most == 4
    assert not workers.cancelled


def test_arguments_are_taken_as_they_are_needed_and_what_is_under_way_is_cancelled():
    taken = []
    workers = Fated(2)
    coming = work_through(squared, (taken.append(k) or k for k in range(1000)), workers)
    assert [next(coming).place for _ in range(2)] == [0, 1]
    assert taken == [0, 1, 2, 3, 4]
    coming.close()
    assert workers.cancelled == [2, 3, 4]


def test_the_clock_ticks_after_each_wait():
    ticks = []
    workers = Fated(1)
    list(work_through(squared, range(5), workers, lambda: ticks.append(len(workers.running))))
    assert ticks == [1, 1, 1, 1, 0]
