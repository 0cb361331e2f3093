import type { Answer, Turn } from '../src/core/turn';

/** An answer with only what a test says of it. */
export function answer(id: string, turn: Partial<Turn> = {}, markdown = `text of ${id}`): Answer {
  return {
    markdown,
    turn: {
      id,
      conversation: 'talk',
      parent: null,
      siblings: [id],
      outcome: 'complete',
      streaming: false,
      model: 'offline',
      label: null,
      footer: `footer of ${id}`,
      thinking: '',
      notes: [],
      question: 'why?',
      ...turn
    }
  };
}

/** The same as an output's data. */
export function bundle({ turn, markdown }: Answer): Record<string, unknown> {
  return {
    'text/markdown': `${markdown}\n\n${turn.footer}`,
    'application/vnd.jupyter-history.turn.v1+json': { v: 1, ...turn, body: markdown.length }
  };
}

export const path = (...ids: string[]) => ({ conversation: 'talk', ids });
