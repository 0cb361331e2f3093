/** The tree as nodes and links. Only what is in sight is in the page. */

import { useEffect, useMemo, useState } from 'preact/hooks';
import { marksOf, SIGN } from '../core/marks';
import { layOut, type Spot } from '../core/tidy';
import { childrenOf, pathTo, type Turn } from '../core/topology';
import { useSize } from './parts';
import { type ListProps, useHover } from './tree-list';

const [ACROSS, DOWN, MARGIN] = [30, 34, 36];

export function Nodes({
  tree,
  rows,
  index,
  chosen,
  look,
  peek,
  choose,
  onKeyDown,
  hidden
}: ListProps & { hidden: boolean }) {
  const [element, { width, height }] = useSize<HTMLDivElement>();
  const [zoom, setZoom] = useState(1);
  const [corner, setCorner] = useState({ left: 0, top: 0 });
  const hover = useHover(peek);
  const layout = useMemo(() => layOut(tree, ACROSS, DOWN, MARGIN, hidden), [tree, hidden]);
  const path = useMemo(() => new Set(pathTo(tree, tree.tip)), [tree]);
  const active = rows[index]?.turn.id;
  const levels = useMemo(() => new Map(rows.map(row => [row.turn.id, row.depth + 1])), [rows]);
  const spots = useMemo(() => new Map(layout.spots.map(spot => [spot.id, spot])), [layout]);
  useEffect(() => {
    const spot = spots.get(active ?? '');
    const box = element.current;
    if (spot && box) {
      const [x, y] = [spot.x * zoom, spot.y * zoom];
      const far = x < box.scrollLeft + 20 || x > box.scrollLeft + box.clientWidth - 20;
      const high = y < box.scrollTop + 20 || y > box.scrollTop + box.clientHeight - 20;
      if (far || high) {
        box.scrollTo({ left: x - box.clientWidth / 2, top: y - box.clientHeight / 2 });
      }
    }
  }, [element, spots, active, zoom]);
  const near = ({ x, y }: { x: number; y: number }): boolean =>
    y * zoom > corner.top - 200 &&
    y * zoom < corner.top + (height || 500) + 200 &&
    x * zoom > corner.left - 400 &&
    x * zoom < corner.left + (width || 900) + 400;
  const seen = layout.spots.filter(spot => near(spot) || (spot.parent !== null && near(spot.parent)));
  const ordered = [...seen].sort((one, other) => Number(path.has(one.id)) - Number(path.has(other.id)));
  return (
    <div
      class="rows nodes"
      ref={element}
      role="tree"
      aria-label="Turns"
      aria-multiselectable="true"
      aria-activedescendant={active ? `t-${active}` : undefined}
      tabIndex={0}
      onKeyDown={event => {
        const factor = { '+': 1.25, '-': 0.8, '0': 1 / zoom }[event.key];
        if (factor) {
          setZoom(Math.min(2, Math.max(0.2, zoom * factor)));
        }
        onKeyDown(event);
      }}
      onScroll={({ currentTarget: { scrollLeft, scrollTop } }) => setCorner({ left: scrollLeft, top: scrollTop })}
      onWheel={event => {
        if (event.ctrlKey) {
          event.preventDefault();
          setZoom(Math.min(2, Math.max(0.2, zoom * (event.deltaY < 0 ? 1.15 : 0.87))));
        }
      }}
      onMouseLeave={() => hover(null, 0)}
    >
      <svg
        role="presentation"
        width={layout.width * zoom}
        height={layout.height * zoom}
        viewBox={`0 0 ${layout.width} ${layout.height}`}
      >
        {ordered.map(
          spot => spot.parent && <path key={spot.id} class={path.has(spot.id) ? 'rail on' : 'rail'} d={link(spot)} />
        )}
        {seen.map(spot => (
          <Node
            key={spot.id}
            spot={spot}
            title={`${spot.id}  ${tree.turns.get(spot.id)?.title ?? ''}`}
            kind={[
              'dot',
              path.has(spot.id) && 'on',
              tree.turns.get(spot.id)?.outcome ?? '',
              chosen.has(spot.id) && 'chosen',
              tree.hidden.has(spot.id) && 'hidden'
            ]}
            level={levels.get(spot.id) ?? 1}
            parent={childrenOf(tree, spot.id).length > 0}
            chosen={chosen.has(spot.id)}
            tip={tree.tip === spot.id}
            active={active === spot.id}
            above={marksOf(tree, tree.turns.get(spot.id) as Turn)
              .flatMap(({ kind, text }) => {
                const sign = SIGN[kind];
                return kind === 'label' || kind === 'checkpoint' ? `${sign ?? ''}${text}` : sign ? [sign] : [];
              })
              .join(' ')}
            press={more => {
              look(spot.id);
              if (more) {
                choose(spot.id);
              }
            }}
            hover={() => hover(spot.id)}
          />
        ))}
      </svg>
    </div>
  );
}

function link({ x, y, parent }: Spot): string {
  if (!parent) {
    return '';
  }
  const middle = (parent.y + y) / 2;
  return `M${parent.x} ${parent.y}C${parent.x} ${middle} ${x} ${middle} ${x} ${y}`;
}

interface NodeProps {
  spot: Spot;
  title: string;
  kind: (string | false)[];
  level: number;
  parent: boolean;
  chosen: boolean;
  tip: boolean;
  active: boolean;
  above: string;
  press(more: boolean): void;
  hover(): void;
}

function Node({ spot: { id, x, y }, title, kind, level, parent, chosen, tip, active, above, press, hover }: NodeProps) {
  return (
    <g
      id={`t-${id}`}
      role="treeitem"
      aria-label={title}
      aria-level={level}
      aria-expanded={parent ? true : undefined}
      aria-selected={chosen}
      aria-current={tip ? 'true' : undefined}
      class="node"
      transform={`translate(${x} ${y})`}
      onClick={event => press(event.ctrlKey || event.metaKey || event.shiftKey)}
      onMouseEnter={hover}
    >
      <circle r="14" fill="transparent" />
      {active && <circle class="focus" r="12" />}
      {tip && <circle class="ring" r="10" />}
      <circle class={kind.filter(Boolean).join(' ')} r="6" />
      {above && (
        <text x="10" y="-7">
          {above}
        </text>
      )}
    </g>
  );
}
