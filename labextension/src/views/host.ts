/** What a view asks of the place it is mounted in. */

export interface Host {
  /** Rendered, sanitised Markdown, not yet in the page. */
  render(markdown: string): Promise<Node>;
  /** New blocks are in the page: what needs layout (math) can be done now. */
  settle(blocks: readonly Element[]): void;
  /** Ask the kernel; see Calls. */
  call(name: string, args: Record<string, string>): Promise<unknown>;
  /** Keep this output in the notebook in place of the present one. */
  keep(data: unknown): void;
  copy(text: string): Promise<void>;
  /** Bring the cell that shows a turn into view; false where none does. */
  reveal(turn: string): boolean;
  /** Ask the model once more, beside this turn; the cell shows the answer. Rejects with one line. */
  again(turn: string): Promise<void>;
}
