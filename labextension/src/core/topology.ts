/** A conversation's turns and how they hang together. A turn's parent comes before it, so nothing here can go in circles. */

import { amount, type Json, list, number, record, text, textMap, texts } from './reading';

export type Outcome = 'complete' | 'stopped' | 'failed';
const OUTCOMES: readonly Outcome[] = ['complete', 'stopped', 'failed'];

export interface Turn {
  id: string;
  parent: string | null;
  /** The beginning of the prompt. */
  title: string;
  model: string;
  outcome: Outcome;
  /** Tokens of the last request and its answer. */
  context: number;
  /** Dollars; null where the price is unknown. */
  cost: number | null;
  seconds: number;
  /** Seconds since 1970. */
  created: number;
}

export interface Topology {
  turns: Map<string, Turn>;
  /** By parent, oldest first; null is the root. */
  children: Map<string | null, string[]>;
  tip: string | null;
  /** The store's number of the newest turn: what is new is asked for by it. */
  last: number;
  labels: Map<string, string[]>;
  favourites: ReadonlySet<string>;
  hidden: ReadonlySet<string>;
  unsaved: ReadonlySet<string>;
  /** Checkpoints that point at a turn, by label. */
  checkpoints: Map<string, string[]>;
  /** What the ladder decided after a turn. */
  compactions: Map<string, string[]>;
  /** Conversations that were forked at a turn. */
  forks: Map<string, string[]>;
}

function readTurn(value: unknown, models: string[], known: ReadonlyMap<string, Turn>): Turn {
  const [id, parent, title, model, outcome, context, cost, seconds, created] = list(value);
  const above = text(parent);
  return {
    id: text(id),
    parent: known.has(above) ? above : null,
    title: text(title),
    model: models[number(model)] ?? '',
    outcome: OUTCOMES[number(outcome)] ?? 'complete',
    context: number(context),
    cost: amount(cost),
    seconds: number(seconds),
    created: number(created)
  };
}

/** A view's data as a tree; with `before`, what is new since then is added to it. */
export function readTree(data: Json, before?: Topology): Topology {
  const turns = new Map(before?.turns);
  const children = new Map(before?.children ?? [[null, []]]);
  const models = texts(data.models);
  for (const item of list(data.turns)) {
    const turn = readTurn(item, models, turns);
    if (turn.id && !turns.has(turn.id)) {
      turns.set(turn.id, turn);
      children.set(turn.id, []);
      const beside = children.get(turn.parent) ?? [];
      // a new list where an older tree shares it
      children.set(turn.parent, before ? [...beside, turn.id] : beside);
      if (!before) {
        beside.push(turn.id);
      }
    }
  }
  const labels = new Map<string, string[]>();
  for (const [label, turn] of Object.entries(record(data.labels))) {
    labels.set(text(turn), [...(labels.get(text(turn)) ?? []), label]);
  }
  return {
    turns,
    children,
    tip: turns.has(text(data.tip)) ? text(data.tip) : null,
    last: number(data.last),
    labels,
    favourites: new Set(texts(data.favourites)),
    hidden: new Set(texts(data.hidden)),
    unsaved: new Set(texts(data.unsaved)),
    checkpoints: textMap(data.checkpoints),
    compactions: textMap(data.compactions),
    forks: textMap(data.forks)
  };
}

/** The turns from the root to `turn`. */
export function pathTo({ turns }: Topology, turn: string | null): string[] {
  const path: string[] = [];
  for (let id = turn; id !== null; id = turns.get(id)?.parent ?? null) {
    path.push(id);
  }
  return path.reverse();
}

export function childrenOf({ children }: Topology, turn: string | null): readonly string[] {
  return children.get(turn) ?? [];
}

/** The answers beside a turn, itself included, oldest first; a turn that failed has none. */
export function answers(tree: Topology, turn: Turn): string[] {
  return childrenOf(tree, turn.parent).filter(id => tree.turns.get(id)?.outcome !== 'failed');
}

/** "answer 2 of 3" in two numbers; null for an only answer, and for none. */
export function place(tree: Topology, turn: Turn): [number, number] | null {
  const beside = answers(tree, turn);
  return beside.length > 1 && turn.outcome !== 'failed' ? [beside.indexOf(turn.id) + 1, beside.length] : null;
}

export function leaves(tree: Topology): number {
  let count = 0;
  for (const id of tree.turns.keys()) {
    count += childrenOf(tree, id).length === 0 ? 1 : 0;
  }
  return count;
}
