import { afterEach, expect, it, vi } from 'vitest';
import { readView } from '../src/core/view';
import { type Mounted, mountExplorer } from '../src/views/explorer';

const open = (n: number, state: string) => ({ key: `point-${n}`, variant: `repeat=${n}`, state, open: true });
const there = (n: number) => ({ id: `turn${n}`, variant: `repeat=${n}`, model: 'm', outcome: 'complete', cost: 0 });
const told = (id: string, text: string) => ({ id, prompt: 'Why?', text });
const view = (columns: object[], texts: object[]) =>
  readView({ view: 'compare', conversation: 'c', name: 'n', data: { columns, texts, progress: 'so far' } });

let mounted: Mounted | undefined;
afterEach(() => mounted?.dispose());

it('fills in place: what came so far, a quiet mark, the comparison at the end', async () => {
  let state = view([open(1, 'writes …'), open(2, 'waiting …')], [told('point-1', 'The lake'), told('point-2', '')]);
  const listeners = new Set<() => void>();
  const asked: string[] = [];
  const el = document.createElement('div');
  mounted = mountExplorer(el, {
    get: () => ({ state, live: true, html: '' }),
    on: listener => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    call: async name => asked.push(name),
    markdown: async text => document.createTextNode(text),
    copy: async () => undefined
  });
  const show = (next: typeof state): void => {
    state = next;
    for (const listener of listeners) {
      listener();
    }
  };
  const root = el.firstElementChild?.shadowRoot as ShadowRoot;
  const cells = () => [...(root.querySelector('.table > .line:last-child')?.children ?? [])].map(c => c.textContent);
  await vi.waitFor(() => expect(cells()).toEqual(['The lake', 'waiting …']));
  const table = root.querySelector('.table');
  expect(table?.getAttribute('aria-busy')).toBe('true');
  expect(root.querySelector('.heads')?.textContent).toContain('writes …');
  await new Promise(resolve => setTimeout(resolve, 20)); // the view listens

  show(view([there(1), open(2, 'writes …')], [told('turn1', 'The lake is blue.'), told('point-2', 'The lake is')]));
  await vi.waitFor(() => expect(cells()).toEqual(['The lake is blue.', 'The lake is']));
  expect(root.querySelectorAll('mark').length).toBe(0);
  expect(root.querySelector('.heads')?.textContent).toContain('turn1');

  show(view([there(1), there(2)], [told('turn1', 'The lake is blue.'), told('turn2', 'The lake is green.')]));
  await vi.waitFor(() => expect(table?.getAttribute('aria-busy')).toBe('false'));
  await vi.waitFor(() => expect(cells()).toEqual(['The lake is blue.', 'The lake is green.']));
  expect(root.querySelector('.table')).toBe(table); // the same element: its scroll is kept
  expect(asked).toEqual([]);
});

it('says what became of a column that has no answer', async () => {
  const failed = { key: 'point-2', variant: 'repeat=2', state: 'failed: no', open: false };
  const el = document.createElement('div');
  mounted = mountExplorer(el, {
    get: () => ({
      state: view([there(1), failed], [told('turn1', 'Blue.'), told('point-2', '')]),
      live: false,
      html: ''
    }),
    on: () => () => undefined,
    call: async () => null,
    markdown: async text => document.createTextNode(text),
    copy: async () => undefined
  });
  const root = el.firstElementChild?.shadowRoot as ShadowRoot;
  await vi.waitFor(() => expect(root.querySelector('.table')?.textContent).toContain('Blue.'));
  expect(root.querySelector('.table > .line:last-child')?.textContent).toBe('Blue.failed: no');
  expect(root.querySelector('.table')?.getAttribute('aria-busy')).toBe('false');
});
