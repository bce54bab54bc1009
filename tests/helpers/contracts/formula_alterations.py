"""Random alterations of formulas, each in one place."""

import copy


def leaves(value, path=()):
    """Yield the way to each text and number, remarks and the problem left out."""
    if isinstance(value, dict):
        for key, inner in value.items():
            if key not in ("problem", "seconds", "version", "method", "how", "format", "value"):
                yield from leaves(inner, (*path, key))
    elif isinstance(value, list):
        for place, inner in enumerate(value):
            yield from leaves(inner, (*path, place))
    elif value is not None:
        yield path


def alterations(true, count, random):
    """Yield so many formulas that differ from a true one in one place."""
    ways = list(leaves(true))
    while count:
        data, path = copy.deepcopy(true), random.choice(ways)
        holder = data
        for key in path[:-1]:
            holder = holder[key]
        old = holder[path[-1]]
        if isinstance(old, int):
            new = max(0, old + random.choice((-1, 1)))
        elif old.lstrip("-").isdigit():
            new = str(random.choice((int(old) + random.choice((-1, 1)), -int(old), 2 * int(old))))
        else:
            new = random.choice(("DP", "WH", "RH", "CM", "LEAST", "ABOVE", "1/2"))
        if random.random() < 0.1 and isinstance(holder, list):
            del holder[path[-1]]
        else:
            holder[path[-1]] = new
        if data != true:
            count -= 1
            yield data


def claimed(data):
    """What a formula says of the problem; matrices and duals are the proof."""
    names = ("exact", "polynomial")
    ends = [[piece[side][name] for side in ("from", "to") for name in names] for piece in data["pieces"]]
    return data["problem"], data["covered"], ends, [piece["score"] for piece in data["pieces"]]
