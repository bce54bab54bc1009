"""The five jobs of mechdesign, each by commands that work as they stand."""

JOBS = """\
mechdesign designs the least noise for a given use, with a proof.

design: the best mechanism for counts of 12 people, with its proof
    mechdesign solve --n 12 --alpha 0.9 --props WH,CM --output wm.json
check: the true epsilon of any matrix, and every claim of a document
    mechdesign check wm.json
compare: mechanisms on data, by exact errors and by simulation
    mechdesign compare --data saxony --alpha 0.9 --mechanisms "GM;EM;wm.json"
collect: private reports, and estimates from them
    mechdesign data titanic:class --output values.csv --domain classes.txt
    mechdesign local privatize --oracle olh --epsilon 1 --input values.csv \\
        --domain classes.txt --output reports.parquet
    mechdesign local aggregate reports.parquet
release: real counts, drawn once, with a record that anybody can check
    mechdesign release --data saxony --alpha 0.9 --output released.csv \\
        --record release.json
    mechdesign check released.csv --record release.json

All commands: mechdesign --help. One of them: mechdesign solve --help.
In a browser: mechdesign studio.\
"""
"""What `mechdesign` alone prints."""
