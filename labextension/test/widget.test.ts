import type { AnyModel } from '@anywidget/types';
import { expect, it, vi } from 'vitest';
import widget, { harmless } from '../src/widget';

const STATE = {
  v: 1,
  view: 'tree',
  conversation: 'c',
  name: 'mixtures',
  args: {},
  data: { tip: 'b', last: 2, models: ['m'], turns: [['a', null, 'Why?', 0, 0, 1, 0, 1, 1], ['b', 'a', 'And?', 0, 0, 1, 0, 1, 2]] } // biome-ignore format: two turns
};
const settle = () => new Promise(resolve => setTimeout(resolve, 30));

/** A widget's model whose kernel answers with `reply`, or not at all. */
function model(reply: ((call: string) => unknown) | null) {
  const listeners = new Map<string, Set<(value?: unknown) => void>>();
  const asked: string[] = [];
  const of = (event: string) => listeners.get(event) ?? new Set();
  const made = {
    get: () => STATE,
    on: (event: string, listener: () => void) => listeners.set(event, of(event).add(listener)),
    off: (event: string, listener: () => void) => of(event).delete(listener),
    send: ({ id, call }: { id: string; call: string }) => {
      asked.push(call);
      const result = reply?.(call);
      if (result) {
        setTimeout(() => {
          for (const listener of of('msg:custom')) {
            listener({ id, result });
          }
        });
      }
    }
  };
  return { made: made as unknown as AnyModel<{ state: Record<string, unknown> }>, asked, listeners };
}

const show = async (made: unknown) => {
  const el = document.createElement('div');
  const gone = await widget.render({ model: made, el } as unknown as Parameters<typeof widget.render>[0]);
  await settle();
  return { el, gone: gone as () => void, root: el.firstElementChild?.shadowRoot };
};

it('shows the tree, asks the kernel what is new and for the turn that is looked at, and goes', async () => {
  const kernel = model(call => (call === 'body' ? { prompt: 'And?', text: '**So.**' } : { tip: 'b', turns: [] }));
  const { el, gone, root } = await show(kernel.made);
  expect([...(root?.querySelectorAll('[role=treeitem]') ?? [])].map(row => row.id)).toEqual(['t-a', 't-b']);
  await vi.waitFor(() => expect(kernel.asked).toEqual(expect.arrayContaining(['hello', 'news', 'body'])));
  gone();
  expect([el.childNodes.length, [...kernel.listeners.values()].every(set => set.size === 0)]).toEqual([0, true]);
});

it('reads without a kernel, and offers nothing that needs one', async () => {
  const { root } = await show(model(null).made);
  expect(root?.querySelectorAll('[role=treeitem]').length).toBe(2);
  expect(root?.querySelector('.detail blockquote')?.textContent).toBe('And?');
  const buttons = [...(root?.querySelectorAll('.actions button') ?? [])];
  expect(buttons.every(button => button.getAttribute('aria-disabled') === 'true')).toBe(true);
});

it('leaves formulas as they were written, signs that Markdown would take included', () => {
  const text = (markdown: string) => harmless(markdown).textContent?.trim();
  const written = 'A *sum* $a_1 b_2 \\, c_3$ and $$\\int_0^1 f\\,dx$$ for <span>&#36;</span>5 and <span>&#36;</span>6';
  expect(text(written)).toBe('A sum $a_1 b_2 \\, c_3$ and $$\\int_0^1 f\\,dx$$ for $5 and $6');
  expect(harmless('$<img src=x onerror=alert(1)>$').querySelector('img')).toBeNull();
});
