"""Design documents that lie: a change for each of their claims."""

import json

from mechdesign.documents.storage import export


def tampered(design, tmp_path, change):
    """The file of a design after a change of its JSON."""
    path = tmp_path / "tampered.json"
    export(design, path)
    data = json.loads(path.read_text())
    change(data)
    path.write_text(json.dumps(data))
    return path


def set_in(*keys, value):
    """A change that puts a value where the keys lead."""

    def change(data):
        for key in keys[:-1]:
            data = data[key]
        data[keys[-1]] = value

    return change


TAMPERINGS = [
    set_in("weights", 0, 0, value="1"),
    set_in("denominator", value="1180980001"),
    set_in("problem", "alpha", value="91/100"),
    set_in("problem", "properties", value=["WH", "CM", "F"]),
    set_in("problem", "loss", value="L1"),
    set_in("problem", "prior", value="binomial:1/3"),
    set_in("problem", "epsilon", value=0.01),
    set_in("problem", "epsilon", value=0.1),
    set_in("problem", "epsilon", value=-0.10536),
    set_in("flowchart", value="EM"),
    set_in("seconds", value={"solve": -1, "certify": 0, "verify": 0}),
    set_in("score", "exact", value="1" + "0" * 400),
    set_in("score", "value", value=10**400),
    set_in("dual", "rows", 0, 5, value="9" * 2000),
    set_in("score", "exact", value="114024/118098"),
    set_in("score", "value", value=0.5),
    set_in("lower_bound", "exact", value="114026/118098"),
    set_in("status", value="certified"),
    set_in("holds", value=["WH", "CM"]),
    set_in("dual", "rows", value=[]),
    set_in("dual", "rows", 0, 0, value="RH"),
    set_in("dual", "rows", 0, 5, value="-1"),
    set_in("dual", "denominator", value="3"),
]
"""Of WH,CM at n = 8 and alpha = 9/10."""
