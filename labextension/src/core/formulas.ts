/** Formulas in rendered text: MathJax finds one only where nothing divides it. */

import { type Piece, pieces } from './compare';

/** As the kernel writes formulas. It writes dollars that are money so that none is found between them. */
const FORMULA = /\$\$[^$]+\$\$|\$[^$]+\$|\\begin\{(\w+\*?)\}[\s\S]+?\\end\{\1\}/g;

/** Where formulas stand in a text. */
export function formulas(text: string): [start: number, end: number][] {
  return [...text.matchAll(FORMULA)].map(({ index, 0: { length } }) => [index, index + length]);
}

/** The formula that a text begins with; empty where it begins with none. */
export function formula(text: string): string {
  const found = new RegExp(FORMULA, 'y').exec(text);
  return found?.[0] ?? '';
}

/** The pieces of a text with these ranges undivided: marked where any part of one was. */
export function undivided(parts: readonly Piece[], ranges: readonly [start: number, end: number][]): Piece[] {
  const marks = parts.flatMap(({ text, changed }) => Array<boolean>(text.length).fill(changed));
  for (const [start, end] of ranges) {
    marks.fill(marks.slice(start, end).includes(true), start, end);
  }
  return pieces(parts.map(({ text }) => text).join(''), marks);
}
