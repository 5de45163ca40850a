import { find, isObject } from '../document/canonical';
import type { JsonObject, Operation } from '../document/operation';

/** The longest note, in characters of JavaScript. */
export const longestNote = 2_000;

/** Where notes for translators stand, by the key of their text: with what the editor keeps in the manifest, which no
 * client reads. */
const place = ['builderMeta', 'notes'];

/** Reads the notes of a flow. */
export function notesIn(flow: JsonObject): (key: string) => string {
  const notes = find(flow, place);
  return (key) => {
    const note = isObject(notes) ? notes[key] : undefined;
    return typeof note === 'string' ? note : '';
  };
}

/** Writes a note; one without words is taken away. */
export const writeNote = (key: string, note: string): Operation =>
  note.trim() === ''
    ? { op: 'unset', node: 'flow', path: [...place, key] }
    : { op: 'set', node: 'flow', path: [...place, key], value: note };
