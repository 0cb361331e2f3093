/** The tree of a conversation: a list with lines, or nodes with links, and the turn that is looked at beside it. */

import type { TargetedKeyboardEvent } from 'preact';
import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import { record } from '../core/reading';
import { foldedAtFirst, jump, matching, outline, type Row, sizes } from '../core/rows';
import { childrenOf, leaves, readTree, type Topology } from '../core/topology';
import type { ViewState } from '../core/view';
import { Detail } from './detail';
import { Button, dollars, plural, type Shared } from './parts';
import { Branches } from './tree-list';
import { Nodes } from './tree-nodes';

/** Trees of more turns than this show the branches off the path folded. */
const LARGE = 200;
const MOST_COMPARED = 6;

export interface ViewProps {
  state: ViewState;
  html: string;
  moves: number;
  shared: Shared;
}

/** The tree as the kernel last told it: from the state, then what is new after each move. */
function useTopology({ state, moves, shared }: ViewProps): [Topology, () => void] {
  const [tree, setTree] = useState(() => readTree(state.data));
  const [wanted, setWanted] = useState(0);
  const latest = useRef(tree);
  latest.current = tree;
  const { stage, live } = shared;
  useEffect(() => {
    let gone = false;
    if (live) {
      stage.call('news', { after: latest.current.last }).then(
        news => !gone && setTree(readTree(record(news), latest.current)),
        () => undefined
      );
    }
    return () => {
      gone = true;
    };
  }, [stage, live, moves, wanted]);
  return [tree, () => setWanted(count => count + 1)];
}

const toggled = (set: ReadonlySet<string>, id: string): Set<string> => {
  const next = new Set(set);
  if (!next.delete(id)) {
    next.add(id);
  }
  return next;
};

export function Tree(props: ViewProps) {
  const { shared } = props;
  const [tree, refresh] = useTopology(props);
  const [filter, setFilter] = useState('');
  const [map, setMap] = useState(false);
  const [showHidden, setShowHidden] = useState(false);
  const [collapsed, setCollapsed] = useState<ReadonlySet<string>>(() => foldedAtFirst(tree, LARGE));
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set());
  const [at, setAt] = useState<string | null>(tree.tip);
  const [peek, setPeek] = useState<string | null>(null);
  const search = useRef<HTMLInputElement>(null);
  const size = useMemo(() => sizes(tree), [tree]);
  const rows = useMemo(
    () => (filter.trim() ? matching(tree, filter) : outline(tree, { collapsed, hidden: showHidden }, size)),
    [tree, filter, collapsed, showHidden, size]
  );
  const index = Math.max(
    0,
    useMemo(() => rows.findIndex(row => row.turn.id === at), [rows, at])
  );
  const row = rows[index];
  const numbers = useMemo(() => {
    let cost = 0;
    for (const turn of tree.turns.values()) {
      cost += turn.cost ?? 0;
    }
    return `${plural(tree.turns.size, 'turn')} on ${plural(leaves(tree), 'branch', 'branches')}, ${dollars(cost)}`;
  }, [tree]);

  const go = (next: number): void => {
    const found = rows[Math.min(rows.length - 1, Math.max(0, next))];
    if (found) {
      setAt(found.turn.id);
    }
  };
  const fold = (of: Row): void => setCollapsed(toggled(collapsed, of.turn.id));
  const choose = (id: string): void => {
    const next = toggled(chosen, id);
    if (next.size <= MOST_COMPARED) {
      setChosen(next);
    } else {
      shared.say(`Six answers stand side by side at most.`);
    }
  };
  const act = async (name: string, args: Record<string, unknown>): Promise<void> => {
    if (!shared.live) {
      shared.say('This needs a running kernel with the extension loaded.');
      return;
    }
    const result = await shared.act(name, args);
    if (result) {
      refresh();
      if (typeof result.turn === 'string') {
        setAt(result.turn);
      }
    }
  };
  const compare = (turns: string[]): void => {
    if (turns.length > 1) {
      shared.open('compare', { turns });
    }
  };

  const key = (event: TargetedKeyboardEvent<HTMLElement>): void => {
    if (!row || event.ctrlKey || event.metaKey || event.altKey) {
      return;
    }
    const { id } = row.turn;
    const keys: Record<string, () => void> = {
      ArrowDown: () => go(index + 1),
      ArrowUp: () => go(index - 1),
      PageDown: () => go(index + 12),
      PageUp: () => go(index - 12),
      Home: () => go(0),
      End: () => go(rows.length - 1),
      '[': () => go(jump(rows, index, -1)),
      ']': () => go(jump(rows, index, 1)),
      ArrowLeft: () => (row.children && !row.folded ? fold(row) : row.turn.parent && setAt(row.turn.parent)),
      ArrowRight: () => (row.folded ? fold(row) : go(index + 1)),
      Enter: () => void act('continue', { turn: id }),
      ' ': () => choose(id),
      c: () => compare(chosen.size > 1 ? [...chosen] : siblings(tree, id)),
      f: () => void act('favourite', { turn: id, on: !tree.favourites.has(id) }),
      h: () => void act('hide', { turn: id, on: !tree.hidden.has(id) }),
      '/': () => search.current?.focus()
    };
    const run = keys[event.key];
    if (run) {
      event.preventDefault();
      event.stopPropagation();
      run();
    }
  };

  const list = { tree, rows, index, chosen, look: setAt, peek: setPeek, fold, choose, onKeyDown: key };
  const shown = tree.turns.get(peek ?? '') ?? row?.turn;
  return (
    <>
      <header class="bar">
        <strong class="name">{props.state.name}</strong>
        <span class="quiet grow">{numbers}</span>
        <input
          ref={search}
          type="search"
          placeholder="Filter: text, label, model"
          aria-label="Filter turns by text, id, label or model"
          value={filter}
          onInput={event => setFilter(event.currentTarget.value)}
          onKeyDown={event => event.stopPropagation()}
        />
        {tree.hidden.size > 0 && (
          <Button label="Show hidden turns" pressed={showHidden} onPress={() => setShowHidden(!showHidden)}>
            {tree.hidden.size} hidden
          </Button>
        )}
        <span class="switch" role="group" aria-label="How the tree is drawn">
          <Button label="As a list" pressed={!map} onPress={() => setMap(false)}>
            List
          </Button>
          <Button label="As nodes with links" pressed={map} onPress={() => setMap(true)}>
            Nodes
          </Button>
        </span>
        <Button
          label="Compare the chosen answers (c); choose with the space bar"
          disabled={!shared.live || chosen.size < 2}
          kind="strong"
          onPress={() => compare([...chosen])}
        >
          Compare{chosen.size ? ` ${chosen.size}` : ''}
        </Button>
      </header>
      {filter.trim() && (
        <p class="quiet found" role="status">
          {plural(rows.length, 'turn')} of {tree.turns.size.toLocaleString('en')}
        </p>
      )}
      {tree.turns.size === 0 ? (
        <p class="quiet empty">The conversation is empty. Its first turn comes from the next %%chat cell.</p>
      ) : (
        <div class="sides">
          {map ? <Nodes {...list} hidden={showHidden} /> : <Branches {...list} />}
          {shown && (
            <Detail
              key={shown.id}
              turn={shown}
              tree={tree}
              shared={shared}
              act={act}
              compare={() => compare(siblings(tree, shown.id))}
              chosen={chosen.has(shown.id)}
              choose={() => choose(shown.id)}
            />
          )}
        </div>
      )}
    </>
  );
}

/** All answers beside a turn, the newest six. */
function siblings(tree: Topology, id: string): string[] {
  return [...childrenOf(tree, tree.turns.get(id)?.parent ?? null)].slice(-MOST_COMPARED);
}
