"""The style sheet of a report: light and dark, narrow and wide, on screen and on paper."""

STYLE = """
:root { color-scheme: light dark; --ink: #1b1f24; --paper: #ffffff; --quiet: #57606a; --line: #d0d7de; --mark: #0b57a4;
  --bar: #0072b2; --own: #b34700; --wash: #f6f8fa; }
@media (prefers-color-scheme: dark) { :root { --ink: #e6edf3; --paper: #14181d; --quiet: #9da7b1; --line: #3d444d;
  --mark: #79b8ff; --bar: #56b4e9; --own: #ffab70; --wash: #1c2128; } }
* { box-sizing: border-box; }
body { margin: 0 auto; max-width: 60rem; padding: 1.5rem 1rem 3rem; background: var(--paper); color: var(--ink);
  font: 1rem/1.55 system-ui, "Segoe UI", "DejaVu Sans", sans-serif; }
h1 { font-size: 1.6rem; line-height: 1.25; margin: 0 0 .25rem; overflow-wrap: anywhere; }
h2 { font-size: 1.2rem; margin: 2.2rem 0 .5rem; border-bottom: 1px solid var(--line); padding-bottom: .2rem; }
p, li { margin: .4rem 0; overflow-wrap: anywhere; }
p.asked, footer, caption, .quiet { color: var(--quiet); }
.wide { overflow-x: auto; }
table { border-collapse: collapse; margin: .5rem 0; font-variant-numeric: tabular-nums; }
caption { text-align: left; padding-bottom: .3rem; }
th, td { text-align: left; vertical-align: top; padding: .25rem .8rem .25rem 0; border-bottom: 1px solid var(--line); }
td.number, th.number { text-align: right; white-space: nowrap; }
td { overflow-wrap: anywhere; }
@media screen { .wide td { overflow-wrap: normal; } }
table.cells th, table.cells td { padding: .15rem .4rem; text-align: right; border: 1px solid var(--line); }
tr.own th, tr.own td { font-weight: 600; }
figure { margin: .5rem 0; }
figure svg { display: block; max-width: 100%; height: auto; background: #ffffff; border-radius: .4rem; }
svg.bar { display: inline-block; background: none; vertical-align: middle; }
svg.bar rect { fill: var(--bar); }
tr.own svg.bar rect { fill: var(--own); }
blockquote { margin: .5rem 0; padding: .3rem 1rem; border-left: .25rem solid var(--mark); background: var(--wash); }
code, pre { font-family: ui-monospace, "DejaVu Sans Mono", monospace; font-size: .92em; }
pre { background: var(--wash); padding: .6rem .8rem; overflow-x: auto; }
summary { cursor: pointer; color: var(--mark); }
footer { margin-top: 2.5rem; font-size: .9rem; }
@media print {
  :root { color-scheme: light; --ink: #000; --paper: #fff; --quiet: #444; --line: #bbb; --mark: #000; --bar: #0072b2;
    --own: #b34700; --wash: #fff; }
  body { max-width: none; padding: 0; font-size: 10pt; }
  h2 { break-after: avoid; }
  figure, table, blockquote { break-inside: avoid; }
  .wide { overflow: visible; }
}
"""
