/** Questions to the kernel and their replies, paired by id. */

interface Waiting {
  resolve: (result: unknown) => void;
  reject: (reason: Error) => void;
}

export class Calls {
  readonly #send: (message: { id: string; call: string; args: Record<string, unknown> }) => void;
  readonly #waiting = new Map<string, Waiting>();
  #count = 0;

  constructor(send: (message: { id: string; call: string; args: Record<string, unknown> }) => void) {
    this.#send = send;
  }

  /** Ask. Rejects with the kernel's one-line error, or when the connection ends. */
  call(name: string, args: Record<string, unknown> = {}): Promise<unknown> {
    const id = `${++this.#count}`;
    return new Promise((resolve, reject) => {
      this.#waiting.set(id, { resolve, reject });
      try {
        this.#send({ id, call: name, args });
      } catch (error) {
        this.#waiting.delete(id);
        reject(error instanceof Error ? error : new Error(String(error)));
      }
    });
  }

  /** Take a message of the kernel's. False where it is no reply to a question of ours. */
  receive(message: unknown): boolean {
    const { id, result, error } = (message ?? {}) as { id?: unknown; result?: unknown; error?: unknown };
    const waiting = typeof id === 'string' ? this.#waiting.get(id) : undefined;
    if (!waiting) {
      return false;
    }
    this.#waiting.delete(id as string);
    if (error === undefined) {
      waiting.resolve(result);
    } else {
      waiting.reject(new Error(String(error)));
    }
    return true;
  }

  /** The connection ended: nobody will answer. */
  end(reason: string): void {
    for (const waiting of this.#waiting.values()) {
      waiting.reject(new Error(reason));
    }
    this.#waiting.clear();
  }
}
