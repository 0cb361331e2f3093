/** The line to a notebook's kernel: one comm for a kernel, opened when there is something to ask, gone with the notebook. */

import type { ISessionContext } from '@jupyterlab/apputils';
import type { Kernel } from '@jupyterlab/services';
import type { JSONObject } from '@lumino/coreutils';
import type { IDisposable } from '@lumino/disposable';
import { Signal } from '@lumino/signaling';
import { Calls } from '../core/calls';
import { type Path, readPath } from '../core/path';

const TARGET = 'jupyter_history';

export class Link implements IDisposable {
  /** The path changed, or the kernel came, went, or is at work or not. */
  readonly changed = new Signal<this, void>(this);
  readonly #context: ISessionContext;
  #comm: Kernel.IComm | null = null;
  #calls: Calls | null = null;
  #path: Path | null = null;
  #wanted = false;
  #disposed = false;

  constructor(context: ISessionContext) {
    this.#context = context;
    context.kernelChanged.connect(this.#onKernel, this);
    context.statusChanged.connect(this.#onStatus, this);
  }

  /** The path as the kernel last told it; null where no kernel of ours answers. */
  get path(): Path | null {
    return this.#path;
  }

  /** Whether the kernel is at work, as far as can be told. */
  get busy(): boolean {
    const status = this.#context.session?.kernel?.status ?? 'dead';
    return status !== 'idle' && status !== 'dead';
  }

  get isDisposed(): boolean {
    return this.#disposed;
  }

  /** Open the comm where it is not. A kernel that did not load the extension closes it: ask again later. */
  open(): void {
    this.#wanted = true;
    const kernel = this.#context.session?.kernel;
    if (this.#disposed || !kernel || (this.#comm && !this.#comm.isDisposed) || kernel.status === 'dead') {
      return;
    }
    const comm = kernel.createComm(TARGET);
    const calls = new Calls(message => {
      comm.send(message as unknown as JSONObject);
    });
    comm.onMsg = message => {
      if (comm === this.#comm && !calls.receive(message.content.data)) {
        this.#hear(message.content.data);
      }
    };
    comm.onClose = () => {
      if (comm === this.#comm) {
        this.#lost();
      }
    };
    this.#comm = comm;
    this.#calls = calls;
    comm.open({});
    calls.call('hello').then(
      hello => this.#hear(hello),
      () => undefined
    );
  }

  /** Something happened that may have brought a kernel of ours to the answers that are shown here. */
  retry(): void {
    if (this.#wanted) {
      this.open();
    }
  }

  call(name: string, args: Record<string, string>): Promise<unknown> {
    return this.#calls?.call(name, args) ?? Promise.reject(new Error('no kernel is running'));
  }

  dispose(): void {
    if (this.#disposed) {
      return;
    }
    this.#disposed = true;
    if (this.#comm && !this.#comm.isDisposed && this.#context.session?.kernel) {
      this.#comm.onClose = () => undefined;
      this.#comm.close();
    }
    this.#calls?.end('the notebook was closed');
    Signal.clearData(this);
  }

  #hear(message: unknown): void {
    const path = readPath(message);
    if (path) {
      this.#path = path;
      this.changed.emit();
    }
  }

  /** Another kernel, or the first: a notebook shows its answers before it has one. */
  #onKernel(): void {
    this.#lost();
    this.retry();
  }

  #onStatus(_context: ISessionContext, status: Kernel.Status): void {
    if (status === 'restarting' || status === 'autorestarting' || status === 'dead' || status === 'terminating') {
      this.#lost();
    } else {
      this.changed.emit();
    }
  }

  #lost(): void {
    this.#calls?.end('the kernel went away');
    this.#comm = null;
    this.#calls = null;
    this.#path = null;
    this.changed.emit();
  }
}
