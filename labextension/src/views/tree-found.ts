/** What a tree's filter finds in the texts, which only the kernel has: asked for while somebody types. */

import { useEffect, useState } from 'preact/hooks';
import { record, text } from '../core/reading';
import type { Said } from '../core/rows';
import type { Shared } from './parts';

/** Milliseconds without a letter before the kernel is asked. */
const PAUSE = 200;
const NOTHING: Said = new Map();

export interface Search {
  said: Said;
  /** What the list lacks, in one line; empty where it is complete. */
  line: string;
}

export function useSearch(filter: string, { stage, live }: Shared): Search {
  const words = filter.trim();
  const [found, setFound] = useState<Search & { words: string }>({ words: '', said: NOTHING, line: '' });
  useEffect(() => {
    if (!words || !live) {
      return undefined;
    }
    let gone = false;
    const soon = setTimeout(() => {
      stage.call('find', { text: words }).then(
        result => {
          const { turns, more } = record(result);
          if (!gone) {
            const line = more ? 'the newest that say it are listed; more words find fewer' : '';
            setFound({
              words,
              said: new Map(Object.entries(record(turns)).map(([id, around]) => [id, text(around)])),
              line
            });
          }
        },
        (error: unknown) =>
          !gone && setFound({ words, said: NOTHING, line: error instanceof Error ? error.message : String(error) })
      );
    }, PAUSE);
    return () => {
      gone = true;
      clearTimeout(soon);
    };
  }, [words, stage, live]);
  if (!words) {
    return { said: NOTHING, line: '' };
  }
  if (!live) {
    return { said: NOTHING, line: 'titles, labels, models and ids only: a running kernel searches all that was said' };
  }
  return found.words === words ? found : { said: NOTHING, line: 'searching all that was said …' };
}
