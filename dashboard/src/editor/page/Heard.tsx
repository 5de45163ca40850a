import { useEffect, useState } from 'react';
import { useEditing } from '../useEditor';

/** Says to screen readers what each step of this person did, by its name, and what undo took back. */
export function Heard() {
  const { editor } = useEditing();
  const [said, setSaid] = useState({ words: '', count: 0 });
  useEffect(() => {
    let last = { steps: editor.steps, name: editor.canUndo };
    return editor.subscribe('*', () => {
      const now = { steps: editor.steps, name: editor.canUndo };
      const undone = now.steps < last.steps;
      const words = undone ? `Undone: ${editor.canRedo ?? last.name}` : now.name;
      const isNew = now.steps !== last.steps;
      last = now;
      if (isNew && words) setSaid(({ count }) => ({ words, count: count + 1 }));
    });
  }, [editor]);
  // A new element is said though its words are those of the last.
  return (
    <div className="reader" aria-live="polite">
      <span key={said.count}>{said.words}</span>
    </div>
  );
}
