"""The same reports and estimates by other people's libraries, called as their users call them.

A peer is a pair of functions: `client(values) -> reports` and `server(reports) -> estimated shares, shape (k,)`.
Imports are made inside, so that a script that does not ask a peer does not need it.
"""

import warnings
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

Client = Callable[[np.ndarray], Any]
Server = Callable[[Any], np.ndarray]


@dataclass(frozen=True)
class Peer:
    """One oracle of one library."""

    package: str
    oracle: str
    client: Client
    server: Server


def peers_of(oracle: str, k: int, epsilon: float) -> list[Peer]:
    """Every library's version of one of our oracles; none where a library does not have it."""
    found = [make(oracle, k, epsilon) for make in (pure_ldp, multi_freq_ldpy)]
    return [peer for peer in found if peer is not None]


def pure_ldp(oracle: str, k: int, epsilon: float) -> Peer | None:
    """Maddock's pure-LDP: one object for a client and one for a server, one call for each user; items from 1 on."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        from pure_ldp import frequency_oracles as library

    if oracle == "grr":
        client, server = library.DEClient(epsilon, k), library.DEServer(epsilon, k)
    elif oracle in ("oue", "sue"):
        options = {"use_oue": oracle == "oue"}
        client, server = library.UEClient(epsilon, k, **options), library.UEServer(epsilon, k, **options)
    elif oracle in ("olh", "blh"):
        options = {"g": 2, "use_olh": oracle == "olh"}
        client, server = library.LHClient(epsilon, k, **options), library.LHServer(epsilon, k, **options)
    elif oracle == "hrr":
        server = library.HadamardResponseServer(epsilon, k)
        client = library.HadamardResponseClient(epsilon, k, server.get_hash_funcs())
    else:
        return None

    def privatize(values: np.ndarray) -> Any:
        return [client.privatise(value) for value in (values + 1).tolist()]

    def estimate(reports: Any) -> np.ndarray:
        server.reset()
        for report in reports:
            server.aggregate(report)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return np.array(server.estimate_all(range(1, k + 1), suppress_warnings=True)) / len(reports)

    return Peer("pure-ldp", oracle, privatize, estimate)


def multi_freq_ldpy(oracle: str, k: int, epsilon: float) -> Peer | None:
    """Arcolezi's multi-freq-ldpy: functions compiled by numba, one call for each user; items from 0 on."""
    from multi_freq_ldpy.pure_frequency_oracles import GRR, LH, SS, UE

    known: dict[str, tuple[Client, Server]] = {
        "grr": (lambda value: GRR.GRR_Client(value, k, epsilon), lambda r: GRR.GRR_Aggregator_MI(r, k, epsilon)),
        "oue": (lambda value: UE.UE_Client(value, k, epsilon, True), lambda r: UE.UE_Aggregator_MI(r, epsilon, True)),
        "sue": (lambda value: UE.UE_Client(value, k, epsilon, False), lambda r: UE.UE_Aggregator_MI(r, epsilon, False)),
        "olh": (
            lambda value: LH.LH_Client(value, k, epsilon, True),
            lambda r: LH.LH_Aggregator_MI(r, k, epsilon, True),
        ),
        "ss": (lambda value: SS.SS_Client(value, k, epsilon), lambda r: SS.SS_Aggregator_MI(r, k, epsilon)),
    }
    if oracle not in known:
        return None
    client, server = known[oracle]

    def privatize(values: np.ndarray) -> Any:
        return [client(value) for value in values.tolist()]

    return Peer("multi-freq-ldpy", oracle, privatize, server)
