"""Every method, from the fastest on."""

from mechdesign.methods.active_outputs.method import ActiveOutputs
from mechdesign.methods.closed_forms.method import ClosedForms
from mechdesign.methods.column_generation.method import ColumnGeneration
from mechdesign.methods.lp.method import ProgramMethod
from mechdesign.methods.method import Method
from mechdesign.methods.split_and_cut.method import SplitAndCut

METHODS: tuple[Method, ...] = (
    ClosedForms(),
    ColumnGeneration(),
    SplitAndCut(),
    ActiveOutputs(),
    ProgramMethod("symmetric", folded=True),
    ProgramMethod("full", folded=False),
)
"""Of one family `auto` takes the first that serves; the last serves every problem."""
