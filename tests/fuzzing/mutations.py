"""Damage texts, command lines and files: each function takes a random generator and returns something else."""

import contextlib
import copy
import hashlib
import io
import json
import sqlite3
import tempfile
import zipfile
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from mechdesign import InputError
from mechdesign_catalog.collection.reports.report_columns import from_arrow
from mechdesign_catalog.collection.reports.report_files import completed_header
from mechdesign_catalog.collection.reports.report_header import Header
from mechdesign_catalog.collection.tasks.task import Task
from mechdesign_catalog.collection.tasks.task_oracle import task_oracle
from mechdesign_catalog.randomizers.reports.reports import Reports

PLAIN = """
0 -1 1 2 3 0.5 1/2 1/3 9/10 0.9 0.999999999 1e-9 1e400 1e-400 nan inf -inf 1/0 0/1 -0 99999999999 99999999999999999999
1_000 0x10 1e5 5000 1:2 2:4:2 8:2:-2 1:1000000000:1e-9 0.1:0.9:0.1 1,2,,3 None True +8 8.0 1.7 -0.5 1e-30 200 201 1e99
"""
NUMBERS = PLAIN.split()
ESCAPED = r"""
, ; : :: = - -- none all L0 L1:d L9999 L0:99999999999 PB:2 WH,CM WH: OS:0 design: design:none:L0 design::
uniform binomial: zipf:-1 zipf:nan constant:9 adult:sex \u0663 \xb2 \x1b[31m a\nb a\tb \ud800 \u202e %s {} $HOME
[/] ../x.json . / /dev/null /dev/full /proc/self/mem gone.json gone.csv no/out.json ~ * rappor:p=2
hrr:t=99999999999 dbitflip:d=0 hh hh:b=1 hh:b=99999999 hh:in=x hh:levels=0-0 hh:levels=1e9 hh:estimate=no flat:hh:b=4
flat: haar haar:b=4 hh2:b=2:sides=2x3 haar2:sides=x ranges ranges:0 ranges:9999999 grid:2,2 grid:0,5 prefixes histogram
0:12:1 0:0:1 5:1:1 0:10:3 0:1e12:1 0:1:1e-9 2020-01-01:2021-01-01:7d 2020-02-30:2021-01-01:1d 2021-01-01:2020-01-01:1d
cauchy:0.4 cauchy:9 mixture adult:age clip refuse wm.json,gone.csv cvxpy: highs full \x00
"""
TEXTS = ["", " ", "x" * 300, "9" * 5000, "1/" + "3" * 1200]
TEXTS += [word.encode().decode("unicode_escape") for word in ESCAPED.split()]
ODD_TEXTS = [
    "",
    "0",
    "1",
    "-1",
    "1/0",
    "abc",
    "9" * 5000,
    "\ud800",
    "\x1b[31m\n",
    "1/3",
    "L1",
    "WH",
    "alpha=1/2",
    "epsilon=1e9",
]
ODD_NUMBERS = [0, -1, 1, 0.5, 8.0, 10**30, 2**63, 1e308, float("inf"), float("nan")]
VALUES = [None, True, False, [], [1], [[]], {}, {"a": 1}, *ODD_NUMBERS, *ODD_TEXTS]
"""What takes the place of a value in JSON."""

MOST = 1 << 20


def text(random, value):
    """Change a text: a few letters, or all of it."""
    choice = random.randrange(6)
    if choice == 0 or not value:
        return random.choice(NUMBERS)
    if choice == 1:
        return random.choice(TEXTS)
    at = random.randrange(len(value))
    if choice == 2:
        return value[:at] + value[at + 1 :]
    if choice == 3:
        return value[:at] + random.choice([*"0123456789-.:,;=/eELx \"'\\%[]{}", "\u00e9", "\x00", "\n"]) + value[at:]
    if choice == 4:
        return value[:at] + value[at:] * random.choice([2, 3, 50])
    other = random.randrange(len(value))
    return value[: min(at, other)] + value[max(at, other) :]


def file_bytes(random, name, content, others):
    """Change a file by its kind, or as bytes; `others` are files of other kinds."""
    suffix = Path(name).suffix
    if random.random() < 0.25 or not content:
        return raw(random, content, others)
    try:
        if content.startswith(b"SQLite format 3"):
            return database(random, content)
        if suffix in (".json", ".journal"):
            return as_json(random, content)
        if suffix in (".npz", ".npy"):
            return arrays(random, content)
        if suffix == ".parquet":
            return parquet(random, content)
        return table(random, content)
    except (ValueError, KeyError, TypeError, OverflowError, MemoryError, pa.ArrowException, sqlite3.Error):
        return raw(random, content, others)


def raw(random, content, others):
    """Change bytes, whatever they mean."""
    choice = random.randrange(8)
    at = random.randrange(len(content) + 1)
    if choice == 0:
        return b""
    if choice == 1:
        return content[:at]
    if choice == 2:
        return content[:at] + bytes([random.randrange(256)]) + content[at + 1 :]
    if choice == 3:
        return content[:at] + random.randbytes(random.choice([1, 8, 400])) + content[at:]
    if choice == 4:
        return content[:at] + bytes(random.choice([1, 64, 4096])) + content[at:]
    if choice == 5:
        return (content * random.choice([2, 3]))[:MOST]
    if choice == 6:
        return random.choice(others)
    return random.choice([b"\xef\xbb\xbf", b"\xff\xfe", b"\r", b"\n\n"]) + content


def table(random, content):
    """Change a cell, a row or the separators of a CSV or of a list of lines."""
    rows = [line.split(",") for line in content.decode().splitlines()]
    at = random.randrange(len(rows))
    choice = random.randrange(8)
    if choice < 3:
        column = random.randrange(len(rows[at]))
        rows[at][column] = random.choice([*NUMBERS, *TEXTS, text(random, rows[at][column])])
    elif choice == 3:
        del rows[at]
    elif choice == 4:
        rows.insert(at, list(random.choice(rows)))
    elif choice == 5:
        rows[at] = rows[at][: random.randrange(len(rows[at]) + 1)]
    elif choice == 6:
        rows = [row[:1] * random.choice([0, 1, 2, 40]) for row in rows]
    else:
        rows[at].append(random.choice(['"', '"a"b', "", "1"]))
    joined = random.choice([",", ",", ",", ";", "\t", " "])
    ending = random.choice(["\n", "\n", "\r\n", "\r", "\n\n"])
    return "".join(joined.join(row) + ending for row in rows).encode("utf-8", "surrogatepass")


def as_json(random, content):
    """Change one value, key or brace of a JSON document or of one of its lines."""
    lines = content.decode().splitlines()
    if content.lstrip().startswith(b"{") and len(lines) > 1 and lines[0].rstrip().endswith("}"):  # a document a line
        at = random.randrange(len(lines))
        lines[at] = changed_json(random, lines[at])
        return ("\n".join(lines) + "\n").encode("utf-8", "surrogatepass")
    return changed_json(random, content.decode()).encode("utf-8", "surrogatepass")


def changed_json(random, source):
    """Change one place of a JSON text."""
    choice = random.randrange(10)
    if choice == 0:
        return text(random, source)
    data = json.loads(source)
    holder, key = place_in(random, data)
    if holder is None:
        return json.dumps(random.choice(VALUES))
    if choice == 1:
        del holder[key]
    elif choice == 2 and isinstance(holder, dict):
        holder[random.choice(["x", "", "format", "extra", "\ud800"])] = holder.pop(key)
    elif choice == 3 and isinstance(holder, dict):  # the same key twice
        again = json.dumps(key) + ": " + json.dumps(random.choice(VALUES)) + ", "
        return json.dumps(data).replace(json.dumps(key) + ":", again + json.dumps(key) + ":", 1)
    elif choice == 4:
        nested = random.choice([30, 900, 5000])
        holder[key] = "DEEP"
        return json.dumps(data).replace('"DEEP"', "[" * nested + "]" * nested)
    elif choice == 5:
        holder[key] = "LONG"
        return json.dumps(data).replace('"LONG"', "9" * random.choice([20, 400, 5000]))
    elif choice == 6 and isinstance(holder[key], str):
        holder[key] = text(random, holder[key])
    elif choice == 7 and isinstance(holder, list):
        holder.insert(key, copy.deepcopy(random.choice(holder)))
    else:
        holder[key] = random.choice(VALUES)
    return json.dumps(data)


def place_in(random, data):
    """A container somewhere in the data, and a key of it; None where there is none."""
    holder, key = None, None
    while isinstance(data, dict | list) and data:
        holder = data
        key = random.choice(list(data)) if isinstance(data, dict) else random.randrange(len(data))
        data = data[key]
        if random.random() < 0.35:
            break
    return holder, key


def arrays(random, content):
    """Change the arrays of a numpy archive, or what its headers say of them."""
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        members = {name: archive.read(name) for name in archive.namelist()}
    name = random.choice(list(members))
    choice = random.randrange(8)
    if choice == 0:  # a header that promises more than there is
        old, new = random.choice([(b"'shape': (", b"'shape': (9999999,"), (b"'<U", b"'<U9999"), (b"'<f8'", b"'|O8' ")])
        members[name] = members[name].replace(old, new, 1)
    elif choice == 1:
        members[random.choice(["../matrix.npy", "matrix", "x" * 300, "document.npy"])] = members.pop(name)
    elif choice == 2:
        members[name] = raw(random, members[name], [b"x"])
    elif choice < 5 and "document.npy" in members:
        with np.load(io.BytesIO(content)) as loaded:
            document = str(loaded["document"])
        members["document.npy"] = npy(np.array(changed_json(random, document)))
    else:
        members[name] = other_array(random)
    stream = io.BytesIO()
    method = random.choice([zipfile.ZIP_DEFLATED, zipfile.ZIP_STORED, zipfile.ZIP_BZIP2])
    with zipfile.ZipFile(stream, "w", method) as archive:
        for member, data in members.items():
            archive.writestr(member, data)
    return stream.getvalue()


def other_array(random):
    """A numpy file of another shape, type or size."""
    choice = random.randrange(5)
    if choice == 0:
        return npy(np.array(random.choice(VALUES), dtype=object), allow_pickle=True)
    if choice == 1:
        return npy(np.zeros(random.choice([(), (0,), (2, 0), (3,), (2, 2, 2), (9, 9)])))
    if choice == 2:
        kinds = [complex, "M8[s]", "S5", "U3", bool, np.longdouble, [("a", "f8")]]
        return npy(np.zeros((9, 9), random.choice(kinds)))
    if choice == 3:
        return npy(np.full((9, 9), random.choice([np.nan, np.inf, -1.0, 1e308, 1 / 9])))
    stream = io.BytesIO()  # a bomb: a little file that is large when it is opened
    header = {"descr": f"<U{1 << 28}", "fortran_order": False, "shape": random.choice([(), (1,), (50, 50)])}
    np.lib.format.write_array_header_1_0(stream, header)
    return stream.getvalue() + bytes(1 << 24)


def npy(array, allow_pickle=False):
    """The bytes of one array."""
    stream = io.BytesIO()
    np.save(stream, array, allow_pickle=allow_pickle)
    return stream.getvalue()


def parquet(random, content):
    """Change the header of a file of reports, with a digest that fits it, or its columns."""
    file = pq.ParquetFile(io.BytesIO(content))
    metadata = dict(file.metadata.metadata or {})
    found = file.read().replace_schema_metadata(None)
    body, task = json.loads(metadata[b"mechdesign"]), metadata[b"mechdesign.task"].decode()
    body.pop("sha256", None)
    chance = random.random()
    if chance < 0.35:
        header, task = metadata[b"mechdesign"].decode(), changed_json(random, task)
        with contextlib.suppress(InputError, ValueError, RecursionError):
            body["task"] = Task.of_body(json.loads(task)).digest
            digest = hashlib.sha256(json.dumps(body, sort_keys=True).encode()).hexdigest()
            header = json.dumps({**body, "sha256": digest})
    elif chance < 0.7:
        header = changed_json(random, json.dumps(body))
        try:
            body = json.loads(header)
        except (ValueError, RecursionError):
            body = None
        if isinstance(body, dict):
            body.pop("sha256", None)
            digest = hashlib.sha256(json.dumps(body, sort_keys=True).encode()).hexdigest()
            header = json.dumps({**body, "sha256": digest})
    else:
        header = metadata[b"mechdesign"].decode()
        found = other_columns(random, found) if random.random() < 0.5 else other_cells(random, found)
        if random.random() < 0.7:
            header = with_digests(json.loads(header), Task.of_body(json.loads(task)), found)
    stream = io.BytesIO()
    with pq.ParquetWriter(stream, found.schema) as writer:
        writer.write_table(found)
        writer.add_key_value_metadata({"mechdesign": header, "mechdesign.task": task})
    return stream.getvalue()


def with_digests(body, task, found):
    """A header whose digests are those of these columns, so that what reads them has to look at them."""
    body.pop("sha256", None)
    with contextlib.suppress(InputError, KeyError):
        report_schema = task_oracle(task).report_schema
        columns = {one.name: from_arrow(one, found[one.name].combine_chunks(), "made") for one in report_schema.columns}
        filled = completed_header(Header(task), Reports(task.parameters, columns))
        body.update(rows=filled.rows, groups=list(filled.groups), reports={"sha256": filled.reports_digest})
    return json.dumps({**body, "sha256": hashlib.sha256(json.dumps(body, sort_keys=True).encode()).hexdigest()})


def other_cells(random, found):
    """Change a few cells of a column: numbers beyond what reports can be, byte strings of other lengths and bits."""
    name = random.choice(found.column_names)
    kind, cells = found.schema.field(name).type, found[name].to_pylist()
    for _ in range(random.choice([1, 1, 3]) if cells else 0):
        row = random.randrange(len(cells))
        old = cells[row]
        if isinstance(old, bytes):
            changed = [b"", old + b"\x00", old[:-1], b"\xff" * len(old), bytes(len(old)), random.randbytes(len(old))]
            cells[row] = random.choice(changed if pa.types.is_binary(kind) else changed[3:])
        elif isinstance(old, int):
            cells[row] = random.choice([0, 1, 2, 3, 5, 8, 100, 127])
    return found.set_column(found.column_names.index(name), name, pa.array(cells, kind))


def other_columns(random, found):
    """Change a column's type, name, number of rows or values."""
    name = random.choice(found.column_names)
    at, column = found.column_names.index(name), found[name]
    choice = random.randrange(5)
    if choice == 0:
        return found.slice(0, random.randrange(len(found) + 1))
    if choice == 1:
        return found.rename_columns([random.choice(["x", "", "user"]) if n == name else n for n in found.column_names])
    if choice == 2:
        made = random.choice(
            [pa.array(["a"] * len(found)), pa.array([None] * len(found), pa.int64()), pa.array([-1] * len(found))]
        )
        return found.set_column(at, name, made)
    if choice == 3:
        return found.append_column("more", pa.array(range(len(found))))
    return pa.concat_tables([found] * random.choice([0, 2, 3]) or [found.slice(0, 0)]) if len(column) else found


def database(random, content):
    """Change a cell, a table or the schema of an SQLite database."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "copy.db"
        path.write_bytes(content)
        connection = sqlite3.connect(path)
        try:
            _change_database(random, connection)
            connection.commit()
        finally:
            connection.close()
        return path.read_bytes()


def _change_database(random, connection):
    names = [name for (name,) in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")]
    table_name = random.choice(names)
    columns = [row[1] for row in connection.execute(f'PRAGMA table_info("{table_name}")')]
    column = random.choice(columns)
    old = connection.execute(f'SELECT "{column}" FROM "{table_name}" LIMIT 1').fetchone()
    value = random.choice([None, -1, 0, 7, 2**62, 0.5, "", "abc", "{}", b"", b"\x00\xff", "\x1b[31m"])
    if old is not None and isinstance(old[0], str) and random.random() < 0.6:
        value = changed_json(random, old[0]) if old[0].startswith("{") else text(random, old[0])
    changes = [
        f'DROP TABLE "{table_name}"',
        f'DELETE FROM "{table_name}"',
        f'ALTER TABLE "{table_name}" RENAME TO "x"',
        f'ALTER TABLE "{table_name}" RENAME COLUMN "{column}" TO "x"',
        f"PRAGMA user_version = {random.choice([0, 1, 7, 999])}",
    ]
    if random.random() < 0.5:
        connection.execute(random.choice(changes))
    else:
        connection.execute(f'UPDATE "{table_name}" SET "{column}" = ?', (value,))
