/**
 * The line to a notebook's kernel, opened when there is something to ask, gone with the notebook.
 *
 * It is two comms: one that asks, one that listens. A kernel with subshells handles a comm where it last spoke on it
 * itself (ipykernel 7), and it tells of a move where the cell runs: what is asked on that comm would wait for the cell.
 */

import type { ISessionContext } from '@jupyterlab/apputils';
import type { Kernel, KernelMessage } from '@jupyterlab/services';
import type { JSONObject } from '@lumino/coreutils';
import type { IDisposable } from '@lumino/disposable';
import { Signal } from '@lumino/signaling';
import { version } from '../../package.json';
import { Calls } from '../core/calls';
import { Followers, type Place } from '../core/followers';
import { type Path, readPath } from '../core/path';
import { record, text } from '../core/reading';

/** What the kernel says of a checkout that was not installed. */
const UNKNOWN = '0+unknown';
const TARGET = 'jupyter_history';

export class Link implements IDisposable {
  /** The path changed, or the kernel came, went, or is at work or not. */
  readonly changed = new Signal<this, void>(this);
  /** Something is new in a conversation, by its id: a move, a label, a mark. */
  readonly stirred = new Signal<this, string>(this);
  /** Who wants to hear of answers while they are written. */
  readonly followers = new Followers(places => this.#follow(places));
  readonly #context: ISessionContext;
  #comms: readonly Kernel.IComm[] = [];
  #calls: Calls | null = null;
  #path: Path | null = null;
  #ready = false;
  /** Whether the kernel's main thread is at work; null until it said so. */
  #working: boolean | null = null;
  #news = 0;
  #kernels = '';
  #wanted = false;
  #disposed = false;

  constructor(context: ISessionContext) {
    this.#context = context;
    context.kernelChanged.connect(this.#onKernel, this);
    context.statusChanged.connect(this.#onStatus, this);
    context.iopubMessage.connect(this.#onMessage, this);
  }

  /** The path as the kernel last told it; null where no kernel of ours answers. */
  get path(): Path | null {
    return this.#path;
  }

  /** Whether a kernel of ours answered. It may have no conversation yet. */
  get ready(): boolean {
    return this.#ready;
  }

  /** One line where the page and the kernel have different versions of us, else empty. */
  get apart(): string {
    const [front, kernel] = [version, this.#kernels];
    return !kernel || kernel === front || kernel === UNKNOWN
      ? ''
      : `This page has jupyter_history ${front}, the kernel ${kernel}: install one version for both, then reload.`;
  }

  /** Counts what the kernel told: a label or a name may change where the path does not. */
  get news(): number {
    return this.#news;
  }

  /** Whether the kernel runs cells now, as far as can be told. */
  get busy(): boolean {
    const status = this.#context.session?.kernel?.status ?? 'dead';
    return status === 'idle' || status === 'busy' ? (this.#working ?? status === 'busy') : status !== 'dead';
  }

  get isDisposed(): boolean {
    return this.#disposed;
  }

  /** Open the comms where they are not. A kernel that did not load the extension closes them: ask again later. */
  open(): void {
    this.#wanted = true;
    const kernel = this.#context.session?.kernel;
    if (!this.#disposed && kernel && kernel.status !== 'dead' && this.#comms.length === 0) {
      void this.#connect(kernel);
    }
  }

  /** Something happened that may have brought a kernel of ours to the answers that are shown here. */
  retry(): void {
    if (this.#wanted) {
      this.open();
    }
  }

  call(name: string, args: Record<string, unknown> = {}): Promise<unknown> {
    return this.#calls?.call(name, args) ?? Promise.reject(new Error('no kernel is running'));
  }

  dispose(): void {
    if (this.#disposed) {
      return;
    }
    this.#disposed = true;
    for (const comm of this.#comms) {
      if (!comm.isDisposed && this.#context.session?.kernel) {
        comm.onClose = () => undefined;
        comm.close();
      }
    }
    this.#calls?.end('the notebook was closed');
    Signal.clearData(this);
  }

  async #connect(kernel: Kernel.IKernelConnection): Promise<void> {
    const [asking, listening] = [kernel.createComm(TARGET), kernel.createComm(TARGET)];
    const comms = [asking, listening];
    const present = (): boolean => comms === this.#comms;
    const calls = new Calls(message => {
      asking.send(message as unknown as JSONObject);
    });
    for (const comm of comms) {
      comm.onMsg = message => {
        if (present() && !calls.receive(message.content.data)) {
          this.#hear(message.content.data);
        }
      };
      comm.onClose = () => {
        if (present()) {
          this.#lost();
        }
      };
    }
    this.#comms = comms;
    await Promise.all(comms.map(comm => subshell(kernel, comm)));
    if (!present() || asking.isDisposed || listening.isDisposed) {
      return;
    }
    this.#calls = calls;
    asking.open({ quiet: true });
    listening.open({});
    calls.call('hello', { version }).then(
      hello => {
        this.#ready = true;
        this.followers.ask();
        this.#kernels = text(record(hello).version);
        this.#hear(hello);
        this.changed.emit();
      },
      () => undefined
    );
  }

  /** On the line that asks: the other one, on which it is told, may have to wait for a cell. */
  #follow(places: Place[]): void {
    if (this.#ready) {
      const line = this.#comms[0]?.commId ?? '';
      this.call('follow', { line, at: places }).catch(() => undefined);
    }
  }

  #hear(message: unknown): void {
    if (this.followers.receive(message)) {
      return;
    }
    const { event, conversation } = (message ?? {}) as { event?: unknown; conversation?: unknown };
    if (event === 'changed' && typeof conversation === 'string') {
      this.stirred.emit(conversation);
      return;
    }
    const path = readPath(message);
    if (path) {
      this.#path = path;
      this.#news++;
      this.changed.emit();
    }
  }

  /** What a kernel's other threads say of themselves is not what its cells do. */
  #onMessage(_context: ISessionContext, message: KernelMessage.IMessage): void {
    const { subshell_id } = message.parent_header as { subshell_id?: string | null };
    if (message.header.msg_type === 'status' && !subshell_id) {
      const working = (message as KernelMessage.IStatusMsg).content.execution_state === 'busy';
      if (working !== this.#working) {
        this.#working = working;
        this.changed.emit();
      }
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
    this.#comms = [];
    this.#calls = null;
    this.#path = null;
    this.#ready = false;
    this.#working = null;
    this.changed.emit();
  }
}

/** Wait for the thread of the kernel that serves this comm while a cell runs, where the kernel has such threads. */
async function subshell(kernel: Kernel.IKernelConnection, comm: Kernel.IComm): Promise<void> {
  try {
    await kernel.info;
    if (kernel.supportsSubshells) {
      await (comm as { subshellStarted?: Promise<void> }).subshellStarted;
    }
  } catch {
    // then it is served between cells
  }
}
