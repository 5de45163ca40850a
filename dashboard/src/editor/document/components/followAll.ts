import { apply } from '../apply';
import type { Editor, NewId } from '../editor';
import { isRefusal, type NodeId, type Operation } from '../operation';
import { follow } from './follow';
import { type Content, instancesIn } from './marks';

/** A component as it is now, with the content of its revisions that instances may be of; undefined for one not kept. */
export type Followed = { id: string; now: Content; before: ReadonlyMap<number, Content | undefined> };

/** Makes all instances of components what those are now, as one step of undo. Returns how many followed, or why they could
 * not. */
export function followAll(editor: Editor, name: string, followed: readonly Followed[]): number | string {
  let { document } = editor;
  const operations: Operation[] = [];
  let count = 0;
  for (const { root, id, revision } of instancesIn(document)) {
    const one = followed.find((other) => other.id === id);
    if (!one || revision >= one.now.revision || !one.before.has(revision) || !document.parents.has(root.id)) continue;
    const made = follow(document, root.id, id, one.before.get(revision), one.now, idsFor(root.id, one.now.revision));
    const done = apply(document, { name, operations: made });
    if (isRefusal(done)) continue; // it stays at its revision, and can follow by hand
    document = done.document;
    operations.push(...made);
    count++;
  }
  if (count === 0) return 0;
  const done = editor.runAll(name, operations);
  return done === true ? count : done;
}

/** Makes the ids of layers that come into an instance: the same ones for all members whose editors do it at once, so that a
 * layer comes once. */
function idsFor(root: NodeId, revision: number): NewId {
  let made = 0;
  return (prefix) => `${prefix}_${root.replace(/^lyr_/, '').slice(0, 200)}_${revision}_${++made}`;
}
