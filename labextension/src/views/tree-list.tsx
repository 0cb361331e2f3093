/** The tree as an indented list. Only the rows in sight are in the page. */

import type { TargetedKeyboardEvent, TargetedMouseEvent } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { type Mark, type MarkKind, marksOf, SIGN } from '../core/marks';
import { inSight, type Row } from '../core/rows';
import type { Topology } from '../core/topology';
import { useSize } from './parts';

export const HEIGHT = 28;
const STEP = 18;
const HOVER = 160;

export interface ListProps {
  tree: Topology;
  rows: Row[];
  index: number;
  chosen: ReadonlySet<string>;
  look(id: string): void;
  peek(id: string | null): void;
  fold(row: Row): void;
  choose(id: string): void;
  onKeyDown(event: TargetedKeyboardEvent<HTMLElement>): void;
}

/** Hovering for a moment looks at a turn; leaving looks back. */
export function useHover(peek: (id: string | null) => void): (id: string | null, pause?: number) => void {
  const timer = useRef<ReturnType<typeof setTimeout> | undefined>(undefined);
  useEffect(() => () => clearTimeout(timer.current), []);
  return (id, pause = HOVER) => {
    clearTimeout(timer.current);
    if (pause === 0) {
      // at once: what is pressed next is meant for the turn that was chosen
      peek(id);
    } else {
      timer.current = setTimeout(() => peek(id), pause);
    }
  };
}

export function Branches({ tree, rows, index, chosen, look, peek, fold, choose, onKeyDown }: ListProps) {
  const [element, { height }] = useSize<HTMLDivElement>();
  const [top, setTop] = useState(0);
  const hover = useHover(peek);
  const began = useRef(false);
  useEffect(() => {
    const box = element.current;
    if (!box) {
      return;
    }
    const [from, to] = [index * HEIGHT, (index + 1) * HEIGHT];
    const seen = box.clientHeight || 400;
    if (from < box.scrollTop || to > box.scrollTop + seen) {
      // the first time the place is in the middle, later it moves as little as it can
      const middle = from - seen / 2;
      box.scrollTop = began.current ? (from < box.scrollTop ? from : to - seen) : middle;
    }
    began.current = true;
  }, [element, index]);
  const [from, to] = inSight(rows.length, HEIGHT, top, height || 400);
  const active = rows[index];
  return (
    <div
      class="rows"
      ref={element}
      role="tree"
      aria-label="Turns"
      aria-multiselectable="true"
      aria-activedescendant={active ? `t-${active.turn.id}` : undefined}
      tabIndex={0}
      onKeyDown={onKeyDown}
      onScroll={event => setTop(event.currentTarget.scrollTop)}
      onMouseLeave={() => hover(null, 0)}
    >
      <div class="all" role="presentation" style={{ height: `${rows.length * HEIGHT}px` }}>
        {rows.slice(from, to).map((row, n) => (
          <Line
            key={row.turn.id}
            row={row}
            tree={tree}
            top={(from + n) * HEIGHT}
            nth={from + n + 1}
            count={rows.length}
            active={from + n === index}
            chosen={chosen.has(row.turn.id)}
            look={() => look(row.turn.id)}
            hover={() => hover(row.turn.id)}
            fold={() => fold(row)}
            choose={() => choose(row.turn.id)}
          />
        ))}
      </div>
    </div>
  );
}

interface LineProps {
  row: Row;
  tree: Topology;
  top: number;
  nth: number;
  count: number;
  active: boolean;
  chosen: boolean;
  look(): void;
  hover(): void;
  fold(): void;
  choose(): void;
}

function Line({ row, tree, top, nth, count, active, chosen, look, hover, fold, choose }: LineProps) {
  const { turn, depth, children, folded, found } = row;
  const tip = tree.tip === turn.id;
  const marks = marksOf(tree, turn);
  const kinds = [
    'row',
    row.onPath && 'path',
    active && 'active',
    tip && 'tip',
    turn.outcome,
    chosen && 'chosen',
    found && 'hit'
  ];
  const press = (event: TargetedMouseEvent<HTMLElement>): void => {
    if (event.ctrlKey || event.metaKey || event.shiftKey) {
      choose();
    }
    look();
  };
  return (
    <div
      class={kinds.filter(Boolean).join(' ')}
      id={`t-${turn.id}`}
      role="treeitem"
      aria-level={depth + 1}
      aria-posinset={nth}
      aria-setsize={count}
      aria-selected={chosen}
      aria-current={tip ? 'true' : undefined}
      aria-expanded={children ? !folded : undefined}
      aria-label={spoken(row, tree, marks)}
      style={{ transform: `translateY(${top}px)` }}
      onClick={press}
      onMouseEnter={hover}
    >
      <Gutter row={row} tip={tip} hidden={tree.hidden.has(turn.id)} />
      {(folded > 0 || (children > 0 && (row.first || children > 1))) && (
        <span
          class="fold"
          role="presentation"
          title={folded ? 'Unfold (right arrow)' : 'Fold (left arrow)'}
          onClick={event => {
            event.stopPropagation();
            fold();
          }}
        >
          {folded ? '▸' : '▾'}
        </span>
      )}
      <span class="title" dir="auto">
        {turn.title || '(empty)'}
      </span>
      {found && (
        <span class="found" dir="auto" title={found}>
          {found}
        </span>
      )}
      {folded > 0 && <span class="mark quiet">+{folded.toLocaleString('en')}</span>}
      <Marks marks={marks} />
      <code class="id">{turn.id}</code>
    </div>
  );
}

/** The marks of a turn; a place is written short. */
function Marks({ marks }: { marks: readonly Mark[] }) {
  return (
    <>
      {marks.map(({ kind, text }) => (
        <span
          key={`${kind} ${text}`}
          class={`mark ${CLASS[kind] ?? kind} ${kind === 'outcome' ? text : ''}`}
          title={TITLE[kind]}
        >
          {[SIGN[kind], kind === 'place' ? text.replace(/answer (\d+) of (\d+)/, '$1/$2') : text]
            .filter(Boolean)
            .join(' ')}
        </span>
      ))}
    </>
  );
}

const CLASS: Partial<Record<MarkKind, string>> = {
  favourite: 'star',
  place: 'quiet',
  model: 'quiet model',
  unsaved: 'failed',
  fork: 'quiet'
};
const TITLE: Partial<Record<MarkKind, string>> = {
  label: 'Label',
  favourite: 'Favourite',
  place: 'Which answer to the same turn it is',
  unsaved: 'Only in memory: the store could not be written',
  checkpoint: 'Checkpoint',
  compaction: 'The ladder decided after this turn',
  fork: 'Forked here into another conversation'
};
const SPOKEN: Partial<Record<MarkKind, string>> = {
  label: 'label',
  favourite: 'favourite',
  checkpoint: 'checkpoint',
  compaction: 'the ladder decided after this:',
  fork: 'forked into'
};

function spoken({ turn, onPath, folded, found }: Row, tree: Topology, marks: readonly Mark[]): string {
  return [
    turn.title || 'empty prompt',
    turn.id,
    onPath ? 'on the path' : 'not on the path',
    ...marks.map(({ kind, text }) => [SPOKEN[kind], text].filter(Boolean).join(' ')),
    tree.hidden.has(turn.id) ? 'hidden' : '',
    found ?? '',
    folded ? `${folded} turns folded` : ''
  ]
    .filter(Boolean)
    .join(', ');
}

const RAIL = ['', 'rail', 'rail on'];

function Gutter({
  row: { depth, first, rails, above, below, onPath },
  tip,
  hidden
}: {
  row: Row;
  tip: boolean;
  hidden: boolean;
}) {
  const width = (depth + 1) * STEP + 6;
  const middle = HEIGHT / 2;
  const x = depth * STEP + STEP / 2 + 3;
  const column = (n: number): number => n * STEP + STEP / 2 + 3;
  return (
    <svg class="gutter" width={width} height={HEIGHT} aria-hidden="true">
      {rails.map((kind, n) => (kind ? <path key={n} class={RAIL[kind]} d={`M${column(n)} 0V${HEIGHT}`} /> : null))}
      {above > 0 && <path class={RAIL[above]} d={`M${x} 0V${middle}`} />}
      {below > 0 && <path class={RAIL[below]} d={`M${x} ${middle}V${HEIGHT}`} />}
      {first && (rails[depth - 1] ?? 0) > 0 && (
        <path
          class={RAIL[onPath ? 2 : 1]}
          d={`M${column(depth - 1)} 0V${middle - 7}Q${column(depth - 1)} ${middle} ${column(depth - 1) + 7} ${middle}H${x}`}
        />
      )}
      {tip && <circle class="ring" cx={x} cy={middle} r="8" />}
      <circle class={`dot${onPath ? ' on' : ''}${hidden ? ' hidden' : ''}`} cx={x} cy={middle} r={onPath ? 4.5 : 4} />
    </svg>
  );
}
