"""Mechanisms and simulated releases for the tests of estimation."""

from fractions import Fraction
from functools import cache

import numpy as np
from hypothesis import strategies as st

from mechdesign import DesignProblem, Mechanism, design
from mechdesign.mechanism.sampling import seeded_words

PROPERTIES = {"GM": "none", "WM": "WH,RM,CM", "EM": "F"}

MECHANISMS = ("GM 4 1/2", "EM 5 1/2", "WM 8 1/2", "GM 8 9/10", "WM 8 9/10", "EM 8 9/10")


@cache
def mechanism_of(name):
    """`WM 8 9/10`: the L0 design for n = 8, alpha = 9/10."""
    kind, n, alpha = name.split()
    return design(DesignProblem(n=int(n), alpha=alpha, properties=PROPERTIES[kind])).mechanism


def frequencies_of(mechanism, truth, seed):
    """How often each count is released for these true counts, by the exact sampler."""
    return np.bincount(mechanism.sample(truth, seeded_words(seed)), minlength=mechanism.n_outputs).tolist()


@st.composite
def small_mechanisms(draw, positive=False):
    """Column-stochastic matrices of up to 5 x 5, singular ones, zeros and tiny entries among them."""
    size = draw(st.integers(2, 5))
    entry = st.integers(1, 40) if positive else st.sampled_from([0, 0, 1, 1, 2, 3, 7, 40, 10**6])
    columns = []
    for _ in range(size):
        weights = draw(st.lists(entry, min_size=size, max_size=size))
        if not any(weights):
            weights[draw(st.integers(0, size - 1))] = 1
        columns.append([Fraction(weight, sum(weights)) for weight in weights])
    return Mechanism.from_fractions(zip(*columns, strict=True))
