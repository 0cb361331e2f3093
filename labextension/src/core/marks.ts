/**
 * What is worth saying of a turn wherever a tree is drawn: one list of marks, in the order in which they stand. The
 * kernel's text and HTML have the same (`notebook/marks.py`); `test/marks.json` holds both to it.
 */

import { place, type Topology, type Turn } from './topology';

export type MarkKind =
  | 'label'
  | 'favourite'
  | 'place'
  | 'model'
  | 'outcome'
  | 'unsaved'
  | 'checkpoint'
  | 'compaction'
  | 'fork'
  | 'here';

export interface Mark {
  kind: MarkKind;
  text: string;
}

/** What the signs mean; the other marks are words. The last ones are what a turn's dot looks like. */
export const LEGEND: readonly (readonly [sign: string, meaning: string])[] = [
  ['★', 'favourite'],
  ['⚑', 'checkpoint'],
  ['▤', 'the ladder decided after this turn'],
  ['↳', 'forked into another conversation'],
  ['2/3', 'the second of three answers'],
  ['●', 'on the path: the next prompt continues from its end'],
  ['○', 'on another branch'],
  ['◌', 'hidden']
];

export const SIGN: Partial<Record<MarkKind, string>> = { favourite: '★', checkpoint: '⚑', compaction: '▤', fork: '↳' };

export function marksOf(tree: Topology, turn: Turn): Mark[] {
  const { id, outcome } = turn;
  const all = (kind: MarkKind, texts: readonly string[] = []): Mark[] => texts.map(text => ({ kind, text }));
  const one = (kind: MarkKind, holds: unknown, text = ''): Mark[] => (holds ? [{ kind, text }] : []);
  const beside = place(tree, turn);
  const compacted = tree.compactions.get(id);
  return [
    ...all('label', tree.labels.get(id)),
    ...one('favourite', tree.favourites.has(id)),
    ...one('place', beside, `answer ${beside?.[0]} of ${beside?.[1]}`),
    ...one('model', tree.turns.get(turn.parent ?? '')?.model !== turn.model, turn.model),
    ...one('outcome', outcome !== 'complete', outcome),
    ...one('unsaved', tree.unsaved.has(id), 'not saved'),
    ...all('checkpoint', tree.checkpoints.get(id)),
    ...one('compaction', compacted, compacted?.join(', ')),
    ...all('fork', tree.forks.get(id)),
    ...one('here', tree.tip === id, 'you are here')
  ];
}
