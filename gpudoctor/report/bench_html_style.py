"""How the page of a measurement looks: light and dark, wide and narrow."""

STYLE = """
:root { --ground: #fbfbf9; --paper: #fff; --ink: #1d2329; --soft: #5c6670; --rule: #dfe3e6; --cpu: #66707a;
  --gpu: #1f6feb; --copies: #c26a00; --dense: #1f6feb; --conv: #c26a00; --transformer: #0d8a5f; --warn: #8a4b00;
  --warn-ground: #fff6e5; }
@media (prefers-color-scheme: dark) { :root { --ground: #14181c; --paper: #1b2127; --ink: #e6eaee; --soft: #9aa5b0;
  --rule: #323b44; --cpu: #a8b3bd; --gpu: #6cb0ff; --copies: #ffb454; --dense: #6cb0ff; --conv: #ffb454;
  --transformer: #5fd3a3; --warn: #ffcf8a; --warn-ground: #33270f; } }
* { box-sizing: border-box; }
body { margin: 0; background: var(--ground); color: var(--ink); font: 16px/1.5 system-ui, sans-serif; }
main { max-width: 1120px; margin: 0 auto; padding: 28px 20px 48px; }
h1 { font-size: 1.5rem; line-height: 1.25; margin: 0 0 4px; } h2 { font-size: 1.02rem; margin: 0 0 2px; }
.sub, .note, footer { color: var(--soft); } .sub { margin: 0 0 20px; overflow-wrap: anywhere; }
.note { font-size: .86rem; margin: 0 0 10px; }
.verdict { padding: 0; margin: 0 0 24px; list-style: none; max-width: 78ch; } .verdict li { margin: 0 0 8px; }
.finding { background: var(--warn-ground); border-left: 4px solid var(--warn); padding: 10px 14px; margin: 0 0 16px; }
.finding h2 { color: var(--warn); } .finding p { margin: 4px 0; }
.charts { display: grid; gap: 18px; grid-template-columns: repeat(auto-fit, minmax(min(100%, 420px), 1fr)); }
.chart { background: var(--paper); border: 1px solid var(--rule); border-radius: 8px; padding: 16px; min-width: 0; }
svg { display: block; width: 100%; height: auto; } svg + svg { margin-top: 6px; }
svg text { font: 12.5px system-ui, sans-serif; fill: var(--soft); } svg .name { fill: var(--ink); }
.frame { stroke: var(--soft); stroke-width: 1; } .grid { stroke: var(--rule); stroke-width: 1; }
.level { stroke: var(--soft); stroke-width: 1.5; } .mark { stroke-width: 1.5; stroke-dasharray: 4 4; }
.line { fill: none; stroke-width: 2; stroke-linejoin: round; } .line.dashed { stroke-dasharray: 6 4; }
.band { opacity: .16; stroke: none; } .dot { stroke-width: 2; } .dot.hollow { fill: var(--paper); }
.track { fill: var(--rule); opacity: .55; } .bar.faint { opacity: .5; } .tick { stroke: var(--ink); stroke-width: 2; }
.cpu { stroke: var(--cpu); fill: var(--cpu); } .gpu { stroke: var(--gpu); fill: var(--gpu); }
.copies { stroke: var(--copies); fill: var(--copies); } .dense { stroke: var(--dense); fill: var(--dense); }
.conv { stroke: var(--conv); fill: var(--conv); } .transformer { stroke: var(--transformer); fill: var(--transformer); }
.line.cpu, .line.gpu, .line.copies, .line.dense, .line.conv, .line.transformer { fill: none; }
.dot.hollow.cpu, .dot.hollow.gpu, .dot.hollow.copies, .dot.hollow.dense, .dot.hollow.conv,
.dot.hollow.transformer { fill: var(--paper); }
.bar { stroke: none; }
.legend { display: flex; flex-wrap: wrap; gap: 2px 16px; list-style: none; padding: 0; margin: 0 0 6px;
  font-size: .86rem; }
.key { display: inline-block; width: 18px; height: 0; border-top: 3px solid; margin-right: 6px;
  vertical-align: middle; }
.key.dashed { border-top-style: dashed; } .key.cpu { color: var(--cpu); } .key.gpu { color: var(--gpu); }
.key.copies { color: var(--copies); } .key.dense { color: var(--dense); } .key.conv { color: var(--conv); }
.key.transformer { color: var(--transformer); }
details { margin-top: 24px; } summary { cursor: pointer; font-weight: 600; }
.scroll { overflow-x: auto; } table { border-collapse: collapse; font-size: .86rem; margin: 10px 0; }
th, td { text-align: left; padding: 3px 14px 3px 0; border-bottom: 1px solid var(--rule); white-space: nowrap; }
td.number { text-align: right; font-variant-numeric: tabular-nums; } footer { font-size: .86rem; margin-top: 28px; }
@media (max-width: 520px) { main { padding: 18px 12px 32px; } svg text { font-size: 14px; } .chart { padding: 12px; } }
"""
