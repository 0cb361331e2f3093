/** What an explorer asks of the place it is mounted in. */

import type { News } from '../core/followers';
import type { ViewState } from '../core/view';

export interface Stage {
  /** What is known now: the view's state, whether a kernel answers, the HTML that was kept beside the state. */
  get(): { state: ViewState | null; live: boolean; html: string };
  /** Be told when that changes, or when the tip moved; gives a function that ends it. */
  on(listener: () => void): () => void;
  /** Ask the kernel about the view's conversation. Rejects with one line. */
  call(name: string, args: Record<string, unknown>): Promise<unknown>;
  /** Rendered, sanitised Markdown, not yet in the page. */
  markdown(text: string): Promise<Node>;
  /** A rendered node is in the page now: what needs layout (formulas) can be done. */
  settle?(element: HTMLElement): void;
  /** Hear of answers while they are written under this turn (empty: at the root); gives a function that ends it. */
  follow?(parent: string, hear: (news: News) => void): () => void;
  copy(text: string): Promise<void>;
  /** Run what asks for another answer in a cell, to its end. Where it is missing, a person has to. */
  again?(turn: string, code: string): Promise<void>;
}
