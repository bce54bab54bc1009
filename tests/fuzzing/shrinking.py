"""Find a small input that shows the same fault."""

import time
from dataclasses import replace

MOST_SECONDS = 120


def shrink(one, samples, shows):
    """Return the smallest input found for which `shows(input)` is true; files first, then words, then text."""
    ends = time.monotonic() + MOST_SECONDS
    for name in one.damaged:
        whole = replace(one, files={**one.files, name: samples[name]}, damaged=())
        if shows(whole):
            one = whole
    smaller = True
    while smaller and time.monotonic() < ends:
        smaller = False
        for width in (2, 1):
            at = 1
            while at < len(one.words) and time.monotonic() < ends:
                shorter = replace(one, words=one.words[:at] + one.words[at + width :])
                if shows(shorter):
                    one, smaller = shorter, True
                else:
                    at += 1
    needed = {name: data for name, data in one.files.items() if any(name in word for word in one.words)}
    one = replace(one, files=needed, damaged=tuple(name for name in one.damaged if name in needed))
    for name in one.damaged:
        one = replace(one, files={**one.files, name: _shorter(one, name, shows, ends)})
    return one


def _shorter(one, name, shows, ends):
    """The bytes of a file without the pieces that the fault does not need."""
    content = one.files[name]
    width = len(content) // 2
    while width >= 1 and time.monotonic() < ends:
        at = 0
        while at < len(content) and time.monotonic() < ends:
            without = content[:at] + content[at + width :]
            if shows(replace(one, files={**one.files, name: without})):
                content = without
            else:
                at += width
        width //= 2
    return content
