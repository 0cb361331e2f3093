/** One explorer in a shadow root: which view it is, what was opened from it, and the line that says what happened. */

import { render } from 'preact';
import { useEffect, useMemo, useState } from 'preact/hooks';
import { record, text } from '../core/reading';
import { readView, type ViewState } from '../core/view';
import { Compare } from './compare';
import { Ladder } from './ladder';
import { Pages } from './pages';
import { Button, Coded, type Shared } from './parts';
import type { Stage } from './stage';
import { STYLE } from './style';
import { Tree } from './tree';

const VIEWS = { tree: Tree, compare: Compare, ladder: Ladder, pages: Pages };

function Explorer({ stage }: { stage: Stage }) {
  const [known, setKnown] = useState(() => stage.get());
  const [moves, setMoves] = useState(0);
  const [opened, setOpened] = useState<ViewState[]>([]);
  const [line, say] = useState('');
  useEffect(() => {
    const end = stage.on(() => {
      setKnown(stage.get());
      setMoves(count => count + 1);
    });
    // what happened between the first drawing and now
    setKnown(stage.get());
    return end;
  }, [stage]);
  const shared = useMemo<Shared>(() => {
    const ask = async (name: string, args: Record<string, unknown>): Promise<Record<string, unknown> | null> => {
      say('');
      const patience = setTimeout(() => say('the kernel is busy; this waits for it'), 1000);
      try {
        return record(await stage.call(name, args));
      } catch (error) {
        say(error instanceof Error ? error.message : String(error));
        return null;
      } finally {
        clearTimeout(patience);
        say(now => (now.startsWith('the kernel is busy') ? '' : now));
      }
    };
    return {
      stage,
      live: known.live,
      say,
      act: async (name, args) => {
        const result = await ask(name, args);
        say(now => text(result?.note) || now);
        return result;
      },
      open: async (view, args) => {
        const state = readView(await ask('view', { view, args }));
        if (state) {
          setOpened(views => [...views, state]);
        }
      }
    };
  }, [stage, known.live]);
  const state = opened.at(-1) ?? known.state;
  if (!state) {
    return <p class="quiet">This view cannot be read: it was made by another version.</p>;
  }
  const View = VIEWS[state.view];
  const below = opened.at(-2) ?? known.state;
  return (
    <section class={`explorer ${state.view}`} aria-label={`${state.view} of conversation ${state.name}`}>
      {opened.length > 0 && (
        <Button label={`Back to the ${below?.view}`} kind="back" onPress={() => setOpened(opened.slice(0, -1))}>
          ‹ {below?.view}
        </Button>
      )}
      <View key={opened.length} state={state} html={opened.length ? '' : known.html} moves={moves} shared={shared} />
      <p class="status" role="status">
        <Coded line={line} />
      </p>
    </section>
  );
}

export interface Mounted {
  dispose(): void;
}

/** Mount an explorer into any element. Its keys stay its own: a notebook would take them for commands. */
export function mountExplorer(element: HTMLElement, stage: Stage): Mounted {
  const place = document.createElement('div');
  place.className = 'jh-explorer';
  place.setAttribute('data-lm-suppress-shortcuts', 'true');
  const root = place.attachShadow({ mode: 'open' });
  const style = document.createElement('style');
  style.textContent = STYLE;
  const body = document.createElement('div');
  root.append(style, body);
  element.append(place);
  render(<Explorer stage={stage} />, body);
  return {
    dispose: () => {
      render(null, body);
      place.remove();
    }
  };
}
