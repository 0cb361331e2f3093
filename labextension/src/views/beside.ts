/** What a comparison is of: the columns it was made with, and those that came beside them since. */

import { useEffect, useMemo, useState } from 'preact/hooks';
import { record } from '../core/reading';
import { type Column, joined, readColumn, readColumns, readTexts, type Texts } from './columns';
import type { ViewProps } from './tree';

interface Known {
  columns: Column[];
  texts: Map<string, Texts>;
}

const NOTHING: Known = { columns: [], texts: new Map() };

function taken({ columns, texts }: Known, fresh: readonly Column[], told: unknown): Known {
  return { columns: joined(columns, fresh), texts: new Map([...texts, ...readTexts(told)]) };
}

function without({ columns, texts }: Known, gone: (column: Column) => boolean): Known {
  return { columns: columns.filter(column => !gone(column)), texts };
}

/** A comparison of all answers to one parent goes on being that: a new one gets its column while it is written. */
export function useBeside({ state, shared, moves }: ViewProps): Known {
  const { stage, live } = shared;
  const stored = useMemo(
    () => ({ columns: readColumns(state.data.columns), texts: new Map(readTexts(state.data.texts)) }),
    [state]
  );
  const [since, setSince] = useState(NOTHING);
  const columns = useMemo(() => joined(stored.columns, since.columns), [stored, since]);
  const [first] = stored.columns;
  const follows = live && state.data.beside === true && first !== undefined;
  const parent = first?.parent ?? '';

  useEffect(() => {
    if (!follows) {
      return undefined;
    }
    const end = stage.follow?.(parent, ({ turn, column, texts }) =>
      setSince(now => (column ? taken(now, [readColumn(column)], texts) : without(now, ({ key }) => key === turn)))
    );
    return () => {
      end?.();
      setSince(now => without(now, ({ growing }) => growing)); // nobody will say what became of it
    };
  }, [stage, follows, parent]);

  // those that were written where nobody told of it
  useEffect(() => {
    if (follows) {
      const known = columns.map(({ id }) => id).filter(Boolean);
      stage.call('beside', { turn: first?.id, known }).then(
        result => {
          const more = record(result);
          const fresh = readColumns(more.columns);
          setSince(now => (fresh.length > 0 ? taken(now, fresh, more.texts) : now));
        },
        () => undefined
      );
    }
  }, [stage, follows, moves]);

  // texts that the notebook does not keep are asked for
  const [fetched, setFetched] = useState(NOTHING.texts);
  const texts = useMemo(() => new Map([...fetched, ...stored.texts, ...since.texts]), [fetched, stored, since]);
  const missing = columns.flatMap(({ id }) => (id && !texts.has(id) ? [id] : [])).join(' ');
  useEffect(() => {
    if (live && missing) {
      stage.call('texts', { turns: missing.split(' ') }).then(
        result => setFetched(before => new Map([...before, ...readTexts(record(result).texts)])),
        () => undefined
      );
    }
  }, [stage, live, missing]);
  return { columns, texts };
}
