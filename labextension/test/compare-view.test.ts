import { afterEach, expect, it, vi } from 'vitest';
import { Followers, type News, type Place } from '../src/core/followers';
import { readView } from '../src/core/view';
import { type Mounted, mountExplorer } from '../src/views/explorer';
import { harmless } from '../src/widget';

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

it('shows all answers to one parent: a new one beside them while it is written, a column when it is there', async () => {
  const column = (n: number) => ({ ...there(n), variant: '', parent: 'p' });
  const texts = [told('turn1', 'The lake is blue.'), told('turn2', 'The lake is green.')];
  const state = readView({
    view: 'compare',
    conversation: 'c',
    name: 'n',
    data: { columns: [column(1), column(2)], texts, beside: true }
  });
  const asked: [string, unknown][] = [];
  let hear: (news: News) => void = () => undefined;
  const el = document.createElement('div');
  mounted = mountExplorer(el, {
    get: () => ({ state, live: true, html: '' }),
    on: () => () => undefined,
    call: async (name, args) => asked.push([name, args]),
    markdown: async text => harmless(text),
    copy: async () => undefined,
    follow: (parent, listener) => {
      expect(parent).toBe('p');
      hear = listener;
      return () => undefined;
    }
  });
  const root = el.firstElementChild?.shadowRoot as ShadowRoot;
  const marks = () => [...root.querySelectorAll('mark')].map(mark => mark.textContent);
  await vi.waitFor(() => expect(marks()).toEqual(['blue', 'green']));
  await vi.waitFor(() => expect(asked).toEqual([['beside', { turn: 'turn1', known: ['turn1', 'turn2'] }]]));

  const open = { key: 'turn3', parent: 'p', state: 'writes …', open: true, model: 'm' };
  hear({ turn: 'turn3', column: open, texts: [told('turn3', 'The lake')] });
  await vi.waitFor(() =>
    expect(root.querySelector('.uneven > [aria-busy=true]')?.textContent?.trim()).toBe('The lake')
  );
  expect(marks()).toEqual(['blue', 'green']); // those that are there stay in their rows
  await vi.waitFor(() =>
    expect(root.querySelector('.status')?.textContent).toBe('2 answers there, more being written')
  );

  hear({ turn: 'turn3', column: column(3), texts: [told('turn3', 'The lake is grey.')] });
  await vi.waitFor(() => expect(marks()).toEqual(['blue', 'green', 'grey']));
  expect(root.querySelectorAll('.heads code.id').length).toBe(3);
  await vi.waitFor(() => expect(root.querySelector('.status')?.textContent).toBe('3 answers there'));

  hear({ turn: 'turn4', column: { ...open, key: 'turn4' }, texts: [told('turn4', '')] });
  await vi.waitFor(() => expect(root.querySelectorAll('.heads > .head').length).toBe(4));
  hear({ turn: 'turn4', column: null, texts: [] });
  await vi.waitFor(() => expect(root.querySelectorAll('.heads > .head').length).toBe(3));
});

it('hears of its own place alone, and the kernel is told all places that are followed', () => {
  const told: Place[][] = [];
  const heard: string[] = [];
  const followers = new Followers(places => told.push(places));
  const ends = ['p', 'p', ''].map((parent, n) =>
    followers.add(['c', parent], ({ turn }) => heard.push(`${n} ${turn}`))
  );
  const news = { event: 'writing', conversation: 'c', turn: 't', column: null, texts: [] };
  expect(followers.receive({ ...news, parent: 'p' })).toBe(true);
  expect(followers.receive({ ...news, parent: null })).toBe(true);
  expect(followers.receive({ ...news, parent: 'p', conversation: 'other' })).toBe(true);
  expect(followers.receive({ event: 'changed', conversation: 'c' })).toBe(false);
  expect(heard).toEqual(['0 t', '1 t', '2 t']);
  for (const end of ends) {
    end();
  }
  expect(told[2]).toEqual([['c', 'p'], ['c', '']]); // biome-ignore format: places
  expect(told.at(-1)).toEqual([]);
});
