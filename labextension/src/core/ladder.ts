/** The ladder's arithmetic: bars against the window, and a slider over windows of very different sizes. */

import { amount, type Json, list, number, record, text, texts } from './reading';

export const RUNGS = ['elision', 'images', 'snapshot', 'summary'] as const;

export interface Rung {
  rung: string;
  before: number;
  after: number;
  applied: boolean;
  why: string;
  lost: string;
  /** Dollars; null where not known. */
  cost: number | null;
}

export interface MessageRow {
  id: string;
  turn: string;
  tag: string;
  role: string;
  disposition: string;
  reason: string;
  before: number;
  after: number;
  title: string;
}

export interface Ladder {
  whatIf: boolean;
  headline: string;
  model: string;
  most: number;
  least: number;
  window: number;
  room: number;
  raw: number;
  tokens: number;
  fits: boolean;
  ladder: string[];
  rungs: Rung[];
  rows: MessageRow[];
  remarks: string[];
  pages: number;
  pinned: ReadonlySet<string>;
  undo: { turn: string; before: string | null; kind: string } | null;
}

export function readLadder(data: Json): Ladder {
  const undo = record(data.undo);
  const glances = texts(data.glances);
  return {
    whatIf: data.what_if === true,
    headline: text(data.headline),
    model: text(data.model),
    most: Math.max(1, number(data.most)),
    least: Math.max(1, number(data.least)),
    window: number(data.window),
    room: number(data.room),
    raw: number(data.raw),
    tokens: number(data.tokens),
    fits: data.fits === true,
    ladder: texts(data.ladder),
    rungs: list(data.rungs).map(item => {
      const rung = record(item);
      return {
        rung: text(rung.rung),
        before: number(rung.before),
        after: number(rung.after),
        applied: rung.applied === true,
        why: text(rung.why),
        lost: text(rung.lost),
        cost: amount(rung.cost)
      };
    }),
    rows: list(data.rows).map((item, n) => {
      const [id, tag, role, disposition, reason, before, after, title] = list(item);
      return {
        id: text(id),
        turn: text(id).split('.')[0] ?? '',
        tag: text(tag),
        role: text(role),
        disposition: text(disposition),
        reason: text(reason),
        before: number(before),
        after: number(after),
        title: text(title) || (glances[n] ?? '')
      };
    }),
    remarks: texts(data.remarks),
    pages: number(data.pages),
    pinned: new Set(texts(data.pinned)),
    undo: text(undo.turn) ? { turn: text(undo.turn), before: text(undo.before) || null, kind: text(undo.kind) } : null
  };
}

export interface Stage {
  name: string;
  tokens: number;
  /** Tokens that the rung took back. */
  back: number;
  /** Of the whole width, 0 to 1. */
  share: number;
  over: boolean;
}

/** The request as stored and after each rung that was taken, against the larger of the window and the request. */
export function stages({ rungs, raw, window, room }: Ladder): { stages: Stage[]; room: number; window: number } {
  const whole = Math.max(1, window, raw, ...rungs.map(rung => rung.before));
  const stage = (name: string, tokens: number, back: number): Stage => ({
    name,
    tokens,
    back,
    share: tokens / whole,
    over: tokens > room
  });
  const taken = rungs.filter(rung => rung.applied);
  return {
    stages: [stage('as stored', raw, 0), ...taken.map(rung => stage(rung.rung, rung.after, rung.before - rung.after))],
    room: room / whole,
    window: window / whole
  };
}

/** Steps of a slider from the smallest window to the model's own, evenly spaced by ratio. */
export const STEPS = 100;

export function windowAt(step: number, least: number, most: number): number {
  const exact = least * (most / least) ** (step / STEPS);
  const digits = 10 ** Math.max(0, Math.floor(Math.log10(exact)) - 1);
  return Math.min(most, Math.max(least, Math.round(exact / digits) * digits));
}

export function stepOf(window: number, least: number, most: number): number {
  if (most <= least) {
    return STEPS;
  }
  const step = (STEPS * Math.log(window / least)) / Math.log(most / least);
  return Math.round(Math.min(STEPS, Math.max(0, step)));
}

/** How many messages became what, largest first. */
export function dispositions(rows: readonly MessageRow[]): [string, number][] {
  const found = new Map<string, number>();
  for (const { disposition } of rows) {
    const name = disposition.replace(/^on pages? .*/, 'on pages');
    found.set(name, (found.get(name) ?? 0) + 1);
  }
  return [...found].sort((one, other) => other[1] - one[1]);
}
