/** All conversations of the store: find, open, rename, archive. */

import { useEffect, useState } from 'preact/hooks';
import { Ask, Button, dollars, plural } from '../views/parts';
import { type Item, readItems, when } from './known';

interface Props {
  /** Counts what may have changed the list. */
  moves: number;
  ask(name: string, args: Record<string, unknown>): Promise<unknown>;
  act(name: string, args: Record<string, unknown>): void;
}

/** Milliseconds that a search waits for the next letter. */
const PAUSE = 200;

export function Conversations({ moves, ask, act }: Props) {
  const [find, setFind] = useState('');
  const [archived, setArchived] = useState(false);
  const [{ items, more }, setList] = useState<{ items: Item[]; more: number }>({ items: [], more: 0 });
  useEffect(() => {
    let gone = false;
    const soon = setTimeout(
      () => {
        ask('conversations', { find, archived }).then(
          list => !gone && setList(readItems(list)),
          () => undefined
        );
      },
      find ? PAUSE : 0
    );
    return () => {
      gone = true;
      clearTimeout(soon);
    };
  }, [ask, find, archived, moves]);
  return (
    <>
      <div class="search">
        <input
          type="search"
          class="grow"
          placeholder="Search names and all that was said"
          aria-label="Search conversations"
          value={find}
          onInput={event => setFind(event.currentTarget.value)}
        />
        <Button label="Show archived conversations" pressed={archived} onPress={() => setArchived(!archived)}>
          archived
        </Button>
      </div>
      <ul class="items" aria-label="Conversations">
        {items.map(item => (
          <Row key={item.id} item={item} archived={archived} act={act} />
        ))}
      </ul>
      {items.length === 0 && (
        <p class="quiet">{find ? 'Nothing was found.' : archived ? 'Nothing is archived.' : 'There are none yet.'}</p>
      )}
      {more > 0 && <p class="quiet">{plural(more, 'older conversation')} not listed; search finds them.</p>}
    </>
  );
}

function Row({ item, archived, act }: { item: Item; archived: boolean; act: Props['act'] }) {
  const [naming, setNaming] = useState(false);
  const called = item.name || item.title || item.id;
  const rename = (name: string | null): void => {
    setNaming(false);
    if (name !== null && name !== item.name) {
      act('rename', { conversation: item.id, name });
    }
  };
  return (
    <li class={item.here ? 'item here' : 'item'} aria-current={item.here ? 'true' : undefined}>
      {naming ? (
        <Ask label="Name" value={item.name} give={rename} />
      ) : (
        <button
          type="button"
          class="plain called"
          title={item.here ? 'This notebook works in it' : `Work in it from now on: ${item.title || called}`}
          aria-label={`${item.here ? 'Open now' : 'Open'}: ${called}`}
          aria-disabled={item.here}
          onClick={() => !item.here && act('open', { conversation: item.id })}
        >
          {called}
        </button>
      )}
      <span class="quiet said">
        {[item.name && item.title, item.found && `“${item.found}”`].filter(Boolean).join(' · ')}
      </span>
      <span class="quiet said">
        {[plural(item.turns, 'turn'), dollars(item.cost), when(item.updated, new Date())].join(' · ')}
      </span>
      <span class="more">
        <Button kind="small" label={`Rename ${called}`} onPress={() => setNaming(true)}>
          rename
        </Button>
        <Button
          kind="small"
          label={archived ? `Put ${called} back on the list` : `Archive ${called}; nothing is deleted`}
          onPress={() => act('archive', { conversation: item.id, on: !archived })}
        >
          {archived ? 'put back' : 'archive'}
        </Button>
      </span>
    </li>
  );
}
