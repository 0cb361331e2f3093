/** What the side panel asks of the place it is in. */

import type { ViewState } from '../core/view';
import type { Stage } from '../views/stage';

/** none: no notebook is in front. off: it has no kernel. strange: its kernel did not load us. ready: ask. */
export type Standing = 'none' | 'off' | 'strange' | 'ready';

export interface Desk {
  standing(): Standing;
  /** The notebook's name, for those who see several. */
  notebook(): string;
  /** What is to be known before all else, in one line; mostly empty. */
  caution(): string;
  /** Be told what a command did; gives a function that ends it. */
  onSaid(listener: (line: string) => void): () => void;
  /** Another notebook, another path, another kernel; gives a function that ends it. */
  on(listener: () => void): () => void;
  /** Ask the kernel. Rejects with one line. */
  call(name: string, args?: Record<string, unknown>): Promise<unknown>;
  /** Bring the cell that shows a turn into view; false where none does. */
  reveal(turn: string): boolean;
  /** Run one of JupyterLab's commands. */
  run(command: string): void;
  /** The place of a tree in the panel. */
  stage(state: ViewState): Stage;
}
