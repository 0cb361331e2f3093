/** Who wants to hear of answers that are being written beside others, and where those stand. */

import { list, record, text } from './reading';

/** A conversation and a turn of it, empty for the root: where answers stand beside each other. */
export type Place = [conversation: string, parent: string];

/** How far an answer has come. */
export interface News {
  turn: string;
  /** As the kernel describes a column of a comparison; null where nothing was kept. */
  column: unknown;
  texts: unknown[];
}

interface Follower {
  place: Place;
  hear: (news: News) => void;
}

export class Followers {
  readonly #ask: (places: Place[]) => void;
  readonly #followers = new Set<Follower>();

  /** `ask` tells the kernel all the places that are followed, each time anew. */
  constructor(ask: (places: Place[]) => void) {
    this.#ask = ask;
  }

  /** Gives a function that ends it. */
  add(place: Place, hear: (news: News) => void): () => void {
    const follower = { place, hear };
    this.#followers.add(follower);
    this.ask();
    return () => {
      this.#followers.delete(follower);
      this.ask();
    };
  }

  /** Ask, also another kernel than before. */
  ask(): void {
    const places = [...this.#followers].map(({ place }) => place);
    this.#ask([...new Map(places.map(place => [place.join(' '), place])).values()]);
  }

  /** Take a message of the kernel's. False where it is about something else. */
  receive(message: unknown): boolean {
    const { event, conversation, parent, turn, column, texts } = record(message);
    if (event !== 'writing') {
      return false;
    }
    for (const { place, hear } of this.#followers) {
      if (place[0] === conversation && place[1] === text(parent)) {
        hear({ turn: text(turn), column: column ?? null, texts: list(texts) });
      }
    }
    return true;
  }
}
