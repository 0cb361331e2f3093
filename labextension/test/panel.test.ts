import { beforeEach, describe, expect, it } from 'vitest';
import type { Desk, Standing } from '../src/panel/desk';
import { readGauge, readItems, readOverview, when } from '../src/panel/known';
import { mountPanel } from '../src/panel/panel';

const GAUGE = { headline: 'About 450', window: 8000, room: 7000, raw: 9000, tokens: 450, fits: true, remarks: [] };
const RUNG = { rung: 'pages', before: 9000, after: 450, applied: true, why: '', lost: 'nothing' };

describe('what the kernel tells the panel', () => {
  it('is read with suspicion', () => {
    expect(readOverview({ conversation: null })).toBeNull();
    expect(readOverview({ conversation: 'talk', turns: 'many', labels: [7] })).toMatchObject({ turns: 0, name: '' });
    expect(readGauge({})).toBeNull();
    expect(readGauge({ ...GAUGE, rungs: [RUNG] })?.rungs).toEqual([
      { rung: 'pages', before: 9000, after: 450, lost: 'nothing' }
    ]);
    expect(readItems(null)).toEqual({ items: [], more: 0 });
    expect(readItems({ items: [{ id: 'a', found: { text: 'here' } }] }).items[0]).toMatchObject({
      id: 'a',
      found: 'here'
    });
  });

  it('says a time today, and a day before', () => {
    const now = new Date(2026, 10, 30, 22, 0);
    expect(when(new Date(2026, 10, 30, 9, 5).getTime() / 1000, now)).toBe('09:05');
    expect(when(new Date(2026, 9, 2).getTime() / 1000, now)).toBe('Oct 2, 2026');
  });
});

describe('the panel', () => {
  let standing: Standing;
  let tell: () => void;
  let said: (line: string) => void;
  let asked: string[];
  let replies: Record<string, unknown>;
  let root: ShadowRoot;
  const settled = () => new Promise(resolve => setTimeout(resolve, 120));

  beforeEach(async () => {
    standing = 'ready';
    asked = [];
    replies = {
      panel: { conversation: 'talk', name: 'samples', model: 'offline', turns: 0, labels: [] },
      gauge: { ...GAUGE, rungs: [RUNG] },
      conversations: {
        items: [
          { id: 'talk', name: 'samples', here: true },
          { id: 'two', title: 'Two' }
        ],
        more: 0
      },
      open: { note: 'Now in `two`' }
    };
    const desk: Desk = {
      standing: () => standing,
      notebook: () => 'a.ipynb',
      caution: () => 'two versions',
      onSaid: listener => {
        said = listener;
        return () => {};
      },
      on: listener => {
        tell = listener;
        return () => {};
      },
      call: async name => {
        asked.push(name);
        return name in replies ? replies[name] : Promise.reject(new Error(`no ${name}`));
      },
      reveal: () => false,
      run: command => asked.push(command),
      stage: () => {
        throw new Error('an empty tree is not drawn');
      }
    };
    const element = document.createElement('div');
    document.body.replaceChildren(element);
    mountPanel(element, desk);
    root = element.shadowRoot as ShadowRoot;
    await settled();
  });

  it('shows the conversation, its window and what the ladder would do', () => {
    expect(root.querySelector('h2')?.textContent).toBe('samples');
    expect(root.querySelector('.figures')?.textContent).toContain('450 of 7,000 tokens, 6 %');
    expect(root.querySelector('.rung')?.textContent).toContain('pages 9,000 → 450');
  });

  it('says that a prompt would not fit, where no rung helps', async () => {
    replies.gauge = { ...GAUGE, tokens: 7100, raw: 7100, fits: false, rungs: [] };
    tell();
    await settled();
    expect(root.querySelector('.gauge')?.textContent).toContain('would not fit');
    expect(root.querySelector('.full.over')).not.toBeNull();
  });

  it('says what a command did, and what is to be known before all else', async () => {
    said('Now in `fresh`');
    await settled();
    expect(root.querySelector('.status')?.innerHTML).toBe('Now in <code>fresh</code>');
    expect(root.querySelector('.caution')?.textContent).toBe('two versions');
  });

  it('opens another conversation and says so, as text', async () => {
    root.querySelector<HTMLElement>('[aria-label="Open: Two"]')?.click();
    await settled();
    expect(asked).toContain('open');
    expect(root.querySelector('.status')?.innerHTML).toBe('Now in <code>two</code>');
  });

  it('is idle without a kernel, and asks nothing', async () => {
    standing = 'off';
    asked.length = 0;
    tell();
    await settled();
    expect(root.textContent).toContain('No kernel is running');
    expect(asked).toEqual([]);
  });
});
