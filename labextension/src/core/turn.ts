/**
 * What a cell shows, as the kernel describes it: the JSON of our own that stands beside an answer's Markdown.
 * A notebook is a file from anywhere, so everything is read with suspicion: what does not fit gives null or a default.
 */

export const TURN_MIME = 'application/vnd.jupyter-history.turn.v1+json';

export interface Turn {
  id: string;
  conversation: string;
  /** The turn this one continues from; null is the root. */
  parent: string | null;
  /** All stored answers with the same parent, oldest first, this one included. Saved in a notebook it may be stale. */
  siblings: readonly string[];
  outcome: string;
  streaming: boolean;
  model: string;
  label: string | null;
  footer: string;
  thinking: string;
  notes: readonly string[];
  /** The beginning of the prompt. */
  question: string;
}

export interface Answer {
  turn: Turn;
  /** The answer alone, without the footer line that plain viewers get. */
  markdown: string;
}

const text = (value: unknown): string => (typeof value === 'string' ? value : '');
const texts = (value: unknown): string[] =>
  Array.isArray(value) ? value.filter((item): item is string => typeof item === 'string') : [];

/** An output's data by MIME type, as an answer; null where it is none. */
export function readAnswer(data: unknown): Answer | null {
  const bundle = (data ?? {}) as Record<string, unknown>;
  const json = bundle[TURN_MIME] as Record<string, unknown> | null | undefined;
  if (typeof json !== 'object' || json === null || !text(json.id)) {
    return null;
  }
  const markdown = texts([bundle['text/markdown']].flat()).join('');
  const length = typeof json.body === 'number' ? json.body : markdown.length;
  return {
    markdown: markdown.slice(0, length),
    turn: {
      id: text(json.id),
      conversation: text(json.conversation),
      parent: text(json.parent) || null,
      siblings: texts(json.siblings),
      outcome: text(json.outcome),
      streaming: json.streaming === true,
      model: text(json.model),
      label: text(json.label) || null,
      footer: text(json.footer),
      thinking: text(json.thinking),
      notes: texts(json.notes),
      question: text(json.question)
    }
  };
}
