"""Small oracles of levels, and of several attributes, by a label: their reports can be enumerated."""

from mechdesign import Privacy
from mechdesign_catalog.systems.registry import make_oracle
from mechdesign_catalog.systems.tables.registry import parse_marginal_oracle

HALF = Privacy(alpha="1/2")
LEVELS = {
    "hh, oue": make_oracle("hh", 4, HALF, b=2),
    "hh, hrr, ragged": make_oracle("hh", 5, HALF, b=3, in_="hrr"),
    "hh, grr, weighted": make_oracle("hh", 7, HALF, b=4, in_="grr", levels="3-2"),
    "hh, raw": make_oracle("hh", 6, HALF, b=2, estimate="raw"),
    "hh, olh, one level": make_oracle("hh", 3, Privacy(alpha="1/3"), b=4, in_="olh"),
    "hh, the least noise": make_oracle("hh", 6, Privacy(epsilon=1), b=3, in_="auto"),
    "hh, ss": make_oracle("hh", 6, HALF, b=4, in_="ss", levels="2-3"),
    "hh, ss, ragged, raw": make_oracle("hh", 7, HALF, b=7, in_="ss-hrr", estimate="raw"),
    "haar": make_oracle("haar", 8, HALF),
    "haar, ragged, weighted": make_oracle("haar", 5, HALF, levels="3-2-2"),
    "hh2": make_oracle("hh2", 8, HALF, sides="2x4", b=2, in_="grr"),
    "hh2, ragged, weighted": make_oracle("hh2", 15, HALF, sides="5x3", b=3, in_="grr", levels="4-1-2-2-1"),
    "hh2, nodes with padding": make_oracle("hh2", 28, HALF, sides="14x2", b=3, in_="grr"),
    "hh2, hrr": make_oracle("hh2", 6, HALF, sides="2x3", b=2, in_="hrr"),
    "hh2, ss": make_oracle("hh2", 8, HALF, sides="2x4", b=4, in_="ss"),
    "warped-blocks": make_oracle("warped-blocks", 5, Privacy(alpha="1/3"), levels="2-3"),
    "blocks": make_oracle("blocks", 8, HALF, levels="8*3-4*2-x3*2"),
    "blocks, empty labels": make_oracle("blocks", 6, Privacy(epsilon=1), levels="6*2-3*1-x3*1"),
    "blocks2": make_oracle("blocks2", 8, HALF, sides="2x4", levels="1x1*3-1x2*2-2x2*1-2x1*1"),
    "blocks2, empty labels": make_oracle("blocks2", 6, Privacy(epsilon=1), sides="2x3", levels="1x1*2-2x1*1"),
    "blocks2, blocks of two lengths": make_oracle("blocks2", 6, Privacy(epsilon=1), sides="2x3", levels="1x1*2-1x2*1"),
    "haar2": make_oracle("haar2", 8, HALF, sides="4x2"),
    "haar2, ragged": make_oracle("haar2", 15, HALF, sides="3x5"),
}


ATTRIBUTES = {
    "spl": (2, 6),
    "smp": (2, 6, 3),
    "rs+fd:encoding=grr": (2, 3, 2),
    "rs+fd:encoding=oue-z": (2, 3),
    "rs+fd:encoding=adp": (2, 7),
    "inprr:sue": (2, 2),
    "inprr:oue": (2, 3),
    "inpps": (2, 3, 2),
    "inpolh": (2, 2),
    "inphtcms:hashes=1:width=4:seed=7": (3, 2),
    "inphtcms:hashes=2:width=2:k=1": (2, 2),
    "inpem": (2, 2, 2),
    "margrr:sue": (2, 3, 2),
    "margrr": (2, 2, 2),
    "margps": (2, 3, 4),
    "marght": (2, 2, 2, 2),
    "calm": (2, 3, 2, 2),
    "calm:k=2:sets=0.1.2+0.3+1.3+2.3": (2, 2, 2, 2),
    "calm:sets=0.1.2+0.1+1.2": (2, 2, 2),
    "inpht": (2, 3, 4),
    "inpht:k=3:draw=uniform": (2, 2, 2),
    "inpes": (3, 4, 2),
    "inpes:basis=helmert": (4, 3),
    "inpes:basis=walsh:draw=uniform": (4, 2),
}


def oracle_of(text):
    """At an alpha where tables of up to 5 cells have GRR, and larger ones OUE, of those oracles that choose."""
    return parse_marginal_oracle(text, ATTRIBUTES[text], Privacy(alpha="3/4"))
