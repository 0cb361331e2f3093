/** An explorer as the kernel describes it: the JSON of our own, in an output or in a widget's state. */

import { type Json, record, text } from './reading';

export const VIEW_MIME = 'application/vnd.jupyter-history.view.v1+json';

export type Kind = 'tree' | 'compare' | 'ladder' | 'pages';
const KINDS: readonly string[] = ['tree', 'compare', 'ladder', 'pages'] satisfies Kind[];

export interface ViewState {
  view: Kind;
  conversation: string;
  name: string;
  /** What makes the same view again. */
  args: Json;
  data: Json;
}

/** A JSON value as a view's state; null where it is none. */
export function readView(value: unknown): ViewState | null {
  const json = record(value);
  if (!KINDS.includes(text(json.view)) || !text(json.conversation)) {
    return null;
  }
  return {
    view: json.view as Kind,
    conversation: text(json.conversation),
    name: text(json.name),
    args: record(json.args),
    data: record(json.data)
  };
}
