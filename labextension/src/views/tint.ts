/** Word differences tinted in rendered text: markup is never touched, so nothing can break. */

import { changes, common } from '../core/compare';
import { formulas, undivided } from '../core/formulas';

/** Tint in `node` what the other texts have not (all of them). Texts are as rendered. */
export function tint(node: Node, others: readonly string[], kind: string): void {
  const text = node.textContent ?? '';
  const holders: Text[] = [];
  const whole: [number, number][] = [];
  const walk = document.createTreeWalker(node, NodeFilter.SHOW_TEXT);
  for (let begin = 0; walk.nextNode(); begin += holders.at(-1)?.length ?? 0) {
    const holder = walk.currentNode as Text;
    holders.push(holder);
    whole.push(...formulas(holder.data).map(([start, end]): [number, number] => [begin + start, begin + end]));
  }
  const pieces = undivided(common(others.map(other => changes(text, other))), whole);
  let piece = 0;
  let left = pieces[0]?.text.length ?? 0;
  for (const holder of holders) {
    const parts = document.createDocumentFragment();
    const { data } = holder;
    let at = 0;
    while (at < data.length && piece < pieces.length) {
      const length = Math.min(left, data.length - at);
      const part = data.slice(at, at + length);
      const bare = part.trimEnd();
      if (pieces[piece]?.changed && bare) {
        const mark = document.createElement('mark');
        mark.className = kind;
        mark.append(bare);
        parts.append(mark, part.slice(bare.length));
      } else {
        parts.append(part);
      }
      at += length;
      left -= length;
      if (left === 0) {
        left = pieces[++piece]?.text.length ?? 0;
      }
    }
    parts.append(data.slice(at));
    holder.replaceWith(parts);
  }
}
