/**
 * The tree as an indented list. A chain does not indent, however long; only a side branch does. Where a turn has several
 * children, the one on the path (else the one with most turns below it) goes on in the same column, after the others.
 */

import { childrenOf, pathTo, type Topology, type Turn } from './topology';

export interface Row {
  turn: Turn;
  /** How many side branches it stands in. */
  depth: number;
  /** Whether it begins a side branch. */
  first: boolean;
  onPath: boolean;
  /** Turns below it that are folded away. */
  folded: number;
  /** Turns that continue from it. */
  children: number;
  /** For each column left of it: 0 no line, 1 a line that goes on below, 2 the path. */
  rails: readonly number[];
  /** The line above it and below it in its own column, likewise. */
  above: number;
  below: number;
  /** Where a filter found its words, if not in the title. */
  found?: string;
}

export interface Shown {
  collapsed: ReadonlySet<string>;
  /** Whether hidden turns are listed. */
  hidden?: boolean;
}

/** For each turn, how many turns its branch has, itself included. */
export function sizes(tree: Topology): Map<string, number> {
  const size = new Map<string, number>();
  for (const turn of [...tree.turns.values()].reverse()) {
    const own = (size.get(turn.id) ?? 0) + 1;
    size.set(turn.id, own);
    if (turn.parent !== null) {
      size.set(turn.parent, (size.get(turn.parent) ?? 0) + own);
    }
  }
  return size;
}

/** The branches that a large tree shows folded: side branches off the path. */
export function foldedAtFirst(tree: Topology, most: number): Set<string> {
  if (tree.turns.size <= most) {
    return new Set();
  }
  const path = new Set(pathTo(tree, tree.tip));
  const folded = new Set<string>();
  for (const id of tree.turns.keys()) {
    const below = childrenOf(tree, id);
    if (!path.has(id) && below.length > 0 && childrenOf(tree, tree.turns.get(id)?.parent ?? null).length > 1) {
      folded.add(id);
    }
  }
  return folded;
}

export function outline(tree: Topology, { collapsed, hidden = false }: Shown, size = sizes(tree)): Row[] {
  const path = new Set(pathTo(tree, tree.tip));
  const weigh = (id: string): number => (path.has(id) ? Number.MAX_SAFE_INTEGER : (size.get(id) ?? 0));
  const seen = (id: string): boolean => hidden || !tree.hidden.has(id);
  const rows: Row[] = [];
  const stack: { id: string; depth: number; first: boolean; rails: readonly number[]; root: boolean }[] = [];
  const colour = (id: string | undefined): number => (id === undefined ? 0 : path.has(id) ? 2 : 1);
  const mainOf = (ids: readonly string[]): string | undefined => {
    let main: string | undefined;
    for (const id of ids) {
      // of equals the newest goes on
      main = main === undefined || weigh(id) >= weigh(main) ? id : main;
    }
    return main;
  };
  const push = (ids: readonly string[], depth: number, rails: readonly number[], root: boolean): string | undefined => {
    const main = mainOf(ids);
    if (main === undefined) {
      return undefined;
    }
    stack.push({ id: main, depth, first: false, rails, root });
    if (ids.length > 1) {
      const beside = [...rails, root ? 0 : colour(main)];
      for (let n = ids.length - 1; n >= 0; n--) {
        const id = ids[n] as string;
        if (id !== main) {
          stack.push({ id, depth: depth + 1, first: true, rails: beside, root: false });
        }
      }
    }
    return main;
  };
  const filtered = (id: string | null): readonly string[] => {
    const all = childrenOf(tree, id);
    return all.every(seen) ? all : all.filter(seen);
  };
  push(filtered(null), 0, [], true);
  for (let next = stack.pop(); next; next = stack.pop()) {
    const { id, depth, first, rails, root } = next;
    const turn = tree.turns.get(id) as Turn;
    const below = filtered(id);
    const folds = collapsed.has(id) && below.length > 0;
    const main = folds ? undefined : push(below, depth, rails, false);
    rows.push({
      turn,
      depth,
      first,
      onPath: path.has(id),
      folded: folds ? (size.get(id) ?? 1) - 1 : 0,
      children: below.length,
      rails,
      above: first || root ? 0 : colour(id),
      below: colour(main)
    });
  }
  return rows;
}

/** Turns whose texts have the words of a filter, as the kernel found them, with a line around the words. */
export type Said = ReadonlyMap<string, string>;

/**
 * The rows that a filter keeps, as a flat list: every word is in the title, the id, a label or the model, or the kernel
 * found the turn.
 */
export function matching(tree: Topology, filter: string, said: Said = new Map()): Row[] {
  const words = filter.toLowerCase().split(/\s+/).filter(Boolean);
  const path = new Set(pathTo(tree, tree.tip));
  const rows: Row[] = [];
  for (const turn of tree.turns.values()) {
    const labels = tree.labels.get(turn.id)?.join(' ') ?? '';
    const where = `${turn.title} ${turn.id} ${labels} ${turn.model}`.toLowerCase();
    const found = said.get(turn.id);
    const named = words.every(word => where.includes(word));
    if (named || found !== undefined) {
      rows.push({
        turn,
        depth: 0,
        first: false,
        onPath: path.has(turn.id),
        folded: 0,
        children: childrenOf(tree, turn.id).length,
        rails: [],
        above: 0,
        below: 0,
        ...(named || found === undefined ? {} : { found })
      });
    }
  }
  return rows;
}

/** The next row, upwards (-1) or downwards (1), that several turns continue from; `from` where there is none. */
export function jump(rows: readonly Row[], from: number, way: 1 | -1): number {
  for (let n = from + way; n >= 0 && n < rows.length; n += way) {
    if ((rows[n]?.children ?? 0) > 1) {
      return n;
    }
  }
  return from;
}

/** The rows that are in sight, with some to spare on both sides. */
export function inSight(count: number, height: number, top: number, seen: number, spare = 8): [number, number] {
  const from = Math.max(0, Math.floor(top / height) - spare);
  return [Math.min(from, count), Math.min(count, Math.ceil((top + seen) / height) + spare)];
}
