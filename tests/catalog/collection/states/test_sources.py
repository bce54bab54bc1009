"""Nobody is counted twice: sources that were added before, states that share one, seals, rounds and seeds."""

import pytest

from mechdesign import InputError
from mechdesign_catalog.collection.clients.privatizing import privatize
from mechdesign_catalog.collection.reports.batches import PrivateReports, ReportFile
from mechdesign_catalog.collection.states.collection_state import CollectionState
from mechdesign_catalog.collection.states.provenance import seal_of

CITIES = ("Cork", "Galway", "Derry")


def made(city="Cork", users=10, oracle="grr", **options):
    return privatize([city] * users, oracle, epsilon=3, domain=CITIES, **options)


@pytest.fixture
def empty():
    return CollectionState.empty(made().header.task)


def test_a_source_added_again_changes_nothing_and_says_so(empty, tmp_path):
    batch = made()
    batch.save(tmp_path / "r.parquet")
    state = empty.add(batch)
    assert state.has(batch.header.identity)
    for again in (batch, ReportFile.at(tmp_path / "r.parquet")):
        with pytest.warns(UserWarning, match=f"{batch.header.identity} was added before: nothing changes"):
            assert state.add(again) is state
    assert state.users == 10


def test_a_name_of_ones_own_is_a_source_beside_that_of_the_batch(empty):
    one, other = made(), made("Derry")
    state = empty.add(one, source="monday")
    assert state.provenance.sources == {"monday", one.header.identity}
    with pytest.warns(UserWarning, match="was added before"):
        assert state.add(one, source="tuesday") is state
    with pytest.warns(UserWarning, match="monday was added before"):
        assert state.add(other, source="monday") is state
    assert state.add(other, source="tuesday").users == 20


def test_seeded_reports_have_their_digest_as_a_source(empty):
    batch = made(seed=3)
    state = empty.add(batch)
    assert state.provenance.sources == {batch.header.reports_digest}
    assert state.provenance.seeds == {3}
    assert state.add(made("Derry", seed=4)).provenance.seeds == {3, 4}


def test_bare_reports_leave_the_state_unguarded(empty):
    batch = made()
    named, bare = empty.add(batch.reports, source="a"), empty.add(batch.reports)
    assert (named.provenance.unguarded, bare.provenance.unguarded) == (False, True)
    assert bare.merge(named).users == 20
    assert bare.merge(named).provenance.unguarded
    assert not bare.provenance.is_empty


def test_states_that_share_a_source_are_not_merged(empty):
    a, b, c = made(), made("Galway"), made("Derry")
    one, other = empty.add(a).add(b), empty.add(b).add(c)
    with pytest.raises(InputError, match=f"states must share no source, got {b.header.identity} in both"):
        one.merge(other)
    assert one.merge(empty.add(c)).users == 30


def test_a_seal_stands_for_its_sources(empty):
    a, b = made(), made("Galway")
    day = empty.add(a).add(b)
    sealed = day.sealed()
    assert (sealed.users, sealed.provenance.sources) == (20, frozenset())
    assert sealed.provenance.seals == {seal_of([a.header.identity, b.header.identity])}
    assert sealed.sealed() == sealed != day
    assert empty.sealed() == empty
    for one, other in ((sealed, sealed), (sealed, day), (day, sealed)):
        with pytest.raises(InputError, match="states must share no source, got those of the seal "):
            one.merge(other)
    later = sealed.add(made("Derry")).sealed()
    assert len(later.provenance.seals) == 2
    with pytest.raises(InputError, match="those of the seal"):
        later.merge(sealed)


def test_a_sealed_state_stays_small(empty):
    day = empty.add(made(), source="a" * 200).add(made("Derry"), source="b" * 200)
    assert len(day.sealed().to_bytes()) < len(day.to_bytes()) - 300


def test_a_sealed_source_is_not_recognised(empty):
    """What a seal gives up: it says so in its documentation."""
    batch = made()
    sealed = empty.add(batch).sealed()
    assert not sealed.has(batch.header.identity)
    assert sealed.add(made("Derry")).users == 20


def test_real_and_simulated_reports_stay_apart(empty):
    real, simulated = empty.add(made()), empty.add(made(seed=3))
    for one, other in ((real, simulated), (simulated, real), (empty.add(made().reports), simulated)):
        with pytest.raises(InputError, match="must be all real or all simulated, got the seed 3 beside real ones"):
            one.merge(other)
    with pytest.raises(InputError, match="all real or all simulated"):
        real.add(made(seed=3))


def test_a_memory_answers_in_one_round(tmp_path):
    def collect(name, first):
        users = range(first, first + 10)
        memory = tmp_path / "m.db"
        return privatize(
            ["Cork"] * 10, "dbitflip:d=2", epsilon=3, domain=CITIES, users=users, memory=memory, round=name
        )

    monday, others, tuesday = collect("monday", 0), collect("monday", 10), collect("tuesday", 0)
    empty = CollectionState.empty(monday.header.task)
    state = empty.add(monday).add(others)
    assert state.provenance.rounds == {monday.header.memory: "monday"}
    for first, second in ((state, empty.add(tuesday)), (empty.add(tuesday), state)):
        with pytest.raises(InputError, match="got round monday beside round tuesday; estimate each round by itself"):
            first.merge(second)


@pytest.mark.parametrize(
    ("other", "message"),
    [
        (lambda: privatize(["Cork"], "grr", epsilon=2, domain=CITIES), "privacy=epsilon=2 beside privacy=epsilon=3"),
        (lambda: privatize(["Cork"], "oue", epsilon=3, domain=CITIES), "oracle=oue beside oracle=grr"),
        (lambda: privatize(["a"], "grr", epsilon=3, domain=["a", "b", "c"]), "about one domain, got another one"),
        (lambda: privatize(["Cork"], "grr", epsilon=3, domain=CITIES, ordered=True), "items must be in order in all"),
    ],
    ids=["privacy", "oracle", "items", "order"],
)
def test_reports_and_states_of_another_task_are_refused(empty, other, message):
    batch = other()
    with pytest.raises(InputError, match=message):
        empty.add(batch)
    with pytest.raises(InputError, match=message):
        empty.merge(CollectionState.empty(batch.header.task))


def test_bare_reports_of_another_oracle_are_refused(empty):
    with pytest.raises(InputError, match="oracle=oue"):
        empty.add(made(oracle="oue").reports, source="a")


def test_a_report_that_no_client_makes_adds_nothing(empty):
    batch = made()
    columns = {"item": batch.reports.columns["item"].copy()}
    columns["item"][4] = 3
    bad = PrivateReports(batch.header, type(batch.reports)(batch.reports.parameters, columns))
    with pytest.raises(InputError, match=r"must have item in 0\.\.2, got 3 in row 5 of a batch in memory"):
        empty.add(bad)


@pytest.mark.parametrize("source", ["", "a" * 201, "\ud800", 7], ids=["blank", "long", "half a letter", "number"])
def test_a_source_is_a_text(empty, source):
    with pytest.raises(InputError, match="source must be a text of 1 to 200 characters, got "):
        empty.add(made(), source=source)
    with pytest.raises(InputError, match="source must be a text"):
        empty.add(made().reports, source=source)
