/** What the kernel tells the side panel, read with suspicion. */

import { amount, list, number, record, text, texts } from '../core/reading';

export interface Label {
  name: string;
  turn: string;
  title: string;
  onPath: boolean;
}

export interface Overview {
  conversation: string;
  name: string;
  title: string;
  model: string;
  turns: number;
  branches: number;
  onPath: number;
  cost: number;
  labels: readonly Label[];
}

export interface Gauge {
  headline: string;
  window: number;
  room: number;
  raw: number;
  tokens: number;
  fits: boolean;
  remarks: readonly string[];
  rungs: readonly { rung: string; before: number; after: number; lost: string }[];
}

export interface Item {
  id: string;
  name: string;
  title: string;
  turns: number;
  cost: number | null;
  /** Seconds since 1970. */
  updated: number;
  here: boolean;
  /** A line of a turn in which the words were found. */
  found: string;
}

/** Null where no conversation is open. */
export function readOverview(value: unknown): Overview | null {
  const json = record(value);
  if (!text(json.conversation)) {
    return null;
  }
  return {
    conversation: text(json.conversation),
    name: text(json.name),
    title: text(json.title),
    model: text(json.model),
    turns: number(json.turns),
    branches: number(json.branches),
    onPath: number(json.onPath),
    cost: number(json.cost),
    labels: list(json.labels)
      .map(record)
      .map(label => ({
        name: text(label.name),
        turn: text(label.turn),
        title: text(label.title),
        onPath: label.onPath === true
      }))
  };
}

export function readGauge(value: unknown): Gauge | null {
  const json = record(value);
  if (!number(json.room)) {
    return null;
  }
  return {
    headline: text(json.headline),
    window: number(json.window),
    room: number(json.room),
    raw: number(json.raw),
    tokens: number(json.tokens),
    fits: json.fits === true,
    remarks: texts(json.remarks),
    rungs: list(json.rungs)
      .map(record)
      .map(rung => ({
        rung: text(rung.rung),
        before: number(rung.before),
        after: number(rung.after),
        lost: text(rung.lost)
      }))
  };
}

export function readItems(value: unknown): { items: Item[]; more: number } {
  const json = record(value);
  const items = list(json.items)
    .map(record)
    .map(item => ({
      id: text(item.id),
      name: text(item.name),
      title: text(item.title),
      turns: number(item.turns),
      cost: amount(item.cost),
      updated: number(item.updated),
      here: item.here === true,
      found: text(record(item.found).text)
    }));
  return { items, more: number(json.more) };
}

/** When something was, as a person says it: the time today, else the day. */
export function when(seconds: number, now: Date): string {
  const then = new Date(seconds * 1000);
  return then.toDateString() === now.toDateString()
    ? then.toLocaleTimeString('en', { hour: '2-digit', minute: '2-digit', hour12: false })
    : then.toLocaleDateString('en', { day: 'numeric', month: 'short', year: 'numeric' });
}
