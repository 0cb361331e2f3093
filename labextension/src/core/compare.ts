/**
 * Answers side by side: aligned by Markdown block, then by words. One column is the baseline; every other is compared
 * with it. Every comparison has a time limit; where it is over, the texts stand side by side, told apart by what share
 * of their words they have in common.
 */

import { diffArrays } from 'diff';
import { blocks } from './blocks';

/** Milliseconds that one comparison may take. */
const PATIENCE = 400;
/** Blocks that share less of their words than this are not one block that changed. */
const ALIKE = 0.35;

export interface Piece {
  text: string;
  changed: boolean;
}

/** A cell for each column, null where it has nothing here. `same`: one block, equal in all. */
export interface Line {
  cells: (string | null)[];
  same: boolean;
}

export interface Alignment {
  lines: Line[];
  /** For each column what share of its words it has in common with the baseline, 0 to 1. */
  shares: number[];
  /** Whether aligning would have taken too long. */
  coarse: boolean;
}

/** Chinese and Japanese put no spaces between words: there each ideograph is one, and each run of hiragana. */
const WORD =
  /(?:\p{sc=Han}|\p{sc=Hiragana}+|(?:(?![\p{sc=Han}\p{sc=Hiragana}])[\p{L}\p{M}\p{N}_])+|[^\p{L}\p{M}\p{N}_\s])\s*|\s+/gu;

/** The words and signs of a text, each with the white space after it: joined, they are the text. */
export function words(text: string): string[] {
  return text.match(WORD) ?? [];
}

const bare = (text: string): string[] => words(text).map(word => word.trim());

function counts(items: readonly string[]): Map<string, number> {
  const found = new Map<string, number>();
  for (const item of items) {
    found.set(item, (found.get(item) ?? 0) + 1);
  }
  return found;
}

function dice(left: Map<string, number>, right: Map<string, number>): number {
  let total = 0;
  let common = 0;
  for (const [item, count] of left) {
    total += count;
    common += Math.min(count, right.get(item) ?? 0);
  }
  for (const count of right.values()) {
    total += count;
  }
  return total ? (2 * common) / total : 1;
}

/** What share of their words two texts have in common, however placed. */
export function shared(left: string, right: string): number {
  return dice(counts(bare(left)), counts(bare(right)));
}

/** `text` in pieces, those marked that `other` has not; all of it where they have little in common. */
export function changes(text: string, other: string, patience = PATIENCE): Piece[] {
  const mine = words(text);
  const theirs = words(other);
  if (shared(text, other) < ALIKE) {
    return [{ text, changed: true }];
  }
  const parts = diffArrays(
    theirs.map(word => word.trim()),
    mine.map(word => word.trim()),
    { timeout: patience }
  );
  if (!parts) {
    return [{ text, changed: true }];
  }
  const out: Piece[] = [];
  let at = 0;
  for (const part of parts) {
    if (!part.removed) {
      out.push({ text: mine.slice(at, at + part.value.length).join(''), changed: part.added === true });
      at += part.value.length;
    }
  }
  return out;
}

/** Where all of several comparisons of one text mark it. */
export function common(comparisons: readonly Piece[][]): Piece[] {
  const [first, ...others] = comparisons;
  if (!first || others.length === 0) {
    return first ?? [];
  }
  const text = first.map(piece => piece.text).join('');
  const marks = comparisons.map(parts => parts.flatMap(part => Array<boolean>(part.text.length).fill(part.changed)));
  return pieces(
    text,
    Array.from({ length: text.length }, (_, n) => marks.every(mark => mark[n]))
  );
}

/** A text in as few pieces as its marks allow, one for each UTF-16 unit. */
export function pieces(text: string, marks: readonly (boolean | undefined)[]): Piece[] {
  const out: Piece[] = [];
  for (let n = 0; n < text.length; n++) {
    const changed = marks[n] === true;
    const last = out.at(-1);
    if (last?.changed === changed) {
      last.text += text[n];
    } else {
      out.push({ text: text[n] as string, changed });
    }
  }
  return out;
}

type Pair = [number | null, number | null];

/** The blocks of two texts in pairs, in order; null where one side has none. Null where it would take too long. */
export function pairs(old: readonly string[], fresh: readonly string[], patience = PATIENCE): Pair[] | null {
  const parts = diffArrays([...old], [...fresh], { timeout: patience });
  if (!parts) {
    return null;
  }
  const out: Pair[] = [];
  let [i, j, going, coming] = [0, 0, 0, 0];
  const flush = (): void => {
    for (const [a, b] of alike(old.slice(i, i + going), fresh.slice(j, j + coming))) {
      out.push([a === null ? null : i + a, b === null ? null : j + b]);
    }
    i += going;
    j += coming;
    going = coming = 0;
  };
  for (const part of parts) {
    if (part.removed) {
      going += part.value.length;
    } else if (part.added) {
      coming += part.value.length;
    } else {
      flush();
      for (let n = 0; n < part.value.length; n++) {
        out.push([i++, j++]);
      }
    }
  }
  flush();
  return out;
}

/** Blocks of which none is equal: those that are alike stand side by side, so that their likeness adds up to most. */
function alike(old: readonly string[], fresh: readonly string[]): Pair[] {
  if (old.length === 1 && fresh.length === 1) {
    return [[0, 0]];
  }
  const left = old.map(block => counts(bare(block)));
  const right = fresh.map(block => counts(bare(block)));
  const large = left.length * right.length > 40_000;
  const like = left.map(one => right.map(other => (large ? 0 : dice(one, other))));
  const best = Array.from({ length: old.length + 1 }, () => Array<number>(fresh.length + 1).fill(0));
  const at = (i: number, j: number): number => best[i]?.[j] ?? 0;
  const of = (i: number, j: number): number => like[i]?.[j] ?? 0;
  for (let i = old.length - 1; i >= 0; i--) {
    for (let j = fresh.length - 1; j >= 0; j--) {
      const taken = of(i, j) >= ALIKE ? of(i, j) + at(i + 1, j + 1) : 0;
      (best[i] as number[])[j] = Math.max(taken, at(i + 1, j), at(i, j + 1));
    }
  }
  const out: Pair[] = [];
  let [i, j] = [0, 0];
  while (i < old.length || j < fresh.length) {
    if (i < old.length && j < fresh.length && of(i, j) >= ALIKE && at(i, j) === of(i, j) + at(i + 1, j + 1)) {
      out.push([i++, j++]);
    } else if (i < old.length && (j >= fresh.length || at(i, j) === at(i + 1, j))) {
      out.push([i++, null]);
    } else {
      out.push([null, j++]);
    }
  }
  return out;
}

/** Texts in columns along the blocks of the one at `base`. */
export function align(texts: readonly string[], base = 0, patience = PATIENCE): Alignment {
  const baseline = texts[base] ?? '';
  const shares = texts.map((text, n) => (n === base ? 1 : shared(baseline, text)));
  const own = blocks(baseline);
  const others = texts.map(text => blocks(text));
  const found = others.map((other, n) => (n === base ? null : pairs(own, other, patience)));
  if (found.some((each, n) => n !== base && each === null)) {
    return { lines: [{ cells: [...texts], same: texts.every(text => text === baseline) }], shares, coarse: true };
  }
  // for each block of the baseline (and the end): what others have only before it, and what stands beside it
  const before = texts.map(() => Array.from({ length: own.length + 1 }, () => [] as string[]));
  const beside = texts.map(() => Array<string | null>(own.length).fill(null));
  found.forEach((each, column) => {
    let slot = 0;
    for (const [a, b] of each ?? []) {
      const block = b === null ? null : (others[column]?.[b] ?? null);
      if (a === null) {
        before[column]?.[slot]?.push(block ?? '');
      } else {
        (beside[column] as (string | null)[])[a] = block;
        slot = a + 1;
      }
    }
  });
  const lines: Line[] = [];
  for (let slot = 0; slot <= own.length; slot++) {
    const most = Math.max(...before.map(column => column[slot]?.length ?? 0));
    for (let n = 0; n < most; n++) {
      lines.push({ cells: before.map(column => column[slot]?.[n] ?? null), same: false });
    }
    const block = own[slot];
    if (block !== undefined) {
      const cells = texts.map((_, column) => (column === base ? block : (beside[column]?.[slot] ?? null)));
      lines.push({ cells, same: cells.every(cell => cell === block) });
    }
  }
  return { lines, shares, coarse: false };
}

/**
 * What a cell of a line is compared with: the baseline's block, or for the baseline all others' blocks, and nothing where
 * one of them is equal. `alone`: there is no block to compare it with.
 */
export function against(cells: Line['cells'], column: number, base: number): { others: string[]; alone: boolean } {
  const compared = column === base ? cells.filter((_, n) => n !== base) : [cells[base] ?? null];
  const others = compared.filter(other => other !== null);
  return { others: others.includes(cells[column] ?? '') ? [] : others, alone: others.length === 0 };
}

/** A block of a column that stands by itself, and what it is compared with. */
export interface Stacked {
  text: string;
  others: string[];
  alone: boolean;
}

/** The column that the others are compared with: the chosen one, or the first that is there while that one still grows. */
export function baseline(growing: readonly boolean[], chosen: number): number {
  const first = growing.indexOf(false);
  return growing[chosen] === false || first < 0 ? chosen : first;
}

/** Columns by themselves, block by block: what is compared with the one at `base`, block for block, but not placed. */
export function stacks(texts: readonly string[], base: number): Stacked[][] {
  if (texts.length < 2) {
    return texts.map(text => blocks(text).map(block => ({ text: block, others: [], alone: false })));
  }
  const { lines } = align(texts, base);
  return texts.map((_, column) =>
    lines.flatMap(({ cells }) => {
      const text = cells[column] ?? null;
      return text === null ? [] : [{ text, ...against(cells, column, base) }];
    })
  );
}

/** Lines in groups that are drawn together: runs that are the same in all columns, and single lines that are not. */
export function runs(lines: readonly Line[]): Line[][] {
  const out: Line[][] = [];
  for (const line of lines) {
    const last = out.at(-1);
    if (line.same && last?.[0]?.same) {
      last.push(line);
    } else {
      out.push([line]);
    }
  }
  return out;
}
