/** The path: the turns from the root to the tip, as the kernel last told it. */

import type { Turn } from './turn';

export interface Path {
  conversation: string;
  ids: readonly string[];
}

/** on: the model sees it. off: stored, but left. elsewhere: of another conversation. unknown: nobody can tell now. */
export type Standing = 'on' | 'off' | 'elsewhere' | 'unknown';

/** A kernel's message as a path; null where it names no conversation. */
export function readPath(message: unknown): Path | null {
  const { conversation, path } = (message ?? {}) as { conversation?: unknown; path?: unknown };
  if (typeof conversation !== 'string' || !Array.isArray(path)) {
    return null;
  }
  return { conversation, ids: path.filter(id => typeof id === 'string') };
}

export function standing(turn: Turn, path: Path | null): Standing {
  if (!path || turn.streaming || turn.outcome === 'failed') {
    return 'unknown';
  }
  if (turn.conversation !== path.conversation) {
    return 'elsewhere';
  }
  return path.ids.includes(turn.id) ? 'on' : 'off';
}

/** Whether the path runs through a sibling that `known` does not hold: somebody asked again since. */
export function hasNewSibling(turn: Turn, known: readonly string[], path: Path | null): boolean {
  if (!path || path.conversation !== turn.conversation) {
    return false;
  }
  const at = turn.parent === null ? 0 : path.ids.indexOf(turn.parent) + 1;
  const child = at > 0 || turn.parent === null ? path.ids[at] : undefined;
  return child !== undefined && !known.includes(child);
}
