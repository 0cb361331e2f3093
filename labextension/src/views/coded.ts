/** One line of the kernel's words: what stands between backticks is code, all of it is text. */

import { make } from './dom';

export function coded(line: string): Node[] {
  return line.split('`').map((part, index) => (index % 2 ? make('code', {}, part) : document.createTextNode(part)));
}
