/** Reading JSON that comes from anywhere: what does not fit gives a default, never an error. */

export type Json = Record<string, unknown>;

export const text = (value: unknown): string => (typeof value === 'string' ? value : '');
export const number = (value: unknown): number => (typeof value === 'number' && Number.isFinite(value) ? value : 0);
export const list = (value: unknown): unknown[] => (Array.isArray(value) ? value : []);
export const texts = (value: unknown): string[] => list(value).filter(item => typeof item === 'string') as string[];
export const record = (value: unknown): Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Json) : {};
export const amount = (value: unknown): number | null => (typeof value === 'number' ? number(value) : null);

/** An object of lists of texts, as a map. */
export function textMap(value: unknown): Map<string, string[]> {
  return new Map(Object.entries(record(value)).map(([key, item]) => [key, texts(item)]));
}
