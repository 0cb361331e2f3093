/** The explorers' look. Colours are the theme's; the second values serve pages that have none. */

export const STYLE = `
:host {
  --ink: var(--jp-content-font-color1, light-dark(#1f1f1f, #e3e3e3));
  --quiet: var(--jp-content-font-color2, light-dark(#616161, #a8a8a8));
  --paper: var(--jp-layout-color1, light-dark(#fff, #1e1e1e));
  --raised: var(--jp-layout-color2, light-dark(#f3f3f3, #2b2b2b));
  --line: var(--jp-border-color2, light-dark(#e0e0e0, #454545));
  --brand: var(--jp-brand-color1, light-dark(#1976d2, #64b5f6));
  --link: var(--jp-content-link-color, light-dark(#1565c0, #90caf9));
  --warn: var(--jp-warn-color1, light-dark(#e65100, #ffb74d));
  --bad: var(--jp-error-color1, light-dark(#c62828, #ef9a9a));
  --good: var(--jp-success-color1, light-dark(#2e7d32, #81c784));
  --soft: color-mix(in srgb, var(--brand) 12%, transparent);
  --code: var(--jp-code-font-family, ui-monospace, monospace);
  color-scheme: inherit;
  display: block;
  container-type: inline-size;
  color: var(--ink);
  font-family: var(--jp-ui-font-family, system-ui, sans-serif);
  font-size: var(--jp-ui-font-size1, 13px);
  line-height: 1.45;
}
*, *::before, *::after { box-sizing: border-box; }
.explorer { padding: 2px 8px 2px 2px; max-width: 1400px; }
p { margin: 4px 0; }
.quiet { color: var(--quiet); }
.grow { flex: 1 1 auto; min-width: 0; }
.right { text-align: right; }
code, .id, .request { font-family: var(--code); font-size: 0.92em; }
.status { min-height: 1.45em; color: var(--quiet); }
.back { margin-bottom: 6px; }
.found { margin: 2px 2px 4px; }
.empty { padding: 16px 8px; }

/* the bar above */
.bar { display: flex; flex-wrap: wrap; align-items: center; gap: 4px 10px; padding-bottom: 6px; }
.bar > .grow { flex-basis: 8em; }
.name { font-size: 1.08em; font-weight: 600; }
button, select, input[type="search"], .ask input {
  padding: 2px 9px;
  border: 1px solid var(--line);
  border-radius: 4px;
  background: var(--paper);
  color: var(--ink);
  font: inherit;
  line-height: 1.5;
}
button { cursor: pointer; }
button:hover { background: var(--raised); }
button[aria-pressed="true"] { border-color: var(--brand); background: var(--soft); color: var(--link); }
button.strong:not([aria-disabled="true"]) { border-color: var(--brand); color: var(--link); }
button[aria-disabled="true"], button:disabled { background: none; color: color-mix(in srgb, var(--quiet) 65%, transparent); cursor: default; }
button.small { padding: 0 6px; font-size: 0.9em; }
:focus-visible { outline: 2px solid var(--brand); outline-offset: 1px; }
input[type="search"] { width: 15em; }
input::placeholder { color: var(--quiet); }
.switch { display: inline-flex; }
.switch button { border-radius: 0; margin-inline-start: -1px; }
.switch button:first-child { border-start-start-radius: 4px; border-end-start-radius: 4px; }
.switch button:last-child { border-start-end-radius: 4px; border-end-end-radius: 4px; }
.ask { display: flex; align-items: center; gap: 8px; margin: 6px 0; }
.ask input { flex: 1; }

/* marks */
.mark { flex: none; padding: 0 6px; border-radius: 9px; font-size: 0.86em; line-height: 1.55; white-space: nowrap; }
.mark.quiet { padding: 0 2px; }
.mark.label { background: color-mix(in srgb, var(--good) 16%, transparent); color: color-mix(in srgb, var(--good) 75%, var(--ink)); font-weight: 600; }
.mark.checkpoint { background: color-mix(in srgb, var(--warn) 14%, transparent); color: color-mix(in srgb, var(--warn) 55%, var(--ink)); }
.mark.star { padding: 0 1px; color: var(--warn); font-size: 1em; }
.mark.stopped, .mark.whatif { background: color-mix(in srgb, var(--warn) 18%, transparent); color: color-mix(in srgb, var(--warn) 60%, var(--ink)); }
.mark.failed { background: color-mix(in srgb, var(--bad) 16%, transparent); color: color-mix(in srgb, var(--bad) 75%, var(--ink)); }
.mark.compaction { border: 1px dashed var(--line); color: var(--quiet); }
.mark.here { background: var(--brand); color: var(--jp-ui-inverse-font-color1, light-dark(#fff, #111)); font-weight: 600; }

/* the list and what is looked at */
.sides { display: grid; align-items: start; grid-template-columns: minmax(0, 1.15fr) minmax(0, 1fr); gap: 10px; }
@container (max-width: 760px) { .sides { grid-template-columns: minmax(0, 1fr); } }
.rows {
  position: relative;
  max-height: min(29em, 60vh);
  min-height: 30px;
  overflow: auto;
  border: 1px solid var(--line);
  border-radius: 6px;
  background: var(--paper);
  overscroll-behavior: contain;
}
.rows:focus-visible { outline-offset: -1px; }
.all { position: relative; overflow: hidden; }
.row {
  position: absolute;
  inset-inline: 0;
  top: 0;
  display: flex;
  align-items: center;
  gap: 6px;
  height: 28px;
  padding-inline-end: 8px;
  cursor: pointer;
  contain: strict;
}
.row:hover { background: color-mix(in srgb, var(--raised) 70%, transparent); }
.row.active { background: var(--raised); }
.rows:focus-visible .row.active, .rows:focus .row.active { background: color-mix(in srgb, var(--brand) 16%, transparent); }
.row.chosen { box-shadow: inset 3px 0 0 var(--warn); }
.row .title { flex: 1 1 auto; min-width: 3em; overflow: hidden; text-overflow: ellipsis; white-space: nowrap; color: var(--quiet); }
.row.path .title { color: var(--ink); font-weight: 500; }
.row.failed .title { text-decoration: none; font-style: italic; }
.row .id { flex: none; color: var(--quiet); opacity: 0.8; }
.row .model { overflow: hidden; max-width: 11em; text-overflow: ellipsis; }
.fold { flex: none; width: 14px; margin: 0 -4px 0 -6px; color: var(--quiet); text-align: center; }
.fold:hover { color: var(--ink); }
.gutter { flex: none; }
.rail { fill: none; stroke: color-mix(in srgb, var(--quiet) 45%, transparent); stroke-width: 1.5; }
.rail.on { stroke: var(--brand); stroke-width: 2.5; }
.dot { fill: var(--paper); stroke: var(--quiet); stroke-width: 1.5; }
.dot.on { fill: var(--brand); stroke: var(--brand); }
.dot.hidden { stroke-dasharray: 2 2; }
.row.failed .dot, .dot.failed { stroke: var(--bad); fill: var(--paper); }
.row.stopped .dot, .dot.stopped { stroke: var(--warn); }
.dot.chosen { stroke: var(--warn); stroke-width: 3; }
.ring { fill: none; stroke: var(--brand); stroke-width: 1.5; }
.focus { fill: var(--soft); stroke: none; }
.node { cursor: pointer; }
.node text { fill: var(--ink); font-size: 11px; paint-order: stroke; stroke: var(--paper); stroke-width: 3px; }
.nodes svg { display: block; margin: 0 auto; }

.row.hit .title { flex: 0 1 auto; max-width: 40%; }
.row.hit :is(.id, .model) { display: none; }
.row .found { flex: 1 1 9em; overflow: hidden; margin: 0; color: var(--ink); font-size: 0.93em; text-overflow: ellipsis; white-space: nowrap; }
.legend { margin: 4px 2px 0; color: var(--quiet); }
.legend summary { cursor: pointer; width: max-content; }
.legend dl { display: grid; grid-template-columns: repeat(auto-fill, minmax(17em, 1fr)); gap: 2px 14px; }
.legend dl div { grid-template-columns: 5.5em minmax(0, 1fr); }
kbd { font-family: var(--code); font-size: 0.92em; }
.detail { max-height: min(29em, 60vh); overflow: auto; padding: 8px 12px; border: 1px solid var(--line); border-radius: 6px; background: var(--paper); }
.detail header { display: flex; flex-wrap: wrap; align-items: baseline; gap: 4px 8px; }
.detail button.id { padding: 0 6px; }
.facts { font-size: 0.92em; }
.actions { display: flex; flex-wrap: wrap; align-items: center; gap: 4px; margin: 6px 0 8px; }
.actions button { padding: 1px 7px; font-size: 0.93em; }
.detail > blockquote { margin: 0 0 8px; padding: 6px 10px; border-inline-start: 3px solid var(--brand); background: var(--soft); border-radius: 0 4px 4px 0; white-space: pre-wrap; overflow-wrap: anywhere; max-height: 11em; overflow: auto; }

/* rendered Markdown */
.md, .plain { overflow-wrap: anywhere; font-family: var(--jp-content-font-family, inherit); font-size: var(--jp-content-font-size1, 14px); line-height: 1.55; }
.plain { white-space: pre-wrap; }
.md > :first-child { margin-top: 0; }
.md > :last-child { margin-bottom: 0; }
.md :is(p, ul, ol, pre, table, blockquote) { margin-block: 0 0.6em; }
.md :is(h1, h2, h3, h4, h5, h6) { margin: 0.4em 0 0.3em; font-size: 1.08em; line-height: 1.3; }
.md h1 { font-size: 1.3em; }
.md h2 { font-size: 1.18em; }
.md :is(ul, ol) { padding-inline-start: 1.6em; }
.md pre { padding: 8px 10px; border-radius: 4px; background: var(--raised); overflow: auto; white-space: pre; }
.md code { padding: 0 3px; border-radius: 3px; background: var(--raised); font-family: var(--code); font-size: 0.92em; }
.md pre code { padding: 0; background: none; }
.md a { color: var(--link); }
.md img { max-width: 100%; }
.md blockquote { margin-inline: 0; padding: 0 0 0 10px; border-inline-start: 3px solid var(--line); }
.md blockquote > :last-child { margin-bottom: 0; }
.md blockquote > :first-child { margin-top: 0; }
.md table { display: block; width: fit-content; max-width: 100%; border-collapse: collapse; overflow-x: auto; overflow-wrap: normal; }
.md :is(th, td) { padding: 2px 8px; border: 1px solid var(--line); }
.md .jp-InternalAnchorLink { display: none; }

/* side by side */
.table { border: 1px solid var(--line); border-radius: 6px; overflow: auto; max-height: 75vh; background: var(--paper); }
.line, .band { min-width: calc(var(--columns) * 16em); }
.line { display: grid; grid-template-columns: repeat(var(--columns), minmax(16em, 1fr)); border-top: 1px solid color-mix(in srgb, var(--line) 55%, transparent); }
.heads { position: sticky; top: 0; z-index: 1; background: var(--paper); border-top: 0; border-bottom: 1px solid var(--line); }
.cell { min-width: 0; padding: 5px 12px; }
.cell + .cell { border-inline-start: 1px solid var(--line); }
.cell.none { background: repeating-linear-gradient(135deg, transparent 0 6px, color-mix(in srgb, var(--quiet) 7%, transparent) 6px 7px); }
.line.uneven { border-top: 0; }
.uneven > .cell { border-top: 1px solid var(--line); border-inline-start: 1px solid var(--line); }
.uneven .line, .uneven .band { min-width: 0; }
.stack { display: flex; flex-direction: column; gap: 8px; }
.line.same { grid-template-columns: minmax(0, 1fr); }
.line.same .cell { color: var(--quiet); }
.folded { width: 100%; border: 0; border-radius: 0; background: color-mix(in srgb, var(--raised) 55%, transparent); color: var(--quiet); text-align: start; overflow: hidden; text-overflow: ellipsis; white-space: nowrap; }
.band { padding: 3px 12px; border-top: 1px solid var(--line); background: var(--raised); font-weight: 600; font-size: 0.93em; }
.head.base { box-shadow: inset 0 3px 0 var(--warn); }
.head:not(.base) { box-shadow: inset 0 3px 0 var(--brand); }
.head { display: flex; flex-wrap: wrap; align-items: center; gap: 2px 8px; padding-top: 7px; }
.head > .grow { flex-basis: 6em; }
.table:focus-visible { outline-offset: -1px; }
.head .id { font-weight: 700; }
dl { margin: 4px 0 6px; font-size: 0.93em; }
.head input { margin: 0 2px 0 0; vertical-align: -2px; }
dl div { display: grid; grid-template-columns: 8em minmax(0, 1fr); }
dt { color: var(--quiet); }
dd { margin: 0; overflow-wrap: anywhere; font-variant-numeric: tabular-nums; }
mark { color: inherit; border-radius: 2px; }
mark:has(> mjx-container[display="true"]) { display: block; }
mark.here { background: color-mix(in srgb, var(--warn) 30%, transparent); }
mark.there { background: color-mix(in srgb, var(--brand) 28%, transparent); }

/* the ladder */
.knobs { display: flex; flex-wrap: wrap; align-items: center; gap: 6px 20px; padding: 6px 10px; border: 1px solid var(--line); border-radius: 6px; background: var(--paper); }
.knobs label { display: inline-flex; align-items: center; gap: 6px; }
.knobs label.grow { flex-basis: 20em; }
.knobs input { accent-color: var(--brand); }
.knobs input[type="range"] { flex: 1; min-width: 8em; }
.knobs output { min-width: 6em; text-align: end; font-variant-numeric: tabular-nums; }
fieldset { display: flex; flex-wrap: wrap; gap: 4px 12px; margin: 0; padding: 0; border: 0; }
legend { float: inline-start; margin-inline-end: 12px; padding: 0; color: var(--quiet); }
.bars { padding: 8px 2px 2px; }
.bar-row { display: grid; grid-template-columns: 6em minmax(8em, 1fr) 9.5em minmax(0, 0.8fr); align-items: center; gap: 10px; min-height: 26px; }
.bar-name { font-weight: 500; }
.bar-number { flex: none; text-align: end; white-space: nowrap; font-variant-numeric: tabular-nums; }
.bar-number em { color: var(--good); font-style: normal; }
.bar-lost { overflow: hidden; text-overflow: ellipsis; white-space: nowrap; font-size: 0.93em; }
.track { position: relative; display: block; height: 14px; border-radius: 3px; background: var(--raised); }
.fill { position: absolute; inset-block: 0; left: 0; border-radius: 3px; background: var(--brand); }
.fill.over { background: var(--bad); }
.fill.text { background: color-mix(in srgb, var(--quiet) 70%, transparent); }
.fill.beside { background: color-mix(in srgb, var(--brand) 45%, transparent); border-radius: 0 3px 3px 0; }
.back.back { margin: 0; }
.track .back { position: absolute; inset-block: 0; border: 1px dashed color-mix(in srgb, var(--good) 80%, transparent); border-inline-start: 0; border-radius: 0 3px 3px 0; background: color-mix(in srgb, var(--good) 12%, transparent); }
.limit { position: absolute; top: -4px; bottom: -4px; width: 0; border-inline-start: 2px solid var(--ink); opacity: 0.55; }
.skipped { padding: 4px 0 0 0; font-size: 0.93em; }
.messages .row { cursor: default; gap: 10px; padding-inline-start: 8px; }
.messages .role { flex: none; width: 5.2em; color: var(--quiet); }
.messages .title { flex: 3 1 12em; color: var(--ink); }
.messages .disposition { width: 11em; overflow: hidden; text-overflow: ellipsis; background: var(--raised); text-align: center; }
.messages .reason { flex: 0 1 15em; overflow: hidden; text-overflow: ellipsis; white-space: nowrap; font-size: 0.93em; }
.messages .bar-number { width: 8.6em; }
.mini { position: relative; flex: none; width: 84px; height: 10px; }
.mini span { position: absolute; inset-block: 0; left: 0; min-width: 1px; border-radius: 2px; }
.mini .was { background: color-mix(in srgb, var(--quiet) 25%, transparent); }
.mini .is { background: var(--brand); inset-block: 2px; }
.message.paged .disposition { background: color-mix(in srgb, var(--brand) 18%, transparent); }
.message.told .disposition { background: color-mix(in srgb, var(--warn) 20%, transparent); }
.message.gone .disposition { background: color-mix(in srgb, var(--bad) 14%, transparent); }
.request { max-height: 30em; margin: 6px 0; padding: 10px; border: 1px solid var(--line); border-radius: 6px; background: var(--paper); overflow: auto; white-space: pre-wrap; overflow-wrap: anywhere; }
@container (max-width: 1000px) { .messages .reason { display: none; } }
@container (max-width: 760px) {
  .mini, .bar-lost { display: none; }
  .bar-row { grid-template-columns: 5em minmax(4em, 1fr) 9.5em; }
}

/* pages */
.price { display: grid; gap: 2px; max-width: 26em; }
.pair { display: grid; grid-template-columns: 3.4em minmax(4em, 1fr) 8em; align-items: center; gap: 8px; font-size: 0.93em; }
.pair .track { height: 9px; }
.pair .bar-number em { color: var(--quiet); }
.desk { display: grid; grid-template-columns: 108px minmax(0, 1.5fr) minmax(0, 1fr); gap: 10px; align-items: start; }
.thumbs, .paper, .source { max-height: min(34em, 70vh); overflow: auto; border: 1px solid var(--line); border-radius: 6px; background: var(--paper); overscroll-behavior: contain; }
.thumbs { display: flex; flex-direction: column; gap: 4px; padding: 4px; }
.thumb { display: block; width: 100%; padding: 4px; border-color: transparent; text-align: center; font-size: 0.88em; line-height: 1.3; }
.thumb > span { display: block; }
.thumb.shown { border-color: var(--brand); background: var(--soft); }
.leaf { position: relative; background: #fff; box-shadow: 0 0 0 1px var(--line); }
.leaf img { display: block; width: 100%; height: 100%; image-rendering: auto; }
.paper { padding: 8px; background: var(--raised); }
.paper .leaf { cursor: crosshair; }
.paper svg { position: absolute; inset: 0; width: 100%; height: 100%; touch-action: none; }
.spot { fill: color-mix(in srgb, #ff9800 32%, transparent); stroke: none; mix-blend-mode: multiply; }
.source { position: relative; padding: 0 0 8px; }
.source .pointed[role] { position: sticky; top: 0; margin: 0; padding: 5px 10px; border-bottom: 1px solid var(--line); background: var(--paper); }
.source ol { margin: 0; padding: 0; list-style: none; }
.source li { padding: 5px 10px; border-bottom: 1px solid color-mix(in srgb, var(--line) 50%, transparent); }
.source li > .quiet { font-size: 0.9em; }
.source li.pointed { background: color-mix(in srgb, #ff9800 16%, transparent); }
.source .plain { font-family: var(--code); font-size: 12px; line-height: 1.45; }
.profiles { display: grid; grid-template-columns: repeat(auto-fit, minmax(140px, 1fr)); gap: 8px; margin-bottom: 8px; }
.profile { display: grid; gap: 2px; padding: 6px; text-align: start; }
.peek { display: block; height: 92px; overflow: hidden; background: #fff; border-radius: 3px; }
.peek img { max-width: none; }
@container (max-width: 760px) {
  .desk { grid-template-columns: minmax(0, 1fr); }
  .thumbs { flex-direction: row; }
  .thumb { width: 96px; flex: none; }
  .source { max-height: 20em; }
}
`;
