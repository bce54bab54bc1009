"""Several attributes under local privacy: splitting, sampling, sampling with fakes."""

from mechdesign_catalog.systems.attributes.loss import Losses, enumerated_alpha, losses
from mechdesign_catalog.systems.attributes.one_way import TupleOracle
from mechdesign_catalog.systems.attributes.registry import (
    TUPLE_FORMS,
    LossRow,
    TupleForm,
    advice,
    loss_rows,
    make_tuple_oracle,
    tuple_form,
)
from mechdesign_catalog.systems.attributes.rsfd import RsFd
from mechdesign_catalog.systems.attributes.smp import Smp
from mechdesign_catalog.systems.attributes.spl import Spl

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
