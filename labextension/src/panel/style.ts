/** The side panel's look, after that of the explorers. */

export const PANEL_STYLE = `
.panel { padding: 8px 10px 24px; }
h2 { margin: 2px 0; font-size: 1.15em; font-weight: 600; overflow-wrap: anywhere; }
.panel header .bar { gap: 4px; padding: 4px 0 0; }
.caution { padding: 4px 8px; border-inline-start: 3px solid var(--warn); background: var(--raised); }
.idle { padding-top: 6px; }
.part { margin-top: 6px; border-top: 1px solid var(--line); }
.part > summary {
  padding: 6px 0;
  color: var(--quiet);
  font-size: 0.92em;
  font-weight: 600;
  letter-spacing: 0.04em;
  text-transform: uppercase;
  cursor: pointer;
}
.items { margin: 0; padding: 0; list-style: none; }
.item { position: relative; padding: 5px 6px 5px 9px; border-inline-start: 3px solid transparent; }
.item + .item { margin-top: 2px; }
.item:hover { background: var(--raised); }
.item.here { border-inline-start-color: var(--brand); background: var(--soft); }
.more { position: absolute; inset-inline-end: 6px; bottom: 4px; display: flex; gap: 4px; opacity: 0; }
.item:hover .more, .item:focus-within .more { opacity: 1; }
.said { display: block; overflow: hidden; text-overflow: ellipsis; white-space: nowrap; }
button.plain {
  display: block;
  max-width: 100%;
  padding: 0;
  overflow: hidden;
  border: 0;
  background: none;
  color: var(--ink);
  text-align: start;
  text-overflow: ellipsis;
  white-space: nowrap;
}
button.plain:hover { color: var(--link); }
button.called { font-weight: 500; }
input[type="search"].grow { flex: 1 1 4em; width: auto; min-width: 0; }
.search { display: flex; gap: 6px; padding-bottom: 6px; }
.ask input { width: 100%; }
.track { position: relative; height: 12px; margin: 2px 0 4px; border-radius: 6px; background: var(--raised); }
.track span { position: absolute; inset-block: 0; inset-inline-start: 0; border-radius: 6px; }
.track .raw { background: color-mix(in srgb, var(--quiet) 30%, transparent); }
.track .full { min-width: 4px; background: var(--brand); }
.track .near { background: var(--warn); }
.track .over { background: var(--bad); }
.track .limit { inset-inline-start: auto; width: 2px; border-radius: 0; background: var(--ink); }
.figures { display: flex; flex-wrap: wrap; justify-content: space-between; gap: 0 8px; white-space: nowrap; font-variant-numeric: tabular-nums; }
.rung { margin: 2px 0; }
`;

/** What the tree of the explorers leaves out in a narrow place, where the panel says it already. */
export const TREE_STYLE = `
.explorer { padding: 0; }
.bar > .name, .bar > .quiet { display: none; }
.bar > input[type="search"] { flex: 1 1 8em; width: auto; }
.row .id, .row .model { display: none; }
.rows { max-height: 22em; }
.detail { max-height: 20em; padding: 8px; }
.detail .md { font-size: 1em; }
.detail blockquote { max-height: 6em; }
`;
