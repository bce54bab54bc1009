"""One message for every face: Python names arguments, the command line options."""

import pickle

import pytest

from mechdesign.errors import InputError, MechdesignError, argument

OPTIONS = {"alpha": "--alpha", "epsilon": "--epsilon", "time_limit": "--time-limit"}


@pytest.mark.parametrize(
    ("message", "told"),
    [
        ("alpha must be in (0, 1), got alpha=1.7", "--alpha must be in (0, 1), got 1.7"),
        ("time_limit must be positive, got -1", "--time-limit must be positive, got -1"),
        ("alpha goes with counts, got it alone", "--alpha goes with counts, got it alone"),
        ("beta must be above 0, got beta=alpha", "beta must be above 0, got beta=alpha"),
        ("alpha must be 0 or 1, got another in row 2 of f.csv", "alpha must be 0 or 1, got another in row 2 of f.csv"),
        ("column alpha must be short", "column alpha must be short"),
        ("alpha is late", "alpha is late"),
        (f"give {argument('alpha')} or {argument('epsilon')}", "give --alpha or --epsilon"),
    ],
)
def test_a_face_names_arguments_as_its_users_do(message, told):
    error = InputError(message)
    assert error.named_by(OPTIONS.get) == told
    plain = message.replace("\ue000", "").replace("\ue001", "")
    assert (str(error), error.args) == (plain, (plain,))
    assert error.named_by({}.get) == plain


def test_a_message_that_came_from_another_process_is_the_same():
    error = pickle.loads(pickle.dumps(InputError("alpha must be in (0, 1), got alpha=1.7")))
    assert error.named_by(OPTIONS.get) == "--alpha must be in (0, 1), got 1.7"
    assert str(MechdesignError()) == ""
