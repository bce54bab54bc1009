"""Estimate frequencies of several attributes under local privacy: splitting, sampling, and sampling with fakes."""

from mechdesign_catalog.multidimensional.loss import Losses, enumerated_alpha, losses
from mechdesign_catalog.multidimensional.one_way import TupleOracle
from mechdesign_catalog.multidimensional.registry import (
    TUPLE_FORMS,
    LossRow,
    TupleForm,
    advice,
    loss_rows,
    make_tuple_oracle,
    tuple_form,
)
from mechdesign_catalog.multidimensional.rsfd import RsFd
from mechdesign_catalog.multidimensional.smp import Smp
from mechdesign_catalog.multidimensional.spl import Spl

__all__ = [
    "TUPLE_FORMS",
    "LossRow",
    "Losses",
    "RsFd",
    "Smp",
    "Spl",
    "TupleForm",
    "TupleOracle",
    "advice",
    "enumerated_alpha",
    "loss_rows",
    "losses",
    "make_tuple_oracle",
    "tuple_form",
]
