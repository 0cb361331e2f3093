/** The columns of a comparison, as the kernel describes them. */

import { list, number, record, text } from '../core/reading';
import { dollars, tokens } from './parts';

/** As many stand side by side. */
const MANY = 6;
/** What is not known until the answer is there. */
export const YET = '…';

export interface Column {
  /** The turn; empty where there is none, yet or for good. */
  id: string;
  /** What its texts are found by. */
  key: string;
  /** What it was asked with, where that is why it is here. */
  variant: string;
  /** What goes on with an answer that is not there, or why it never will be. */
  state: string;
  growing: boolean;
  parent: string;
  label: string;
  question: string;
  facts: [name: string, value: string][];
}

export interface Texts {
  prompt: string;
  text: string;
}

export const readColumns = (value: unknown): Column[] => list(value).map(readColumn);

export function readColumn(value: unknown): Column {
  const column = record(value);
  const [id, parent, model] = [text(column.id), text(column.parent), text(column.model)];
  const growing = !id && column.open === true;
  const known = {
    id,
    key: id || text(column.key),
    variant: text(column.variant),
    state: id ? '' : text(column.state),
    growing,
    parent,
    label: text(column.label),
    question: text(column.question)
  };
  const later = growing ? YET : '-';
  const [outcome, cached] = [text(column.outcome), number(column.cached)];
  const sent = `${tokens(number(column.tokens_in))} in${cached ? ` (${tokens(cached)} cached)` : ''}`;
  const facts = {
    model: (model || later) + (!id || outcome === 'complete' ? '' : `, ${outcome}`),
    'continues from': parent || 'the root',
    'ladder took': id ? text(column.ladder) : later,
    tokens: id ? `${sent}, ${tokens(number(column.tokens_out))} out` : later,
    cost: id ? dollars(typeof column.cost === 'number' ? column.cost : null) : later,
    time: id ? `${number(column.seconds).toFixed(1)} s` : later
  };
  return { ...known, facts: Object.entries(facts) };
}

export const readTexts = (value: unknown): [string, Texts][] =>
  list(value).map(item => {
    const { id, prompt, text: answer } = record(item);
    return [text(id), { prompt: text(prompt), text: text(answer) }];
  });

/** The newest columns, as many as stand side by side; the baseline is not pushed out. */
export function newest(columns: readonly Column[], base: string, most = MANY): Column[] {
  let surplus = columns.length - most;
  return columns.filter(({ key }) => key === base || surplus-- <= 0);
}

/** `columns` with what is known of these now, each in its place, new ones at the end. */
export function joined(columns: readonly Column[], fresh: readonly Column[]): Column[] {
  const known = new Map(columns.map(column => [column.key, column]));
  for (const column of fresh) {
    known.set(column.key, column);
  }
  return [...known.values()];
}
