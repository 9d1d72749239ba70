"""How the HTML report looks, and its only script: copying a command."""

STYLE = """
.report, body { --back: #ffffff; --fore: #1b1f24; --soft: #57606a; --line: #d0d7de; --panel: #f6f8fa;
  --ok: #116329; --error: #a40e26; --warning: #7d4e00; --info: #0550ae; --unseen: #7d4e00; --absent: #57606a; }
@media (prefers-color-scheme: dark) { .report, body { --back: #0d1117; --fore: #e6edf3; --soft: #9ea7b3;
  --line: #3d444d; --panel: #161b22; --ok: #56d364; --error: #ff7b72; --warning: #e3b341; --info: #79c0ff;
  --unseen: #e3b341; --absent: #9ea7b3; } }
body { margin: 0; background: var(--back); }
.report { background: var(--back); color: var(--fore); max-width: 56rem; margin: 0 auto; padding: 1rem;
  font: 1rem/1.5 system-ui, sans-serif; }
.report * { box-sizing: border-box; }
.report h1, .report h2 { line-height: 1.25; font-size: 1.15rem; margin: 1.5rem 0 .5rem; }
.report h1 { font-size: 1.5rem; margin-top: .5rem; }
.report.healthy h1, .report.no-gpu h1 { color: var(--ok); }
.report.findings h1, .report.bug h1 { color: var(--error); }
.report.incomplete h1 { color: var(--unseen); }
.report .stack { list-style: none; margin: 1rem 0; padding: 0; }
.report .stack li { display: grid; grid-template-columns: 1.5rem 7rem 1fr; gap: .25rem .5rem; align-items: baseline;
  border: 1px solid var(--line); border-left: .4rem solid var(--line); background: var(--panel); padding: .45rem .6rem;
  margin: 0 0 .2rem; border-radius: .25rem; overflow-wrap: anywhere; }
.report .stack .sign { font-weight: bold; text-align: center; }
.report .stack .layer { font-weight: 600; }
.report .ok { border-left-color: var(--ok) !important; } .report .ok .sign { color: var(--ok); }
.report .error { border-left-color: var(--error) !important; } .report .error .sign { color: var(--error); }
.report .warning { border-left-color: var(--warning) !important; } .report .warning .sign { color: var(--warning); }
.report .unseen { border-left-color: var(--unseen) !important; } .report .unseen .sign { color: var(--unseen); }
.report .absent .sign { color: var(--absent); }
.report .finding { border: 1px solid var(--line); border-left: .4rem solid var(--info); border-radius: .25rem;
  padding: .25rem .9rem .75rem; margin: 0 0 .75rem; overflow-wrap: anywhere; }
.report .label { color: var(--soft); margin: .5rem 0 0; }
.report .finding.error strong { color: var(--error); } .report .finding.warning strong { color: var(--warning); }
.report .finding.info strong { color: var(--info); }
.report .summary { font-size: 1.05rem; margin: .25rem 0 .5rem; }
.report .fix { font-weight: 600; margin: .75rem 0 .25rem; }
.report .say { margin: .25rem 0; }
.report .command { display: flex; gap: .5rem; align-items: stretch; margin: .25rem 0; }
.report pre { flex: 1; min-width: 0; overflow-x: auto; background: var(--panel); border: 1px solid var(--line);
  border-radius: .25rem; margin: 0; padding: .4rem .6rem; font: .9rem/1.45 ui-monospace, monospace; white-space: pre; }
.report button { font: inherit; font-size: .9rem; color: var(--fore); background: var(--panel); cursor: pointer;
  border: 1px solid var(--line); border-radius: .25rem; padding: 0 .7rem; min-height: 2.2rem; }
.report button:hover { border-color: var(--fore); }
.report :focus-visible { outline: 2px solid var(--info); outline-offset: 1px; }
.report .scroll { overflow-x: auto; }
.report table { border-collapse: collapse; font-size: .92rem; margin: .25rem 0; }
.report th, .report td { text-align: left; vertical-align: top; font-weight: normal; padding: .15rem .9rem .15rem 0;
  overflow-wrap: anywhere; color: inherit; background: none; }
.report th { color: var(--soft); white-space: nowrap; }
.report .grid th, .report .grid td { border-top: 1px solid var(--line); padding: .3rem .9rem .3rem 0; }
.report .grid thead th { border-top: 0; font-weight: 600; }
.report details { border: 1px solid var(--line); border-radius: .25rem; padding: .35rem .7rem; margin: 0 0 .3rem; }
.report summary { cursor: pointer; font-weight: 600; }
.report footer { color: var(--soft); font-size: .9rem; margin-top: 1.5rem; overflow-wrap: anywhere; }
.report .hidden { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%);
  white-space: nowrap; }
@media (max-width: 36rem) { .report { padding: .6rem; } .report .stack li { grid-template-columns: 1.5rem 1fr; }
  .report .stack .text { grid-column: 2; } .report .command { flex-direction: column; }
  .report th { white-space: normal; min-width: 6rem; } }
@media print { .report { max-width: none; } .report button { display: none; } .report pre { white-space: pre-wrap; }
  .report .finding, .report .stack li { break-inside: avoid; } }
"""

#: clipboard.writeText is refused to pages opened from a file in some browsers; selecting and copying works there.
SCRIPT = """
document.addEventListener("click", async (event) => {
  const button = event.target.closest(".command button");
  if (!button) return;
  const code = button.parentElement.querySelector("code");
  let copied = true;
  try {
    await navigator.clipboard.writeText(code.textContent);
  } catch {
    const range = document.createRange();
    range.selectNodeContents(code);
    const selection = getSelection();
    selection.removeAllRanges();
    selection.addRange(range);
    copied = document.execCommand("copy");
  }
  button.textContent = copied ? "Copied" : "Select it";
  setTimeout(() => { button.textContent = "Copy"; }, 2000);
});
"""
