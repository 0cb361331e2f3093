/** What an answer shows besides its text: a pure function of what is known. */

import { astray, type Place } from './order';
import { type Path, standing } from './path';
import type { Answer } from './turn';

export interface State {
  /** The answer that the cell's output holds. */
  own: Answer;
  /** The answer that is looked at: its own, or a sibling. */
  shown: Answer;
  /** The siblings, oldest first. */
  ids: readonly string[];
  path: Path | null;
  /** What the notebook's cells show, in their order, and which of them this is. */
  places: readonly Place[];
  here: number;
  /** Whether a kernel can be asked. */
  live: boolean;
  /** Whether the kernel was asked and has not answered. */
  waiting: boolean;
  /** Whether the kernel is at work, so that an answer that is not finished may still be. */
  busy: boolean;
}

export interface Face {
  /** "2 of 3", or empty where there is only one. */
  position: string;
  previous: string | null;
  next: string | null;
  /** Why the answer has an edge, in words; empty where it has none. */
  mark: string;
  /** Where the order of the cells and the order of the tree part, in words; empty where they do not. */
  astray: string;
  /** Whether the model can be asked once more, here. */
  again: boolean;
  /** What the button that moves the tip says; empty where there is nothing to move. */
  move: string;
  /** The prompt of the answer that is looked at, where it is not the cell's. */
  prompt: string;
  writing: boolean;
}

const CUT = 'cut off here; running the cell shows the whole answer, or asks for it';
const MARKS = { on: '', unknown: '', off: 'not on the path', elsewhere: 'from another conversation' };

export function face({ own, shown, ids, path, places, here, live, waiting, busy }: State): Face {
  const at = ids.indexOf(shown.turn.id);
  const stands = standing(shown.turn, path);
  const looking = shown.turn.id !== own.turn.id;
  const unfinished = own.turn.streaming && !looking;
  const reach = (index: number): string | null => (live && !waiting && at >= 0 && ids[index]) || null;
  return {
    position: ids.length > 1 && at >= 0 ? `${at + 1} of ${ids.length}` : '',
    previous: reach(at - 1),
    next: reach(at + 1),
    astray: looking || stands === 'off' ? '' : astray(own.turn, places, here),
    again: live && !looking && !own.turn.streaming && (stands === 'on' || stands === 'off'),
    mark: unfinished && !busy ? CUT : MARKS[stands],
    move: live && stands === 'off' ? (looking ? 'continue here' : 'make it the path again') : '',
    prompt: looking && shown.turn.question !== own.turn.question ? shown.turn.question : '',
    writing: unfinished && busy
  };
}
