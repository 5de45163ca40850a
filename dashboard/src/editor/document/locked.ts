import type { Editor } from './editor';
import type { NodeId } from './operation';
import { label } from './words';

/** Why nothing can be put into a layer, in words: it is locked here, or stands in one that is. Undefined where it is not. */
export function whyLocked({ document, lockOf }: Editor, id: NodeId): string | undefined {
  const locked = lockOf(id);
  if (locked === undefined) return undefined;
  const name = label(document, locked);
  return `${name.charAt(0).toUpperCase()}${name.slice(1)} is locked. Unlock it to put something in`;
}
