import type { Editor } from '../document/editor';
import type { Operation } from '../document/operation';

/** How long edits may take to the server, in milliseconds. */
const patience = 5_000;

/** Makes the draft again what it was, by one step that can be undone like others. `read` asks the server for the
 * operations, which go from what it has: so what is edited here has to be there first. Returns true, or why it can't be. */
export async function restore(editor: Editor, name: string, read: () => Promise<Operation[]>): Promise<true | string> {
  if (!(await isSaved(editor))) return 'Your last changes are not saved yet';
  const operations = await read();
  if (operations.length === 0) return 'The flow is like this already';
  // What others do meanwhile may not be here yet, or there.
  return editor.runAll(name, operations) === true || 'Another member changed the flow just now. Try again';
}

function isSaved(editor: Editor): Promise<boolean> {
  return new Promise((resolve) => {
    const end = (saved: boolean) => {
      clearTimeout(timer);
      unsubscribe();
      resolve(saved);
    };
    const look = () => editor.saveState === 'saved' && end(true);
    const timer = setTimeout(() => end(false), patience);
    const unsubscribe = editor.subscribe('*', look);
    look();
  });
}
