/** Small parts that the explorers share. */

import type { ComponentChildren, TargetedKeyboardEvent } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import type { Stage } from './stage';

/** What all views of one display share. */
export interface Shared {
  stage: Stage;
  live: boolean;
  /** Say one line below the view. */
  say(line: string): void;
  /** Do something in the kernel and say what came of it; null where it failed. */
  act(name: string, args: Record<string, unknown>): Promise<Record<string, unknown> | null>;
  /** Show another view in this one's place. */
  open(view: string, args: Record<string, unknown>): void;
}

/** Rendered Markdown. `edit` may change the rendered node before it is shown. */
export function Markdown({ stage, text, edit }: { stage: Stage; text: string; edit?: (node: Node) => Promise<void> }) {
  const element = useRef<HTMLDivElement>(null);
  useEffect(() => {
    let gone = false;
    void (async () => {
      const node = await stage.markdown(text);
      await edit?.(node);
      if (!gone) {
        element.current?.replaceChildren(node);
        if (element.current) {
          stage.settle?.(element.current);
        }
      }
    })();
    return () => {
      gone = true;
    };
  }, [stage, text, edit]);
  return <div class="md" ref={element} dir="auto" />;
}

interface ButtonProps {
  label: string;
  children: ComponentChildren;
  onPress: () => void;
  disabled?: boolean;
  pressed?: boolean;
  kind?: string;
}

export function Button({ label, children, onPress, disabled = false, pressed, kind = '' }: ButtonProps) {
  const more = pressed === undefined ? {} : { 'aria-pressed': pressed };
  return (
    <button
      type="button"
      class={kind}
      title={label}
      aria-label={label}
      aria-disabled={disabled}
      onClick={() => !disabled && onPress()}
      {...more}
    >
      {children}
    </button>
  );
}

/** A question that one line answers, in place: Enter gives it, Escape does not. */
export function Ask({ label, value, give }: { label: string; value: string; give: (answer: string | null) => void }) {
  const input = useRef<HTMLInputElement>(null);
  useEffect(() => {
    input.current?.focus();
    input.current?.select();
  }, []);
  const key = (event: TargetedKeyboardEvent<HTMLInputElement>): void => {
    event.stopPropagation();
    if (event.key === 'Enter' || event.key === 'Escape') {
      event.preventDefault();
      give(event.key === 'Enter' ? event.currentTarget.value.trim() : null);
    }
  };
  return (
    <label class="ask">
      {label} <input ref={input} defaultValue={value} onKeyDown={key} onBlur={() => give(null)} />
    </label>
  );
}

/** The size of an element, followed. */
export function useSize<E extends Element>(): [{ current: E | null }, { width: number; height: number }] {
  const element = useRef<E>(null);
  const [size, setSize] = useState({ width: 0, height: 0 });
  useEffect(() => {
    if (!element.current || typeof ResizeObserver === 'undefined') {
      return undefined;
    }
    const observer = new ResizeObserver(([entry]) => {
      if (entry) {
        setSize({ width: entry.contentRect.width, height: entry.contentRect.height });
      }
    });
    observer.observe(element.current);
    return () => observer.disconnect();
  }, []);
  return [element, size];
}

export const plural = (count: number, one: string, many = `${one}s`): string =>
  `${count.toLocaleString('en')} ${count === 1 ? one : many}`;
export const tokens = (count: number): string => count.toLocaleString('en');
export const dollars = (cost: number | null): string =>
  cost === null ? 'price unknown' : cost <= 0 ? 'free' : cost < 0.1 ? `$${cost.toFixed(4)}` : `$${cost.toFixed(2)}`;

/** One line of the kernel's words: what stands between backticks is code, all of it is text. */
export function Coded({ line }: { line: string }) {
  return <>{line.split('`').map((part, n) => (n % 2 ? <code key={n}>{part}</code> : part))}</>;
}
