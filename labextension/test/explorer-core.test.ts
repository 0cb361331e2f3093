import { describe, expect, it, test } from 'vitest';
import { blocks } from '../src/core/blocks';
import { against, align, baseline, changes, common, runs, shared, stacks, words } from '../src/core/compare';
import { formulas, undivided } from '../src/core/formulas';
import { dispositions, readLadder, STEPS, stages, stepOf, windowAt } from '../src/core/ladder';
import { marksOf } from '../src/core/marks';
import { readPages, rects, spanAt } from '../src/core/pagemap';
import { foldedAtFirst, inSight, jump, matching, outline } from '../src/core/rows';
import { layOut } from '../src/core/tidy';

import { leaves, pathTo, place, readTree } from '../src/core/topology';
import { readView } from '../src/core/view';
import { indented } from '../src/views/block';
import { type Column, joined, newest, readColumn } from '../src/views/columns';
import cases from './marks.json';

const turn = (id: string, parent: string | null = null, title = id, model = 0, outcome = 0): unknown[] => [
  id, parent, title, model, outcome, 100, 0.01, 1, 1
]; // biome-ignore format: one turn, one line
const family = (tip: string | null = 'd') =>
  readTree({
    tip,
    last: 6,
    models: ['small', 'large'],
    turns: [turn('a'), turn('b', 'a'), turn('c', 'b'), turn('b2', 'a', 'edited', 1), turn('d', 'b2'), turn('d2', 'b2')],
    labels: { start: 'a' },
    hidden: []
  });
const none = { collapsed: new Set<string>() };

describe('the tree as a list', () => {
  test('a chain does not indent; side branches stand before what goes on', () => {
    const rows = outline(family(), none);
    expect(rows.map(row => `${row.depth}${row.turn.id}`)).toEqual(['0a', '1b', '1c', '0b2', '1d2', '0d']);
    expect(rows.filter(row => row.onPath).map(row => row.turn.id)).toEqual(['a', 'b2', 'd']);
  });

  test('a line leads from each turn to the next in its column', () => {
    const [a, b, c, b2] = outline(family(), none);
    expect([a?.above, a?.below, b?.rails, c?.rails, b2?.above]).toEqual([0, 2, [2], [2], 2]);
    expect([b?.above, b?.below, c?.above, c?.below]).toEqual([0, 1, 1, 0]);
  });

  test('a folded turn hides what is below it and says how much', () => {
    const rows = outline(family(), { collapsed: new Set(['b', 'b2']) });
    expect(rows.map(row => [row.turn.id, row.folded])).toEqual([['a', 0], ['b', 1], ['b2', 2]]); // biome-ignore format: pairs
  });

  test('hidden turns are left out with all below them, unless asked for', () => {
    const tree = { ...family(), hidden: new Set(['b']) };
    expect(outline(tree, none).map(row => row.turn.id)).toEqual(['a', 'b2', 'd2', 'd']);
    expect(outline(tree, { ...none, hidden: true })).toHaveLength(6);
  });

  test('filters look at titles, ids, labels and models', () => {
    const found = (filter: string) => matching(family(), filter).map(row => row.turn.id);
    expect([found('EDITED'), found('start'), found('large'), found('d2'), found('large nothing')]).toEqual([
      ['b2'], ['a'], ['b2'], ['d2'], []
    ]); // biome-ignore format: one list a filter
  });

  test('what the kernel found in the texts is listed too, with the line around it', () => {
    const rows = matching(family(), 'edited', new Map([['c', 'answer: it was edited'], ['b2', 'prompt: edited']])); // biome-ignore format: pairs
    expect(rows.map(row => [row.turn.id, row.found])).toEqual([['c', 'answer: it was edited'], ['b2', undefined]]); // biome-ignore format: pairs
  });

  test('jumps go from branch point to branch point and stay at the last', () => {
    const rows = outline(family(), none);
    expect([jump(rows, 0, 1), jump(rows, 3, 1), jump(rows, 5, -1), jump(rows, 0, -1)]).toEqual([3, 3, 3, 0]);
  });

  test('a large tree folds side branches that are off the path', () => {
    expect([...foldedAtFirst(family(), 3)]).toEqual(['b']);
    expect(foldedAtFirst(family(), 10).size).toBe(0);
  });

  test('ten thousand turns in a row make rows fast, without recursion', () => {
    const turns = Array.from({ length: 10_000 }, (_, n) => turn(`t${n}`, n ? `t${n - 1}` : null));
    const tree = readTree({ tip: 't9999', models: ['m'], turns });
    const begin = performance.now();
    expect(outline(tree, none)).toHaveLength(10_000);
    expect(performance.now() - begin).toBeLessThan(300);
    expect(inSight(10_000, 28, 5000 * 28, 280)).toEqual([4992, 5018]);
  });
});

describe('the shape of a conversation', () => {
  test('what is new is added to what is known, and the old tree stays', () => {
    const before = family();
    const after = readTree({ tip: 'e', last: 7, models: ['m'], turns: [turn('e', 'd')], labels: {} }, before);
    expect([after.turns.size, before.turns.size, after.last]).toEqual([7, 6, 7]);
    expect(pathTo(after, after.tip)).toEqual(['a', 'b2', 'd', 'e']);
    expect(before.children.get('d')).toEqual([]);
  });

  test('a parent that is not there, a circle, and nonsense do no harm', () => {
    const tree = readTree({ tip: 'zz', turns: [turn('x', 'y'), turn('y', 'x'), null, 7, ['x']] });
    expect([...tree.turns.values()].map(each => [each.id, each.parent])).toEqual([['x', null], ['y', 'x']]); // biome-ignore format: pairs
    expect(tree.tip).toBeNull();
    expect(readView({ view: 'tree' })).toBeNull();
    expect(readView({ view: 'script', conversation: 'c' })).toBeNull();
  });

  test('a turn has the marks that the text and the HTML of the kernel give it', () => {
    const tree = readTree(cases);
    const found = [...tree.turns.values()].map(each => [
      each.id,
      marksOf(tree, each).map(({ kind, text }) => [kind, text])
    ]);
    expect(Object.fromEntries(found)).toEqual(cases.marks);
  });

  test('places and leaves', () => {
    const tree = family();
    const found = tree.turns.get('b2');
    expect(found && place(tree, found)).toEqual([2, 2]);
    expect(leaves(tree)).toBe(3);
  });

  test('nodes never overlap, and children stand below their parents', () => {
    const { spots, width, height } = layOut(family(), 20, 30, 10);
    expect(new Set(spots.map(({ x, y }) => `${x},${y}`)).size).toBe(6);
    expect(spots.every(({ y, parent }) => parent === null || parent.y < y)).toBe(true);
    expect([spots[0]?.y, width, height]).toEqual([10, 80, 80]);
  });
});

describe('answers side by side', () => {
  test('blocks are paragraphs, headings, items and fenced code', () => {
    expect(blocks('# T\none\ntwo\n\n- a\n- b\n```\nx\n\ny\n```\nend')).toEqual([
      '# T', 'one\ntwo', '- a', '- b', '```\nx\n\ny\n```', 'end'
    ]); // biome-ignore format: blocks
  });

  test('a display formula is one block, whatever its lines begin with', () => {
    expect(blocks('$$\na\n- b\n$$\n- item')).toEqual(['$$\na\n- b\n$$', '- item']);
    expect(blocks('\\begin{align}\n# x\n\\end{align}\n# T')).toEqual(['\\begin{align}\n# x\n\\end{align}', '# T']);
  });

  test('where no spaces divide words, an ideograph is one and a run of hiragana', () => {
    const found = changes('通常の極限分布には三つの条件が必要です。', '通常の極限分布には二つの条件が必要です。');
    expect(found.filter(piece => piece.changed).map(piece => piece.text)).toEqual(['三']);
    expect(words('ไม่มี カタカナー 조건이')).toEqual(['ไม่มี ', 'カタカナー ', '조건이']);
  });

  test('a formula is marked whole where any part of it differs, for nothing may divide it', () => {
    const text = 'With $x^2$ and $y$ so.';
    const parts = undivided(changes(text, 'With $x^3$ and $y$ so.'), formulas(text));
    expect(parts.filter(piece => piece.changed).map(piece => piece.text)).toEqual(['$x^2$']);
    expect(parts.map(piece => piece.text).join('')).toBe(text);
    expect(formulas('$$\na\n$$ \\begin{a}b\\end{a}').length).toBe(2);
  });

  test('a block that was indented stands as far in, without being code', () => {
    expect(indented('    - item\n      more')).toEqual(['- item\n  more', { marginInlineStart: '2.2em' }]);
    expect(indented('plain')).toEqual(['plain', {}]);
  });

  test('a column that has come further keeps its place; the newest six stand, and the baseline', () => {
    const open = readColumn({ key: 'b', state: 'writes …', open: true, parent: 'p', model: 'm' });
    expect([open.growing, open.facts[0]]).toEqual([true, ['model', 'm']]);
    const there = ['a', 'b', 'c'].map(id => readColumn({ id, model: 'm', outcome: 'stopped' }));
    const columns = joined([there[0] as Column, open], there.slice(1));
    expect(columns.map(({ id }) => id)).toEqual(['a', 'b', 'c']);
    expect(columns[1]?.facts[0]).toEqual(['model', 'm, stopped']);
    expect(newest(columns, 'a', 2).map(({ key }) => key)).toEqual(['a', 'c']);
    expect(newest(columns, 'c', 2).map(({ key }) => key)).toEqual(['b', 'c']);
  });

  test('what is the same stands once; what changed stands side by side', () => {
    const { lines, shares } = align(['One.\n\nIt is red today.\n\nEnd.', 'One.\n\nIt is blue today.\n\nMore.\n\nEnd.']);
    expect(lines).toEqual([
      { cells: ['One.', 'One.'], same: true },
      { cells: ['It is red today.', 'It is blue today.'], same: false },
      { cells: [null, 'More.'], same: false },
      { cells: ['End.', 'End.'], same: true }
    ]);
    expect(shares[1]).toBeGreaterThan(0.7);
  });

  test('any column is the baseline', () => {
    const { lines } = align(['A.\n\nB.', 'B.', 'B.\n\nC.'], 1);
    expect(lines.map(line => line.cells)).toEqual([['A.', null, null], ['B.', 'B.', 'B.'], [null, null, 'C.']]); // biome-ignore format: lines
  });

  test('while some answers stream, those that are there are compared by themselves', () => {
    expect([baseline([true, false, false], 0), baseline([true, true], 1), baseline([false, false], 1)]).toEqual([
      1, 1, 1
    ]);
    expect(stacks(['A.\n\nB.'], 0)).toEqual([
      [{ text: 'A.', others: [], alone: false }, { text: 'B.', others: [], alone: false }]
    ]); // biome-ignore format: blocks
    expect(stacks(['Same.\n\nIt is red today.', 'Same.\n\nIt is blue today.\n\nMore.'], 0)[1]).toEqual([
      { text: 'Same.', others: [], alone: false },
      { text: 'It is blue today.', others: ['It is red today.'], alone: false },
      { text: 'More.', others: [], alone: true }
    ]);
  });

  test('words are marked where the other side has not the same', () => {
    const pieces = changes('the red house stands', 'the blue house stands');
    expect(pieces.filter(piece => piece.changed).map(piece => piece.text)).toEqual(['red ']);
    expect(pieces.map(piece => piece.text).join('')).toBe('the red house stands');
    expect(changes('nothing alike', 'some other words')).toEqual([{ text: 'nothing alike', changed: true }]);
  });

  test('the baseline is marked where all others differ', () => {
    const text = 'a b c';
    expect(common([changes(text, 'a x c'), changes(text, 'y b c')])).toEqual([{ text, changed: false }]);
    expect(common([changes(text, 'a x c'), changes(text, 'a y c')]).filter(piece => piece.changed)).toEqual([
      { text: 'b ', changed: true }
    ]);
  });

  test('a block of the baseline that one other column has too is not marked; one that nobody has is, whole', () => {
    expect(against(['A', null, 'A'], 0, 0)).toEqual({ others: [], alone: false });
    expect(against(['A', 'B', 'C'], 0, 0)).toEqual({ others: ['B', 'C'], alone: false });
    expect(against(['A', null], 0, 0)).toEqual({ others: [], alone: true });
    expect(against([null, 'B'], 1, 0)).toEqual({ others: [], alone: true });
    expect(against(['A', 'B', 'A'], 2, 0)).toEqual({ others: [], alone: false });
  });

  test('texts that would take too long stand side by side with what share of words they have in common', () => {
    const long = (seed: number) => Array.from({ length: 3000 }, (_, n) => `w${(n * seed) % 997}`).join('\n\n');
    const { coarse, lines, shares } = align([long(7), long(11)], 0, 1);
    expect([coarse, lines.length]).toEqual([true, 1]);
    expect(shares[1]).toBeGreaterThan(0.5);
  });

  test('three thousand words are compared in a second', () => {
    const say = (odd: string) =>
      Array.from({ length: 60 }, (_, n) =>
        Array.from({ length: 50 }, (_, m) => (m % 17 ? `word${(n * m) % 401}` : odd)).join(' ')
      ).join('\n\n');
    const begin = performance.now();
    const { lines } = align([say('this'), say('that')]);
    for (const {
      cells: [left, right]
    } of lines) {
      changes(left ?? '', right ?? '');
    }
    expect(lines.every(line => line.cells.every(Boolean))).toBe(true);
    expect(performance.now() - begin).toBeLessThan(1000);
  });

  it('draws runs of equal blocks together', () => {
    const { lines } = align(['A.\n\nB.\n\nred\n\nC.', 'A.\n\nB.\n\nblue\n\nC.']);
    expect(runs(lines).map(run => run.length)).toEqual([2, 1, 1]);
    expect(shared('', '')).toBe(1);
  });
});

describe('the ladder', () => {
  const ladder = readLadder({
    window: 8000, room: 7000, raw: 10_000, tokens: 5000,
    rungs: [
      { rung: 'elision', before: 10_000, after: 9000, applied: true, why: '', lost: '', cost: 0 },
      { rung: 'images', before: 9000, after: 9000, applied: false },
      { rung: 'snapshot', before: 9000, after: 5000, applied: true }
    ],
    rows: [['a.0', 'T001', 'user', 'on page 1', '', 10, 5, ''], ['a.1', 'T001', 'assistant', 'on pages 1 to 2', '', 9, 4, '']]
  }); // biome-ignore format: numbers

  test('bars tell what each rung took back, against the larger of request and window', () => {
    const { stages: bars, room } = stages(ladder);
    expect(bars.map(bar => [bar.name, bar.share, bar.back, bar.over])).toEqual([
      ['as stored', 1, 0, true], ['elision', 0.9, 1000, true], ['snapshot', 0.5, 4000, false]
    ]); // biome-ignore format: bars
    expect(room).toBe(0.7);
    expect(dispositions(ladder.rows)).toEqual([['on pages', 2]]);
  });

  test('the slider reaches both ends and comes back to where it was', () => {
    expect([windowAt(0, 1000, 200_000), windowAt(STEPS, 1000, 200_000)]).toEqual([1000, 200_000]);
    for (const step of [0, 13, 50, 99, 100]) {
      expect(Math.abs(stepOf(windowAt(step, 1000, 200_000), 1000, 200_000) - step)).toBeLessThanOrEqual(1);
    }
    expect(stepOf(5, 10, 10)).toBe(STEPS);
  });
});

describe('the map of a page', () => {
  const [page] = readPages({
    pages: [{ number: 1, width: 70, height: 56, cell: [7, 14], columns: 10,
      spans: [[0, 'T001', 'user', 0, 20, 5, 25], [1, 'T001', 'assistant', 100, 104, 30, 34]] }]
  }).sheets; // biome-ignore format: numbers
  if (!page) {
    throw new Error('no page');
  }

  test('a span is at most three rectangles', () => {
    expect(rects(page, { first: 5, last: 25 })).toEqual([
      { x: 35, y: 0, width: 35, height: 14 },
      { x: 0, y: 14, width: 70, height: 14 },
      { x: 0, y: 28, width: 35, height: 14 }
    ]);
    expect(rects(page, { first: 2, last: 4 })).toEqual([{ x: 14, y: 0, width: 14, height: 14 }]);
    expect(rects(page, { first: 4, last: 4 })).toEqual([]);
  });

  test('a point names its span and character; beside the text it names nothing', () => {
    expect(spanAt(page, 36, 1)).toEqual({ index: 0, character: 0 });
    expect(spanAt(page, 34, 30)).toEqual({ index: 0, character: 19 });
    expect(spanAt(page, 8, 44)).toEqual({ index: 1, character: 101 });
    expect([spanAt(page, 1, 1), spanAt(page, -1, 5), spanAt(page, 75, 5)]).toEqual([null, null, null]);
  });
});
