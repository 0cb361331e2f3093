/** The ladder on one request: bars against the window, a row for each message, the exact request, and what-ifs. */

import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import {
  type Ladder as Data,
  dispositions,
  type MessageRow,
  RUNGS,
  readLadder,
  STEPS,
  stages,
  stepOf,
  windowAt
} from '../core/ladder';
import { text, texts } from '../core/reading';
import { inSight } from '../core/rows';
import { readView } from '../core/view';
import { Button, dollars, plural, tokens, useSize } from './parts';
import type { ViewProps } from './tree';

const HEIGHT = 28;
/** A slider that is dragged asks at most this often, in milliseconds. */
const PAUSE = 120;

interface WhatIf {
  window?: number;
  rungs?: string[];
}

function whatIf({ window, rungs }: Record<string, unknown>): WhatIf {
  return {
    ...(typeof window === 'number' ? { window } : {}),
    ...(Array.isArray(rungs) ? { rungs: texts(rungs) } : {})
  };
}

export function Ladder({ state, moves, shared }: ViewProps) {
  const [now, setNow] = useState(state);
  const [what, setWhat] = useState(() => whatIf(state.args));
  const [request, setRequest] = useState<string | null>(null);
  const data = useMemo(() => readLadder(now.data), [now]);
  const { stage, live } = shared;
  const { turn } = state.args;
  const asked = what.window !== undefined || what.rungs !== undefined;
  const args = useMemo(() => ({ ...(turn === undefined ? {} : { turn }), ...what }), [turn, what]);
  useEffect(() => {
    if (!live) {
      setNow(state);
      return undefined;
    }
    let gone = false;
    const timer = setTimeout(async () => {
      try {
        const found = readView(await stage.call('view', { view: 'ladder', args }));
        if (found && !gone) {
          setNow(found);
        }
      } catch (error) {
        shared.say(error instanceof Error ? error.message : String(error));
      }
    }, PAUSE);
    return () => {
      gone = true;
      clearTimeout(timer);
    };
  }, [args, live, moves, stage, state]);

  const step = stepOf(what.window ?? data.window, data.least, data.most);
  const rungs = new Set(what.rungs ?? data.ladder);
  const pin = async (row: MessageRow): Promise<void> => {
    if (await shared.act('pin', { turn: row.turn, on: !data.pinned.has(row.turn) })) {
      setWhat({ ...what });
    }
  };
  const show = async (): Promise<void> => {
    const found = await shared.act('request', { args });
    setRequest(found ? text(found.text) : null);
  };
  return (
    <>
      <header class="bar">
        <strong class="name">{turn === 'next' || turn === undefined ? 'The next prompt' : `Turn ${turn}`}</strong>
        {data.whatIf && <span class="mark whatif">what if: nothing is sent</span>}
        <span class="grow" />
        {asked && (
          <Button label="Back to what is" onPress={() => setWhat({})}>
            Reset
          </Button>
        )}
        <Button
          label="The pages that stand for older turns"
          disabled={!live}
          onPress={() => shared.open('pages', { turn: turn ?? 'next' })}
        >
          Pages
        </Button>
        <Button
          label="Show the exact request"
          pressed={request !== null}
          disabled={!live}
          onPress={() => (request === null ? void show() : setRequest(null))}
        >
          Exact request
        </Button>
        {data.undo && (
          <Button
            label={`The ladder decided (${data.undo.kind}) after turn ${data.undo.turn}. Continue from before it: the turns stay in the tree`}
            disabled={!live}
            onPress={() => void shared.act('undo', { turn: data.undo?.turn })}
          >
            Undo compaction
          </Button>
        )}
      </header>
      <p class="quiet">{data.headline}</p>
      <div class="knobs">
        <label class="grow">
          window
          <input
            type="range"
            min="0"
            max={STEPS}
            value={step}
            disabled={!live || data.most <= data.least}
            aria-valuetext={`${tokens(what.window ?? data.window)} tokens`}
            onInput={event =>
              setWhat({ ...what, window: windowAt(Number(event.currentTarget.value), data.least, data.most) })
            }
            onKeyDown={event => event.stopPropagation()}
          />
          <output>{tokens(what.window ?? data.window)}</output>
        </label>
        <fieldset>
          <legend>rungs</legend>
          {RUNGS.map(rung => (
            <label key={rung}>
              <input
                type="checkbox"
                checked={rungs.has(rung)}
                disabled={!live}
                onChange={() => setWhat({ ...what, rungs: RUNGS.filter(each => rungs.has(each) !== (each === rung)) })}
              />
              {rung}
            </label>
          ))}
        </fieldset>
      </div>
      <Bars data={data} />
      {data.remarks.map(line => (
        <p key={line} class="quiet">
          {line}
        </p>
      ))}
      {request === null ? (
        <Messages data={data} live={live} pin={row => void pin(row)} />
      ) : (
        <pre class="request" tabIndex={0} role="region" aria-label="The exact request">
          {request}
        </pre>
      )}
    </>
  );
}

function Bars({ data }: { data: Data }) {
  const found = useMemo(() => stages(data), [data]);
  const skipped = data.rungs.filter(rung => !rung.applied);
  const at = (share: number): string => `${(100 * share).toFixed(2)}%`;
  return (
    <div class="bars" role="table" aria-label="The request before and after each rung">
      {found.stages.map((bar, n) => {
        const rung = data.rungs.find(each => each.rung === bar.name && n > 0);
        return (
          <div class="bar-row" role="row" key={bar.name} title={rung?.why}>
            <span class="bar-name" role="rowheader">
              {bar.name}
            </span>
            <span
              class="track"
              role="cell"
              aria-label={`${tokens(bar.tokens)} tokens${bar.over ? ', more than there is room for' : ''}`}
            >
              <span class={bar.over ? 'fill over' : 'fill'} style={{ width: at(bar.share) }} />
              {bar.back > 0 && (
                <span
                  class="back"
                  style={{ left: at(bar.share), width: at((bar.back * bar.share) / Math.max(1, bar.tokens)) }}
                />
              )}
              <span class="limit" style={{ left: at(found.room) }} title={`room for ${tokens(data.room)} tokens`} />
            </span>
            <span class="bar-number" role="cell">
              {tokens(bar.tokens)}
              {bar.back > 0 && <em> −{tokens(bar.back)}</em>}
            </span>
            <span class="bar-lost quiet" role="cell">
              {rung ? `${rung.cost ? dollars(rung.cost) : 'free'}${rung.lost ? `; ${rung.lost}` : ''}` : 'every word'}
            </span>
          </div>
        );
      })}
      {skipped.length > 0 && (
        <p class="quiet skipped">
          {skipped.map(rung => (
            <span key={rung.rung}>
              <strong>{rung.rung}</strong> {rung.why || 'not needed'}
              <br />
            </span>
          ))}
        </p>
      )}
    </div>
  );
}

function Messages({ data, live, pin }: { data: Data; live: boolean; pin(row: MessageRow): void }) {
  const [element, { height }] = useSize<HTMLDivElement>();
  const [top, setTop] = useState(0);
  const began = useRef(false);
  useEffect(() => {
    if (element.current && !began.current) {
      began.current = true;
      element.current.scrollTop = element.current.scrollHeight;
    }
  }, [element]);
  const most = Math.max(1, ...data.rows.map(row => row.before));
  const [from, to] = inSight(data.rows.length, HEIGHT, top, height || 400);
  const sum = dispositions(data.rows)
    .map(([name, count]) => `${count} ${name}`)
    .join(', ');
  return (
    <>
      <p class="quiet found">
        {plural(data.rows.length, 'message')}: {sum || 'none yet'}
      </p>
      <div
        class="rows messages"
        ref={element}
        role="table"
        aria-label="What became of each message"
        aria-rowcount={data.rows.length}
        tabIndex={0}
        onScroll={event => setTop(event.currentTarget.scrollTop)}
      >
        <div class="all" role="presentation" style={{ height: `${data.rows.length * HEIGHT}px` }}>
          {data.rows.slice(from, to).map((row, n) => (
            <div
              key={row.id}
              class={`row message ${kindOf(row)}`}
              role="row"
              aria-rowindex={from + n + 1}
              style={{ transform: `translateY(${(from + n) * HEIGHT}px)` }}
            >
              <code class="id" role="cell">
                {row.tag}
              </code>
              <span class="role" role="cell">
                {row.role}
              </span>
              <span class="title" role="cell" dir="auto">
                {row.title}
              </span>
              <span class="mini" role="cell" aria-label={`${row.before} tokens before, ${row.after} after`}>
                <span class="was" style={{ width: `${(100 * row.before) / most}%` }} />
                <span class="is" style={{ width: `${(100 * Math.min(row.after, most)) / most}%` }} />
              </span>
              <span class="bar-number" role="cell">
                {row.before === row.after ? tokens(row.after) : `${tokens(row.before)} → ${tokens(row.after)}`}
              </span>
              <span class="mark disposition" role="cell" title={row.reason}>
                {row.disposition}
              </span>
              <span class="quiet reason" role="cell">
                {row.reason}
              </span>
              <span role="cell">
                <Button
                  label={
                    data.pinned.has(row.turn)
                      ? 'Let this turn go again'
                      : 'Keep this turn verbatim, whatever the ladder does'
                  }
                  pressed={data.pinned.has(row.turn)}
                  disabled={!live}
                  kind="small"
                  onPress={() => pin(row)}
                >
                  {data.pinned.has(row.turn) ? 'pinned' : 'pin'}
                </Button>
              </span>
            </div>
          ))}
        </div>
      </div>
    </>
  );
}

function kindOf({ disposition }: MessageRow): string {
  if (disposition === 'kept') {
    return 'kept';
  }
  return disposition.startsWith('on page') ? 'paged' : disposition.includes('summary') ? 'told' : 'gone';
}
