/** What makes a cell a chat cell: its magic line, the first that is not blank. */

const MAGIC = /^%%chat(?=\s|$)/;
const BLANK = /^\s*$/;

/** The 1-based number of the `%%chat` line, or 0 where the cell is no chat cell. `line` gives a line's text by number. */
export function magicLine(count: number, line: (number: number) => string): number {
  for (let number = 1; number <= count; number++) {
    const text = line(number);
    if (!BLANK.test(text)) {
      return MAGIC.test(text) ? number : 0;
    }
  }
  return 0;
}
