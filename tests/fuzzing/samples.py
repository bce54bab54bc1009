"""Make good files of every kind that commands read, and good command lines, by the product itself."""

import contextlib
import io
import json
import os
import re
import shlex
import sys
from pathlib import Path

from mechdesign_cli.app import run
from mechdesign_cli.commands import SUMMARIES
from mechdesign_cli.group import load_command

sys.path.append(str(Path(__file__).parents[1] / "helpers" / "contracts"))  # where no pytest says so

from row_documents import all_subsets, document

HOW_TO = Path(__file__).parents[2] / "docs" / "how-to"

WRITTEN = {
    "groups.csv": "area,boys\n" + "".join(f"{k},{k % 9}\n" for k in range(12)),
    "homes.csv": "home,sick,people\na,0,2\nb,1,3\nc,2,2\nd,0,3\n",
    "people.csv": "sick,home,id,cc,toll,far,tip\n"
    + "".join(
        f"{k % 2},{k // 2},p{k},{'ny'[k % 2]},{'ny'[k % 3 % 2]},{'abc'[k % 3]},{'ny'[k // 6]}\n" for k in range(12)
    ),
    "attributes.csv": "column,item\ncc,n\ncc,y\ntoll,n\ntoll,y\nfar,a\nfar,b\nfar,c\ntip,n\ntip,y\n",
    "poor.csv": "poor,area,id\n" + "".join(f"{k % 3 % 2},{'abbcccdddd'[k]},p{k}\n" for k in range(10)),
    "km.csv": "0,1,2\n1,0,1\n2,1,0\n",
    "half.csv": "0,0.5\n0.5,0\n",
    "values.csv": "city\n" + "Cork\nGalway\nDerry\nCork\n" * 3,
    "v.csv": "city\nCork\nDerry\n",
    "users.csv": "user,city\nann,Cork\nbob,Derry\ncid,Galway\n",
    "ages.csv": "age,weight,day\n" + "".join(f"{k * 7 % 12},{k * 5 % 8},2020-01-{k + 1:02}\n" for k in range(30)),
    "ranges.csv": "first,last\n0,3\n4,4\n0,11\n",
    "rectangles.csv": "first_1,last_1,first_2,last_2\n0,2,2,5\n3,11,0,7\n",
    "workload.csv": "1,1,0,0\n0,1,1,0\n0.5,0,0,-1\n",
    "hours.csv": "user,hours\nann,1.5\nbob,24\ncid,0\n",
    "cities.txt": "Cork\nGalway\nDerry\n",
    "d.txt": "Cork\nGalway\nDerry\n",
    "sums.csv": "place,sum\n0,20\n1,40\n2,30\n",
    "messages.txt": "000102\n030201\n010203\n",
    "weights.csv": "0.2,0.2,0.2,0.2,0.2\n",
    "loss.csv": "0,1,2,3,4\n1,0,1,2,3\n2,1,0,1,2\n3,2,1,0,1\n4,3,2,1,0\n",
    "theirs.csv": "0.55,0.25,0.2\n0.25,0.5,0.25\n0.2,0.25,0.55\n",
    "matrix.json": "[[0.6, 0.4], [0.4, 0.6]]\n",
    "rows3.json": json.dumps(document("prefixes", 3, "1/3", all_subsets(3, 1, 2))),
    "cells.json": json.dumps(document("marginals:1:2,2", 4, "1/2", ["1100", "0011", "1010", "0101"])),
    "merged.json": json.dumps(
        document("ranges:4", 5, "1/2", ["10000", "00001", "01110"], "worst", "relaxation", [2, 3, 2])
    ),
    "even.json": json.dumps(document("histogram", 4, "1/3", all_subsets(4, 1), "expected", "levels")),
}
"""Files by their names, most of them those of the pages' examples."""

REMEMBERING = (
    "local privatize --oracle dbitflip --epsilon 1 --input users.csv --column city --domain cities.txt --user user"
)
AGES = "local privatize --input ages.csv --column age --bins 0:12:1"
SEVERAL = "local privatize --input people.csv --domain attributes.csv"
BITS = f"{SEVERAL} --columns cc,toll,tip"
TWO = "local privatize --input ages.csv --columns age,weight --bins 0:12:3 --bins 0:8:2"

MADE = f"""
solve --n 8 --alpha 0.9 --props WH,CM -o wm.json -o wm.npz -o wm.csv
solve --n 12 --alpha 0.9 --props WH,RM,CM -o wm12.json
solve --n 4 --alpha 0.9 --loss L1 -o l1.json
solve --n 4 --alpha 0.9 -o design.json -o design.npz
solve --n 4 --alpha 0.9 --loss L1 --aggregate worst -o worst.json
solve --n 4 --alpha 0.9 --loss loss.csv --prior weights.csv -o given.json
solve --model ldp --k 4 --alpha 0.5 -o ldp.json
solve --model lldp --k 5 --radius 2 --alpha 0.5 --props OS:0.1 -o lldp.json
solve --model metric --distances km.csv --alpha 0.5 -o metric.json
solve --model metric --distances half.csv --alpha 0.5 -o half.json
release --input groups.csv --column boys --mechanism wm.json --seed 1 -o released.csv
derive design.json -o remap.json
local privatize --oracle olh --epsilon 1 --input values.csv --domain cities.txt -o reports.parquet
local task new --oracle olh --epsilon 1 --domain cities.txt -o task.json
local privatize --oracle oue --alpha 1/3 --input values.csv --domain cities.txt -o oue.parquet
local privatize --oracle design:none:L0 --alpha 1/3 --input values.csv --domain cities.txt -o designed.parquet
local design --k 4 --epsilon 1 --workload ranges --method levels -o levels.json
local privatize --oracle rows3.json --input values.csv --domain cities.txt -o rows.parquet
local privatize --oracle cells.json --input people.csv --columns cc,toll --domain attributes.csv -o cells.parquet
local privatize --oracle onebitmean --maximum 24 --epsilon 1 --input hours.csv --column hours -o mean.parquet
{REMEMBERING} --memory memory.db --round r -o day2.parquet
{AGES} --oracle hh:b=3 --epsilon 9 -o ages.parquet
{AGES} --oracle haar --alpha 1/99 -o haar.parquet
{AGES} --oracle flat:oue --epsilon 1 -o flat.parquet
{TWO} --oracle hh2:b=2 --epsilon 9 -o hh2.parquet
{TWO} --oracle haar2 --epsilon 9 -o haar2.parquet
{SEVERAL} --oracle inpps:k=2 --epsilon 9 -o people.parquet
{SEVERAL} --oracle inpht:k=2 --epsilon 9 --columns cc,tip -o inpht.parquet
{SEVERAL} --oracle spl --epsilon 9 -o spl.parquet
{SEVERAL} --oracle smp --epsilon 9 --columns cc,far -o smp.parquet
{SEVERAL} --oracle margps:k=2 --epsilon 9 -o margps.parquet
{SEVERAL} --oracle calm:k=2:size=3 --epsilon 9 -o calm.parquet
{SEVERAL} --oracle rs+fd --epsilon 2 -o rsfd.parquet
{BITS} --oracle inpem --epsilon 9 -o inpem.parquet
release --input poor.csv --bit poor --group area --alpha 0.9 -o office.csv --record office.json
sweep --n 2,4 --alpha 0.5 --jobs 1 -o table.csv
formula --n 2 --props WH:4/3,CM -o formula.json
formula --n any --props CM --to 2/3 --at 3/5
table design --noise 3 --variance 2 --block 1 --guarantee 1:0.2@1 -o t.json
table design --noise 3 --variance 2 --objective delta --guarantee 1@1 --keys 32 -o keyed.json
table export t.json --for tau-argus -o p5.csv
table export keyed.json --for sas -o sas.csv
table apply --table t.json --input people.csv --by cc,far --secret s.secret --name first -o cells.csv --record cr.json
ledger new office.db --budget 9
release --input poor.csv --bit poor --group area --alpha 0.9 -o paid.csv --ledger office.db --dataset poor
"""
"""Commands that make files; one that cannot is told, since options come and go."""

MORE_LINES = f"""
ledger new new.db --budget 1.5 --unit household
check p5.csv --curve 0.5,1 --json
check t.json --epsilon 1 --delta 0.2 --start 1
check t.json --delta 0.1 --start large --hide 9
check keyed.json
check wm.json --delta 0 --json
check cells.csv --record cr.json --input people.csv --secret s.secret
check formula.json --json
landscape --n 2 --all-alpha --loss L1 --json
landscape --n 2 --all-alpha -o all.csv -o all.json
formula --n 3 --loss L1 --at 0.5 --at 2/3 --json --summary
formula --k 3 --props WH:4/3 --entries -o pieces.csv -o pieces.tex
formula --n 2 --aggregate worst --json
table compare t.json p5.csv sas.csv -o compared.csv --json
table apply --table t.json --input people.csv --by cc --domain attributes.csv --secret new.secret --name n -o n.csv --record n.json
table design --noise 2 --variance 1 --zeros perturbed --objective L1 --guarantee 1:0.3 --json
ledger list office.db --dataset poor --json
ledger list office.db
ledger export office.db -o entries.csv
release --input poor.csv --bit poor --group area --alpha 0.9 -o r.csv --ledger office.db --dataset poor --part north
local privatize --oracle grr --epsilon 1 --input values.csv --domain cities.txt -o r.parquet --ledger office.db --dataset v
check theirs.csv
check theirs.csv --row-stochastic --alpha 0.5 --json
check metric.json --json
check wm.npz
check rows3.json
check levels.json --json
local design --k 5 --alpha 1/3 --workload circular --method levels --json
check cells.json --json
check merged.json
check even.json --json
check matrix.json --model ldp
check released.csv --record office.json
check office.json
estimate released.csv --mechanism wm.json --json
estimate office.csv --record office.json
derive theirs.csv
release --input people.csv --bit sick --group home --alpha 0.9 -o r.csv
release --input poor.csv --bit poor --group area --alpha 0.9 -o r.csv --record r.json
solve --n 4 --alpha 1/3 --props WH:2 --loss PB:0.9 --prior binomial:0.3 --json
solve --model metric --distances half.csv --alpha 0.5 --props S
solve --n 4 --alpha 0.9 --loss loss.csv --prior weights.csv
local privatize --oracle rappor:p=1/4:q=3/4 --alpha 1/3 --input values.csv --domain cities.txt -o r.parquet
{REMEMBERING} --memory memory.db --round r -o r.parquet
local privatize --oracle theirs.csv --input values.csv --domain cities.txt -o r.parquet
report wm.json
report wm.json --json --no-prices
studio --help
local task new --oracle dbitflip:d=2 --epsilon 1 --domain cities.txt -o new.json
local task new --oracle calm:k=2 --epsilon 1 --domain attributes.csv -o new.json --json
local task show task.json
local aggregate --sums sums.csv --users 60 --task task.json --source monday
local aggregate reports.parquet --task task.json
local task receive messages.txt --task task.json -o r.parquet
local privatize --task task.json --input values.csv -o r.parquet
local task vectors vectors
local aggregate reports.parquet
local aggregate oue.parquet --post base-cut --json
local aggregate designed.parquet --post em
local aggregate rows.parquet --json
local aggregate rows.parquet --post norm-sub
local aggregate cells.parquet -o answers.csv
local aggregate designed.parquet --post norm-sub
local aggregate mean.parquet
{AGES} --oracle hh:b=2:in=auto:levels=3-1-1-1:estimate=raw --epsilon 9 --beyond clip -o r.parquet
local privatize --input ages.csv --column day --bins 2020-01-01:2020-02-05:7d --oracle hh:b=2 --epsilon 9 -o r.parquet
local privatize --oracle hh:b=2:in=ss:levels=prefixes --epsilon 1 --input values.csv --domain cities.txt -o r.parquet
local ranges ages.parquet --ranges ranges.csv -o answers.csv
local ranges ages.parquet --quantiles 0.1:0.9:0.1 --simultaneous
local ranges haar.parquet --ranges ranges.csv --quantiles 0.5 --quantiles-output q.csv -o answers.csv
local ranges flat.parquet --ranges ranges.csv -o answers.csv
local ranges ages.parquet --mean middle --mean-output mean.csv --json
local ranges hh2.parquet --ranges rectangles.csv -o answers.csv
local ranges haar2.parquet --ranges rectangles.csv -o answers.csv
local oracles --k 16 --epsilon 1 --workload ranges --json
local oracles --k 16 --epsilon 1 --users 1e9 --liars 0.01
local oracles --k 16 --epsilon 1 --workload prefixes --liars 0.01
local aggregate reports.parquet --drop-invalid --json
local oracles --k 4 --alpha 1/3 --workload workload.csv
local oracles --k 3 --alpha 1/3 --workload prefixes --oracle rows3.json
local oracles --k 16 --epsilon 1 --workload grid:4,4
local oracles --attributes 3,2,2 --epsilon 1 --workload marginals:2 --json
local oracles --attributes 3 --alpha 1/3 --workload marginals:1:2,2,2
local compare --data cauchy:0.4 --k 16 --people 200 --epsilon 1 --oracles hh:b=4,haar,flat:oue --repetitions 1
local compare --data mixture --k 4 --people 50 --alpha 0.5 --oracles hh:b=2 --workload workload.csv --repetitions 1
local aggregate day2.parquet
{SEVERAL} --oracle rs+fd:encoding=grr --alpha 1/3 -o r.parquet
{SEVERAL} --oracle margps:k=2 --alpha 1/3 --columns far,tip -o r.parquet
{SEVERAL} --oracle calm:k=2 --epsilon 1 -o r.parquet
{SEVERAL} --oracle inprr:sue --epsilon 1 -o r.parquet
{SEVERAL} --oracle inpolh:k=3 --epsilon 1 -o r.parquet
{SEVERAL} --columns far,cc --oracle inphtcms:k=2:width=4:hashes=8 --epsilon 1 -o r.parquet
{SEVERAL} --oracle margrr --alpha 1/3 -o r.parquet
{SEVERAL} --oracle margrr:sue:k=3 --epsilon 1 -o r.parquet
{BITS} --oracle marght --epsilon 1 -o r.parquet
{SEVERAL} --oracle inpht:draw=uniform --epsilon 1 -o r.parquet
{SEVERAL} --oracle inpes:basis=helmert --epsilon 1 -o r.parquet
local marginals people.parquet --marginal far,tip -o m.csv --post priview
local dependence people.parquet --association pairs.csv --fdr 0.1
local dependence people.parquet --tree tree.svg --sample 20 --sample-output rows.csv
local marginals margps.parquet --marginal far,cc --plot m.svg --post norm-sub
local marginals margps.parquet -o m.csv --post max-entropy --confidence 0.9
local marginals calm.parquet --marginal toll,far
local marginals rsfd.parquet -o m.csv
local marginals inpem.parquet --post em --marginal cc,tip
local marginals inpem.parquet --post likelihood -o m.csv
local marginals people.parquet -o all.csv
local marginals inpht.parquet --marginal cc,tip --json --post raw
local aggregate spl.parquet --json --confidence 0.5
local marginals smp.parquet --marginal far --domain attributes.csv
local aggregate oue.parquet --state oue.state --seal
local aggregate oue.parq* --jobs 1 --json
compare --input groups.csv --column boys --n 8 --alpha 0.9 --mechanisms GM;wm.json --metric rmse --repetitions 2
compare --data constant:1 --people 40 --n 2,4 --alpha 0.5 --mechanisms GM;design:WH,CM:L1 --repetitions 1
local compare --data zipf:1 --k 4 --people 50 --epsilon 1 --oracles grr,oue --metric rmse --repetitions 1
local compare --input values.csv --column city --domain cities.txt --alpha 1/3 --oracles grr --repetitions 2
landscape --n 2 --alpha 0.5 --jobs 1 --json
calibrate --n 2 --within 0 --in 0.7 --json
calibrate --n 2 --loss L1 --score 0.5
calibrate --n 5000 --within 1 --in 0.7 --props F
local calibrate --error 0.1 --workload ranges --k 4 --users 1000 --json
local calibrate --error 0.1,0.2 --workload histogram --k 3 --users 1000 --oracle flat:grr --output wishes.csv
local calibrate --half-width 0.1 --workload histogram --k 3 --epsilon 1 --oracle grr
sweep --n 2,4 --alpha 0.5 --jobs 1 -o table.csv --overwrite
sweep --n 2,3 --alpha 0.5 --jobs 1 -o t.csv
sweep --n 3 --alpha 1/3 --jobs 1 -o t.parquet
data --input people.csv --bit sick --group home
data --input groups.csv --column boys --n 8 -o c.csv
data zipf:1.5 --people 40 --n 4 --seed 1
data weights.csv
data titanic --columns sex,age -o rows.csv --domain-output attributes.csv
data taxi:d=9:strong=0.5 --people 20 --seed 1 -o rows.csv
data skewed:0.7:d=3 --people 20 --seed 1 --json
catalog SPL --domains 3,4 --alpha 1/3
catalog GRR --k 4 --alpha 1/3 --json
local oracles --k 5 --alpha 1/3 --json
"""  # noqa: E501
"""Good lines that exercise what examples do not."""


def quietly(words):
    """Run a command line in this process; returns its code and what it says on stderr."""
    err = io.StringIO()
    with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(err):
        return run(list(words)), err.getvalue()


def make_samples(tell):
    """Make all files in the present folder and return their bytes by name."""
    for name, text in WRITTEN.items():
        Path(name).write_text(text)
    make_journal()
    for line in MADE.strip().splitlines():
        code, err = quietly(shlex.split(line))
        if code:
            tell(f"no sample of: mechdesign {line} ({err.strip()})")
    return {name: Path(name).read_bytes() for name in sorted(os.listdir()) if Path(name).is_file()}


def make_journal():
    """Leave the journal of a sweep that was stopped."""
    from mechdesign.sweeps.grid import SweepGrid
    from mechdesign.sweeps.journal import open_journal
    from mechdesign.sweeps.run import run_sweep
    from mechdesign.sweeps.worker import tasks_of

    with open_journal(Path("t.csv.journal")) as journal:
        run_sweep(tasks_of(SweepGrid.parse("2,3", alpha="1/2")), journal=journal)


def example_lines():
    """The example of every command's help, and the lines of the how-to pages: new commands bring theirs along."""
    texts = [f"mechdesign {name}" for name in SUMMARIES]
    for name in SUMMARIES:
        texts += re.findall(r"Example: (mechdesign [^\n]+(?:\n[^\n]+)*)", load_command(name).help or "")
    for page in sorted(set(HOW_TO.glob("*.md")) - {HOW_TO / "extend.md"}):  # whose lines need what it adds
        text = page.read_text().replace("\\\n", " ")
        texts += re.findall(r"(?:`|^\$ |^)(mechdesign [^`\n]+)", text, flags=re.MULTILINE)
    texts = [re.split(r" \|\|? | > ", text.replace("\n", " "))[0] for text in texts]
    return [shlex.split(text, comments=True)[1:] for text in texts]


def line_texts():
    """Good command lines as words, each once; mechdesign without a word is none."""
    known = {tuple(words) for words in (*example_lines(), *map(shlex.split, MORE_LINES.strip().splitlines()))}
    endless = ({"reproduce", "--all"}, {"studio"})
    return sorted(
        words for words in known if words and ("--help" in words or not any(one <= set(words) for one in endless))
    )
