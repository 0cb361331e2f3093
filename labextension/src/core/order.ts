/** Where the order of the cells and the order of the tree part. */

import type { Turn } from './turn';

/** What a cell shows: a turn of a conversation, or nothing of ours. */
export type Place = { id: string; conversation: string; siblings?: readonly string[] } | null;

/**
 * One quiet line where an answer does not continue from the one above it; empty where it does, or where nobody can tell.
 * Answers of other conversations in between do not count; an answer beside the one above is in the same place.
 */
export function astray(turn: Turn, places: readonly Place[], here: number): string {
  const above = places
    .slice(0, Math.max(0, here))
    .filter(place => place?.conversation === turn.conversation)
    .at(-1);
  const there = above && turn.parent !== null && (above.id === turn.parent || above.siblings?.includes(turn.parent));
  if (!above || there || turn.streaming) {
    return '';
  }
  return turn.parent === null ? 'begins anew, not from the answer above' : 'not from the answer above';
}
