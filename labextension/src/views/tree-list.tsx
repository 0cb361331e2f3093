/** The tree as an indented list. Only the rows in sight are in the page. */

import type { TargetedKeyboardEvent, TargetedMouseEvent } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { inSight, type Row } from '../core/rows';
import { place, type Topology } from '../core/topology';
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
  active: boolean;
  chosen: boolean;
  look(): void;
  hover(): void;
  fold(): void;
  choose(): void;
}

function Line({ row, tree, top, active, chosen, look, hover, fold, choose }: LineProps) {
  const { turn, depth, children, folded } = row;
  const tip = tree.tip === turn.id;
  const beside = place(tree, turn);
  const kinds = ['row', row.onPath && 'path', active && 'active', tip && 'tip', turn.outcome, chosen && 'chosen'];
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
      aria-selected={chosen}
      aria-current={tip ? 'true' : undefined}
      aria-expanded={children ? !folded : undefined}
      aria-label={spoken(row, tree)}
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
      {folded > 0 && <span class="mark quiet">+{folded.toLocaleString('en')}</span>}
      <Marks row={row} tree={tree} />
      {beside && (
        <span class="mark quiet" title={`Answer ${beside[0]} of ${beside[1]}`}>
          {beside[0]}/{beside[1]}
        </span>
      )}
      <code class="id">{turn.id}</code>
    </div>
  );
}

/** What is worth a mark: labels, a model other than the parent's, an outcome other than complete, and so on. */
export function Marks({ row: { turn }, tree }: { row: Pick<Row, 'turn'>; tree: Topology }) {
  const parent = turn.parent === null ? undefined : tree.turns.get(turn.parent);
  const compacted = tree.compactions.get(turn.id);
  const forks = tree.forks.get(turn.id);
  return (
    <>
      {tree.labels.get(turn.id)?.map(label => (
        <span key={label} class="mark label" title="Label">
          {label}
        </span>
      ))}
      {tree.favourites.has(turn.id) && (
        <span class="mark star" title="Favourite">
          ★
        </span>
      )}
      {turn.outcome !== 'complete' && <span class={`mark ${turn.outcome}`}>{turn.outcome}</span>}
      {tree.unsaved.has(turn.id) && (
        <span class="mark failed" title="Only in memory: the store could not be written">
          not saved
        </span>
      )}
      {tree.checkpoints.get(turn.id)?.map(label => (
        <span key={label} class="mark checkpoint" title="Checkpoint">
          ⚑ {label}
        </span>
      ))}
      {compacted && (
        <span class="mark compaction" title={`The ladder decided here: ${compacted.join(', ')}`}>
          ▤ {compacted.join(', ')}
        </span>
      )}
      {forks && (
        <span class="mark quiet" title={`Forked here into ${forks.join(', ')}`}>
          ↳ {forks.length > 1 ? forks.length : forks[0]}
        </span>
      )}
      {tree.tip === turn.id && <span class="mark here">you are here</span>}
      {(!parent || parent.model !== turn.model) && <span class="mark quiet model">{turn.model}</span>}
    </>
  );
}

function spoken({ turn, onPath, folded }: Row, tree: Topology): string {
  const beside = place(tree, turn);
  return [
    turn.title || 'empty prompt',
    turn.id,
    tree.tip === turn.id ? 'the tip' : onPath ? 'on the path' : 'not on the path',
    beside ? `answer ${beside[0]} of ${beside[1]}` : '',
    ...(tree.labels.get(turn.id) ?? []).map(label => `label ${label}`),
    ...(tree.checkpoints.get(turn.id) ?? []).map(label => `checkpoint ${label}`),
    tree.favourites.has(turn.id) ? 'favourite' : '',
    turn.outcome === 'complete' ? '' : turn.outcome,
    tree.compactions.has(turn.id) ? 'compacted after this' : '',
    turn.model,
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
