/** Markdown in blocks, each of which is drawn and compared by itself. */

const FENCE = /^\s*(`{3,}|~{3,})/;
const ITEM = /^\s*(?:[-*+]|\d{1,9}[.)])\s/;
const HEADING = /^#{1,6}\s/;
const DISPLAY = /\$\$|\\(?:begin|end)\{/g;

/** Whether a display formula that begins in a paragraph goes on: `- b` is no item there. */
const opensFormula = (text: string): boolean => (text.match(DISPLAY)?.length ?? 0) % 2 === 1;

/** Paragraphs, headings, list items and fenced code, in order, without the blank lines between them. */
export function blocks(markdown: string): string[] {
  const out: string[] = [];
  let block: string[] = [];
  let fence = '';
  const end = (): void => {
    if (block.length > 0) {
      out.push(block.join('\n'));
      block = [];
    }
  };
  for (const line of markdown.split('\n')) {
    const opening = FENCE.exec(line)?.[1];
    if (fence) {
      block.push(line);
      if (opening?.startsWith(fence) && line.trim() === opening) {
        fence = '';
        end();
      }
    } else if (opening) {
      end();
      block.push(line);
      fence = opening;
    } else if (!line.trim()) {
      end();
    } else {
      const [formula, heading] = [opensFormula(block.join('\n')), HEADING.test(line)];
      if (!formula && (heading || ITEM.test(line))) {
        end();
      }
      block.push(line);
      if (!formula && heading) {
        end();
      }
    }
  }
  end();
  return out;
}
