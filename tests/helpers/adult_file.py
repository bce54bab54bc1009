"""A small file of the same format as Adult, and what it must come to."""

import hashlib

from mechdesign_catalog.datasets.published import PublishedFile

ROWS = [
    # age, sex, label
    ("31", "Male", ">50K"),
    ("30", "Female", "<=50K"),
    ("17", "Male", "<=50K"),
    ("90", "Male", ">50K"),
    ("45", "Female", "<=50K"),
]
BITS = {"income": [1, 0, 0, 1, 0], "sex": [1, 0, 1, 1, 0], "age": [1, 0, 0, 1, 1]}
MIDDLE = "Private, 77516, HS-grad, 9, Divorced, ?, Unmarried, White"
END = "0, 0, 40, ?"


def content(stop="", head=""):
    lines = [f"{age}, {MIDDLE}, {sex}, {END}, {label}{stop}\n" for age, sex, label in ROWS]
    return (head + "".join(lines) + "\n").encode()


def published(data, address="http://127.0.0.1:9/adult.data"):
    return PublishedFile("adult.data", address, (hashlib.sha256(data).hexdigest(),))
