/** Texts in columns, row by row along the blocks of one of them; and columns that stand by themselves. */

import { useMemo, useState } from 'preact/hooks';
import { blocks } from '../core/blocks';
import { against, align, type Line, runs, stacks } from '../core/compare';
import { Block, indented } from './block';
import type { Column } from './columns';
import { Markdown, plural } from './parts';
import type { Stage } from './stage';

/** Characters over which blocks that are the same everywhere are folded. */
const LONG = 400;

/** How the rows are shown. */
export interface Manner {
  /** The column that the others are compared with. */
  base: number;
  /** As Markdown was written, not rendered. */
  source: boolean;
  /** Without the blocks that are the same in all. */
  only: boolean;
  stage: Stage;
}

export function Section({ name, texts, manner }: { name: string; texts: string[]; manner: Manner }) {
  const { base } = manner;
  const all = texts.join('\0');
  const found = useMemo(() => align(texts, base), [all, base]);
  const groups = useMemo(() => runs(found.lines), [found]);
  const equal = texts.every(each => each === texts[0]);
  return (
    <>
      <div class="band" role="row">
        <span role="cell">
          {name}
          {equal ? ', the same in all' : ''}
          {found.coarse ? ': too different to align; the texts stand side by side' : ''}
        </span>
      </div>
      {groups.map((group, n) =>
        group[0]?.same ? (
          <Same key={n} lines={group} manner={manner} />
        ) : (
          <Different key={n} line={group[0] as Line} manner={manner} />
        )
      )}
    </>
  );
}

function Same({ lines, manner: { source, only, stage } }: { lines: Line[]; manner: Manner }) {
  const same = lines.map(line => line.cells[0] ?? '');
  const whole = same.join('\n\n');
  const [open, setOpen] = useState(whole.length < LONG);
  const shown = open && !only;
  return (
    <div class="line same" role="row">
      {shown ? (
        <div class="cell" role="cell">
          {source ? <div class="plain">{whole}</div> : same.map((block, n) => <Plain key={n} {...{ block, stage }} />)}
        </div>
      ) : (
        <button type="button" class="cell folded" aria-expanded="false" disabled={only} onClick={() => setOpen(true)}>
          {plural(lines.length, 'block')} the same: {whole.replace(/\s+/g, ' ').slice(0, 90)}…
        </button>
      )}
    </div>
  );
}

function Plain({ block, stage }: { block: string; stage: Stage }) {
  const [text, style] = indented(block);
  return (
    <div style={style}>
      <Markdown stage={stage} text={text} />
    </div>
  );
}

function Different({ line, manner }: { line: Line; manner: Manner }) {
  const { base, source, stage } = manner;
  return (
    <div class="line" role="row">
      {line.cells.map((cell, n) => (
        <div key={n} class={cell === null ? 'cell none' : 'cell'} role="cell" dir="auto">
          {cell !== null && (
            <Block
              text={cell}
              {...against(line.cells, n, base)}
              kind={n === base ? 'here' : 'there'}
              source={source}
              stage={stage}
            />
          )}
        </div>
      ))}
    </div>
  );
}

const NOTHING: string[] = [];
const plain = (block: string) => ({ text: block, others: NOTHING, alone: false });

interface UnevenProps {
  columns: Column[];
  texts: string[];
  manner: Manner;
}

/** How many columns stay in their rows while others are not there: those that stand before them all, if several do. */
export function inRows(columns: readonly Column[]): number {
  const first = columns.findIndex(({ id }) => !id);
  return first < 2 || columns.slice(first).some(({ id }) => id) ? 0 : first;
}

/** Answers of which some are not there: these as far as they came, each by itself. */
export function Uneven({ columns, texts, manner }: UnevenProps) {
  const first = inRows(columns);
  if (first === 0) {
    return <Stacks columns={columns} texts={texts} manner={manner} />;
  }
  return (
    <div class="line uneven" role="row">
      <div role="cell" style={{ gridColumn: `span ${first}`, '--columns': first }}>
        <div role="table" aria-label="Answers that are there">
          <Section name="answer" texts={texts.slice(0, first)} manner={manner} />
        </div>
      </div>
      {columns.slice(first).map((column, n) => (
        <Growing key={column.key} column={column} text={texts[first + n] ?? ''} manner={manner} />
      ))}
    </div>
  );
}

function Stacks({ columns, texts, manner }: UnevenProps) {
  const { base, source, stage } = manner;
  const there = columns.flatMap(({ id }, n) => (id ? [n] : []));
  const finished = there.map(n => texts[n] ?? '');
  const compared = useMemo(() => stacks(finished, Math.max(0, there.indexOf(base))), [finished.join('\0'), base]);
  return (
    <>
      <div class="band" role="row">
        <span role="cell">answer</span>
      </div>
      <div class="line" role="row">
        {columns.map((column, n) =>
          column.id ? (
            <div key={column.key} class="cell stack" role="cell" dir="auto">
              {compared[there.indexOf(n)]?.map((block, at) => (
                <Block key={at} {...block} kind={n === base ? 'here' : 'there'} source={source} stage={stage} />
              ))}
            </div>
          ) : (
            <Growing key={column.key} column={column} text={texts[n] ?? ''} manner={manner} />
          )
        )}
      </div>
    </>
  );
}

/** An answer as far as it came. */
function Growing({ column, text, manner }: { column: Column; text: string; manner: Manner }) {
  const { source, stage } = manner;
  const come = blocks(text);
  return (
    <div class="cell stack" role="cell" dir="auto" aria-busy={column.growing}>
      {come.map((block, at) => (
        <Block key={at} {...plain(block)} kind="there" source={source} stage={stage} />
      ))}
      {come.length === 0 && <span class="quiet">{column.state}</span>}
    </div>
  );
}
