/** Where characters are on a page: from spans of cells to rectangles, and from a point back to the characters. */

import { type Json, list, number, record, text, texts } from './reading';

export interface Span {
  part: number;
  tag: string;
  role: string;
  /** Characters of the part, from and to. */
  start: number;
  end: number;
  /** Cells of the page, from and to. */
  first: number;
  last: number;
}

export interface Sheet {
  number: number;
  width: number;
  height: number;
  /** Pixels of a cell, leading included. */
  cell: [number, number];
  columns: number;
  tokens: number;
  sealed: boolean;
  spans: Span[];
}

export interface Pages {
  whatIf: boolean;
  profile: string;
  profiles: string[];
  model: string;
  asText: number;
  asImage: number;
  beside: number;
  /** Turn ids by tag. */
  tags: Map<string, string>;
  sheets: Sheet[];
}

export function readPages(data: Json): Pages {
  return {
    whatIf: data.what_if === true,
    profile: text(data.profile),
    profiles: texts(data.profiles),
    model: text(data.model),
    asText: number(data.as_text),
    asImage: number(data.as_image),
    beside: number(data.beside),
    tags: new Map(Object.entries(record(data.tags)).map(([tag, turn]) => [tag, text(turn)])),
    sheets: list(data.pages).map(item => {
      const page = record(item);
      const [width, height] = list(page.cell);
      return {
        number: number(page.number),
        width: Math.max(1, number(page.width)),
        height: Math.max(1, number(page.height)),
        cell: [Math.max(1, number(width)), Math.max(1, number(height))],
        columns: Math.max(1, number(page.columns)),
        tokens: number(page.tokens),
        sealed: page.sealed === true,
        spans: list(page.spans).map(each => {
          const [part, tag, role, start, end, first, last] = list(each);
          return {
            part: number(part),
            tag: text(tag),
            role: text(role),
            start: number(start),
            end: number(end),
            first: number(first),
            last: number(last)
          };
        })
      };
    })
  };
}

export interface Rect {
  x: number;
  y: number;
  width: number;
  height: number;
}

/** The rectangles of a run of cells in pixels: the rest of its first row, whole rows, the beginning of its last row. */
export function rects(
  { columns, cell: [width, height] }: Sheet,
  { first, last }: Pick<Span, 'first' | 'last'>
): Rect[] {
  if (last <= first) {
    return [];
  }
  const [top, bottom] = [Math.floor(first / columns), Math.floor((last - 1) / columns)];
  const [from, to] = [first % columns, ((last - 1) % columns) + 1];
  const rect = (row: number, rows: number, left: number, right: number): Rect => ({
    x: left * width,
    y: row * height,
    width: (right - left) * width,
    height: rows * height
  });
  if (top === bottom) {
    return [rect(top, 1, from, to)];
  }
  const middle = bottom - top - 1;
  return [
    rect(top, 1, from, columns),
    ...(middle > 0 ? [rect(top + 1, middle, 0, columns)] : []),
    rect(bottom, 1, 0, to)
  ];
}

/** The span at a point in pixels of the page, and about which character of its part; null between them. */
export function spanAt(sheet: Sheet, x: number, y: number): { index: number; character: number } | null {
  const { columns, cell } = sheet;
  const column = Math.floor(x / cell[0]);
  if (x < 0 || y < 0 || column >= columns) {
    return null;
  }
  const at = Math.floor(y / cell[1]) * columns + column;
  const index = sheet.spans.findIndex(span => span.first <= at && at < span.last);
  const span = sheet.spans[index];
  if (!span) {
    return null;
  }
  const share = (at - span.first) / (span.last - span.first);
  return { index, character: span.start + Math.floor(share * (span.end - span.start)) };
}
