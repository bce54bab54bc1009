"""Inputs of other tools: a mechanism, and the meaning of its inputs."""

from mechdesign.designs import Design
from mechdesign.errors import InputError
from mechdesign.mechanism.mechanism import Mechanism
from mechdesign.problem.model import Model
from mechdesign.workload_designs import WorkloadDesign


def stated(design: Design | WorkloadDesign | Mechanism, model: Model | None) -> tuple[Mechanism, Model]:
    """Return the mechanism and its model: a design knows its own, and a mechanism is on counts if none is given.

    Raises:
        InputError: for a model of a design, or one of another number of inputs.
    """
    if isinstance(design, Design | WorkloadDesign):
        if model is not None:
            raise InputError(f"model must not be given for a design, which has one, got {model.describe()}")
        if isinstance(design, WorkloadDesign):
            return design.mechanism.mechanism(), Model.ldp(design.problem.k)
        return design.mechanism, design.problem.model
    if not isinstance(design, Mechanism):
        raise InputError(f"design must be a design or a mechanism, got {type(design).__name__}")
    if model is None:
        return design, Model.count(design.n_inputs - 1)
    if model.size != design.n_inputs:
        raise InputError(f"model must have {design.n_inputs} inputs as the mechanism has, got {model.size}")
    return design, model


def require_plain(model: Model) -> Model:
    """Return the model, where neighbours are all at the distance 1.

    Raises:
        InputError: for a metric, whose loss is one for each distance.
    """
    if model.distances is not None:
        raise InputError("model must be count, ldp or lldp, got metric, which loses another epsilon at each distance")
    return model
