/** Two to six answers side by side, along the blocks of any one of them. */

import { useCallback, useEffect, useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks';
import {
  against,
  align,
  baseline,
  blocks,
  changes,
  common,
  type Line,
  type Piece,
  runs,
  stacks
} from '../core/compare';
import { list, number, record, text } from '../core/reading';
import { Button, Coded, dollars, Markdown, plural, type Shared, tokens } from './parts';
import type { Stage } from './stage';
import { tint } from './tint';
import type { ViewProps } from './tree';

/** Characters over which blocks that are the same everywhere are folded. */
const LONG = 400;

interface Column {
  /** The turn; empty where there is none, yet or for good. */
  id: string;
  /** What its texts are found by. */
  key: string;
  /** What it was asked with, where that is why it is here. */
  variant: string;
  /** What goes on with an answer that is not there, or why it never will be. */
  state: string;
  growing: boolean;
  parent: string;
  label: string;
  question: string;
  facts: [string, string][];
}

interface Texts {
  prompt: string;
  text: string;
}

/** What is not known until the answer is there. */
const YET = '…';

function readColumns(value: unknown): Column[] {
  return list(value).map(item => {
    const column = record(item);
    const id = text(column.id);
    if (!id) {
      const growing = column.open === true;
      const names = ['model', 'continues from', 'ladder took', 'tokens', 'cost', 'time'];
      const parent = text(column.parent);
      return {
        id,
        key: text(column.key),
        variant: text(column.variant),
        state: text(column.state),
        growing,
        parent,
        label: '',
        question: text(column.question),
        facts: names.map(name => [name, name === 'continues from' ? parent || 'the root' : growing ? YET : '-'])
      };
    }
    const outcome = text(column.outcome);
    const cached = number(column.cached);
    const cost = typeof column.cost === 'number' ? column.cost : null;
    return {
      id,
      key: id,
      variant: text(column.variant),
      state: '',
      growing: false,
      parent: text(column.parent),
      label: text(column.label),
      question: text(column.question),
      facts: [
        ['model', text(column.model) + (outcome === 'complete' ? '' : `, ${outcome}`)],
        ['continues from', text(column.parent) || 'the root'],
        ['ladder took', text(column.ladder)],
        [
          'tokens',
          `${tokens(number(column.tokens_in))} in${cached ? ` (${tokens(cached)} cached)` : ''}, ${tokens(number(column.tokens_out))} out`
        ],
        ['cost', dollars(cost)],
        ['time', `${number(column.seconds).toFixed(1)} s`]
      ]
    };
  });
}

const readTexts = (value: unknown): Map<string, Texts> =>
  new Map(
    list(value).map(item => {
      const { id, prompt, text: answer } = record(item);
      return [text(id), { prompt: text(prompt), text: text(answer) }];
    })
  );

/** The texts: kept beside the state where the notebook has them, else fetched by id. */
function useTexts({ state }: ViewProps, columns: Column[], { stage, live }: Shared): Map<string, Texts> {
  const kept = useMemo(() => readTexts(state.data.texts), [state]);
  const [fetched, setFetched] = useState<Map<string, Texts>>(new Map());
  const wanted = columns.map(({ id }) => id).filter(id => id && !kept.has(id));
  const missing = wanted.filter(id => !fetched.has(id)).join(' ');
  useEffect(() => {
    if (live && missing) {
      stage.call('texts', { turns: missing.split(' ') }).then(
        result => setFetched(before => new Map([...before, ...readTexts(record(result).texts)])),
        () => undefined
      );
    }
  }, [stage, live, missing]);
  return useMemo(() => new Map([...fetched, ...kept]), [fetched, kept]);
}

export function Compare(props: ViewProps) {
  const { state, shared, html } = props;
  const columns = useMemo(() => readColumns(state.data.columns), [state]);
  const found = useTexts(props, columns, shared);
  const [chosen, setChosen] = useState(0);
  const [source, setSource] = useState(false);
  const [only, setOnly] = useState(false);
  const there = columns.filter(({ id }) => id);
  const partial = there.length < columns.length;
  const growing = columns.some(column => column.growing);
  const base = baseline(
    columns.map(({ id }) => !id),
    chosen
  );
  const known = there.every(({ id }) => found.has(id));
  const prompts = columns.map(({ key, question }) => found.get(key)?.prompt ?? question);
  const answers = columns.map(({ key }) => found.get(key)?.text ?? '');
  const all = answers.join('\0');
  const answer = useMemo(() => (partial ? null : align(answers, base)), [all, base, partial]);
  const table = usePlace(partial);
  const share = (n: number): string =>
    n === base ? 'the baseline' : known && answer ? `${Math.round(100 * (answer.shares[n] ?? 1))} %` : YET;
  const copy = async (): Promise<void> => {
    const result = await shared.act('markdown', { turns: there.map(({ id }) => id) });
    if (result) {
      await shared.stage.copy(text(result.text));
      shared.say('copied as Markdown');
    }
  };
  return (
    <>
      <header class="bar">
        <strong class="name">{plural(columns.length, 'answer')} side by side</strong>
        <span class="quiet grow">
          compared with <code>{columns[base]?.id || YET}</code>
        </span>
        <Button
          label="Show only the blocks that differ"
          pressed={only}
          disabled={partial}
          onPress={() => setOnly(!only)}
        >
          Only differences
        </Button>
        <Button label="Show the Markdown source" pressed={source} onPress={() => setSource(!source)}>
          Source
        </Button>
        <Button
          label="Copy the comparison as Markdown"
          disabled={!shared.live || there.length < 2}
          onPress={() => void copy()}
        >
          Copy as Markdown
        </Button>
      </header>
      <Told state={state.data} />
      <div
        ref={table}
        class="table"
        role="table"
        aria-label="Answers side by side"
        aria-busy={growing}
        style={{ '--columns': columns.length }}
      >
        <div class="line heads" role="row">
          {columns.map((column, n) => (
            <Head key={n} column={column} base={n === base} rebase={() => setChosen(n)} />
          ))}
        </div>
        <div class="line" role="row">
          {columns.map((column, n) => (
            <Facts key={n} column={column} share={column.id ? share(n) : YET} shared={shared} />
          ))}
        </div>
        <Section name="prompt" texts={prompts} base={base} source={true} only={false} stage={shared.stage} />
        {!known ? (
          <Kept html={html} live={shared.live} />
        ) : partial ? (
          <Partial columns={columns} texts={answers} base={base} source={source} stage={shared.stage} />
        ) : (
          <Section name="answer" texts={answers} base={base} source={source} only={only} stage={shared.stage} />
        )}
      </div>
    </>
  );
}

/** Frames that a new layout may take until its blocks are rendered. */
const FRAMES = 30;

/** An element that stays as high, and scrolled as far, while what it holds is laid out anew. */
function usePlace(layout: unknown): { current: HTMLDivElement | null } {
  const element = useRef<HTMLDivElement>(null);
  const before = useRef({ top: 0, height: 0 });
  if (element.current) {
    before.current = { top: element.current.scrollTop, height: element.current.offsetHeight };
  }
  useLayoutEffect(() => {
    const place = element.current;
    const { top, height } = before.current;
    if (!place || !height) {
      return undefined;
    }
    let [frames, next] = [FRAMES, 0];
    place.style.minHeight = `${height}px`;
    const put = (): void => {
      place.scrollTop = top;
      if (frames-- > 0 && (place.scrollTop < top - 1 || frames > FRAMES - 3)) {
        next = requestAnimationFrame(put);
      } else {
        place.style.minHeight = '';
      }
    };
    put();
    return () => {
      cancelAnimationFrame(next);
      place.style.minHeight = '';
    };
  }, [layout]);
  return element;
}

/** How far an experiment has come, and what is said of it. */
function Told({ state }: { state: Record<string, unknown> }) {
  const lines = [state.progress, ...list(state.notes)].map(text).filter(Boolean);
  return (
    <>
      {lines.map((line, n) => (
        <p key={n} class="quiet">
          <Coded line={line} />
        </p>
      ))}
    </>
  );
}

interface PartialProps {
  columns: Column[];
  texts: string[];
  base: number;
  source: boolean;
  stage: Stage;
}

/** Answers of which some are not there: these as far as they came, the others compared with each other, unaligned. */
function Partial({ columns, texts, base, source, stage }: PartialProps) {
  const there = columns.flatMap(({ id }, n) => (id ? [n] : []));
  const finished = there.map(n => texts[n] ?? '');
  const compared = useMemo(() => stacks(finished, Math.max(0, there.indexOf(base))), [finished.join('\0'), base]);
  return (
    <>
      <div class="band" role="row">
        <span role="cell">answer</span>
      </div>
      <div class="line" role="row">
        {columns.map((column, n) => {
          const stacked = compared[there.indexOf(n)] ?? blocks(texts[n] ?? '').map(plain);
          return (
            <div key={n} class="cell stack" role="cell" dir="auto">
              {stacked.map((block, at) => (
                <Block key={at} {...block} kind={n === base ? 'here' : 'there'} source={source} stage={stage} />
              ))}
              {!column.id && stacked.length === 0 && <span class="quiet">{column.state}</span>}
            </div>
          );
        })}
      </div>
    </>
  );
}

const NOTHING: string[] = [];
const plain = (block: string) => ({ text: block, others: NOTHING, alone: false });

/** What the notebook keeps as HTML, where neither the JSON nor a kernel has the texts. Only its text is taken. */
function Kept({ html, live }: { html: string; live: boolean }) {
  const kept = useMemo(() => new DOMParser().parseFromString(html, 'text/html').body.textContent ?? '', [html]);
  return (
    <div class="cell plain">
      {live ? '…' : kept || 'The answers are in their cells; a running kernel shows them here.'}
    </div>
  );
}

interface HeadProps {
  column: Column;
  base: boolean;
  rebase(): void;
}

function Head({ column, base, rebase }: HeadProps) {
  return (
    <div class={base ? 'cell head base' : 'cell head'} role="columnheader">
      {column.variant && <strong>{column.variant}</strong>}
      {column.id && <code class="id">{column.id}</code>}
      {column.state && <span class="quiet">{column.state}</span>}
      {column.label && <span class="mark label">{column.label}</span>}
      <label class="grow right" title="Compare the others with this one">
        <input type="radio" checked={base} disabled={!column.id} onChange={rebase} /> baseline
      </label>
    </div>
  );
}

function Facts({ column, share, shared }: { column: Column; share: string; shared: Shared }) {
  return (
    <div class="cell" role="cell">
      <dl>
        {[...column.facts, ['same words', share]].map(([name, value]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>{value}</dd>
          </div>
        ))}
      </dl>
      <Button
        label="Make this the tip: the next new cell continues from here"
        disabled={!shared.live || !column.id}
        onPress={() => void shared.act('continue', { turn: column.id })}
      >
        Continue from here
      </Button>
    </div>
  );
}

interface SectionProps {
  name: string;
  texts: string[];
  base: number;
  source: boolean;
  only: boolean;
  stage: Stage;
}

function Section({ name, texts, base, source, only, stage }: SectionProps) {
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
          <Same key={n} lines={group} source={source} only={only} stage={stage} />
        ) : (
          <Different key={n} line={group[0] as Line} base={base} source={source} stage={stage} />
        )
      )}
    </>
  );
}

function Same({ lines, source, only, stage }: { lines: Line[]; source: boolean; only: boolean; stage: Stage }) {
  const whole = lines.map(line => line.cells[0] ?? '').join('\n\n');
  const [open, setOpen] = useState(whole.length < LONG);
  const shown = open && !only;
  return (
    <div class="line same" role="row">
      {shown ? (
        <div class="cell" role="cell">
          {source ? <div class="plain">{whole}</div> : <Markdown stage={stage} text={whole} />}
        </div>
      ) : (
        <button type="button" class="cell folded" aria-expanded="false" disabled={only} onClick={() => setOpen(true)}>
          {plural(lines.length, 'block')} the same: {whole.replace(/\s+/g, ' ').slice(0, 90)}…
        </button>
      )}
    </div>
  );
}

function Different({ line, base, source, stage }: { line: Line; base: number; source: boolean; stage: Stage }) {
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

interface BlockProps {
  text: string;
  /** The blocks it is compared with. */
  others: string[];
  /** Whether the others have nothing here. */
  alone: boolean;
  kind: string;
  source: boolean;
  stage: Stage;
}

function Block({ text: block, others, alone, kind, source, stage }: BlockProps) {
  const compared = others.join('\0');
  const edit = useCallback(
    async (node: Node): Promise<void> => {
      const rendered = compared ? await Promise.all(compared.split('\0').map(other => stage.markdown(other))) : [];
      const told = alone ? [''] : rendered.map(other => other.textContent ?? '');
      if (told.length > 0) {
        tint(node, told, kind);
      }
    },
    [compared, alone, kind, stage]
  );
  if (!source) {
    return <Markdown stage={stage} text={block} edit={edit} />;
  }
  const pieces: Piece[] = alone ? [{ text: block, changed: true }] : common(others.map(other => changes(block, other)));
  return (
    <div class="plain">
      {pieces.length === 0
        ? block
        : pieces.map((piece, n) => (piece.changed ? <Marked key={n} text={piece.text} kind={kind} /> : piece.text))}
    </div>
  );
}

/** A tint ends where the words end, not with the space behind them. */
function Marked({ text: said, kind }: { text: string; kind: string }) {
  const bare = said.trimEnd();
  return (
    <>
      <mark class={kind}>{bare}</mark>
      {said.slice(bare.length)}
    </>
  );
}
