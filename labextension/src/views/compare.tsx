/** Two to six answers side by side, along the blocks of any one of them. */

import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import { baseline, shared as inCommon } from '../core/compare';
import { list, text } from '../core/reading';
import { useBeside } from './beside';
import { newest, YET } from './columns';
import { Facts, Head } from './compare-head';
import { inRows, type Manner, Section, Uneven } from './compare-rows';
import { Button, Coded, plural } from './parts';
import { usePlace } from './place';
import type { ViewProps } from './tree';

export function Compare(props: ViewProps) {
  const { state, shared, html } = props;
  const { columns: all, texts: found } = useBeside(props);
  const [chosen, setChosen] = useState('');
  const [source, setSource] = useState(false);
  const [only, setOnly] = useState(false);
  const columns = newest(all, chosen || (all[0]?.key ?? ''));
  const there = columns.filter(({ id }) => id);
  const partial = there.length < columns.length;
  const growing = columns.some(column => column.growing);
  const base = baseline(
    columns.map(({ id }) => !id),
    Math.max(
      0,
      columns.findIndex(({ key }) => key === chosen)
    )
  );
  const known = there.every(({ id }) => found.has(id));
  const prompts = columns.map(({ key, question }) => found.get(key)?.prompt ?? question);
  const answers = columns.map(({ key }) => found.get(key)?.text ?? '');
  const shares = useShares(
    columns.map(({ id }, n) => (id ? (answers[n] ?? '') : null)),
    base
  );
  const rows = partial ? inRows(columns) : columns.length;
  const table = usePlace(rows);
  useSaid(there.length, growing, shared.say);
  const manner: Manner = { base, source, only, stage: shared.stage };
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
          {all.length > columns.length && `of ${all.length}, `}compared with <code>{columns[base]?.id || YET}</code>
        </span>
        <Button
          label="Show only the blocks that differ"
          pressed={only}
          disabled={partial && rows === 0}
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
        tabIndex={0}
        aria-label="Answers side by side"
        aria-busy={growing}
        style={{ '--columns': columns.length }}
      >
        <div class="line heads" role="row">
          {columns.map((column, n) => (
            <Head key={column.key} column={column} base={n === base} rebase={() => setChosen(column.key)} />
          ))}
        </div>
        <div class="line" role="row">
          {columns.map((column, n) => (
            <Facts
              key={column.key}
              column={column}
              share={n === base ? 'the baseline' : known ? (shares[n] ?? YET) : YET}
              shared={shared}
            />
          ))}
        </div>
        <Section name="prompt" texts={prompts} manner={{ ...manner, source: true, only: false }} />
        {!known ? (
          <Kept html={html} live={shared.live} />
        ) : partial ? (
          <Uneven columns={columns} texts={answers} manner={manner} />
        ) : (
          <Section name="answer" texts={answers} manner={manner} />
        )}
      </div>
    </>
  );
}

/** What share of its words each answer has in common with the baseline; null for one that is not there. */
function useShares(answers: (string | null)[], base: number): (string | null)[] {
  return useMemo(
    () =>
      answers.map(answer => (answer === null ? null : `${Math.round(100 * inCommon(answers[base] ?? '', answer))} %`)),
    [answers.join('\0'), base]
  );
}

/** Say when an answer begins to be written and when it is there, and nothing of what comes between. */
function useSaid(there: number, growing: boolean, say: (line: string) => void): void {
  const before = useRef('');
  useEffect(() => {
    const line = growing ? `${plural(there, 'answer')} there, more being written` : `${plural(there, 'answer')} there`;
    if (before.current) {
      say(line);
    }
    before.current = line;
  }, [there, growing]);
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

/** What the notebook keeps as HTML, where neither the JSON nor a kernel has the texts. Only its text is taken. */
function Kept({ html, live }: { html: string; live: boolean }) {
  const kept = useMemo(() => new DOMParser().parseFromString(html, 'text/html').body.textContent ?? '', [html]);
  return (
    <div role="row">
      <div class="cell plain" role="cell">
        {live ? YET : kept || 'The answers are in their cells; a running kernel shows them here.'}
      </div>
    </div>
  );
}
