import { useEffect } from 'react';
import { isTyping } from '../../app/keys';

const controls = 'button, a[href], summary, select, input, [role=menuitem], [role=option]';

/** What belongs to the page even while somebody types in a field of it. */
const fromFields = new Set(['mod+k', 'mod+f']);

/** Runs what a key stands for, written as `mod+shift+z`; `mod` is Command on a Mac and Control elsewhere. */
export function useEditorKeys(keys: Readonly<Record<string, () => void>>) {
  useEffect(() => {
    const press = (event: KeyboardEvent) => {
      if (event.defaultPrevented) return;
      const mod = event.metaKey || event.ctrlKey;
      const pressed = `${mod ? 'mod+' : ''}${event.shiftKey ? 'shift+' : ''}${event.key.toLowerCase()}`;
      const act = keys[pressed];
      // What is typed belongs to the field; undoing there is its own. A dialog has all of its keys.
      const isField =
        fromFields.has(pressed) && event.target instanceof Element && !event.target.closest('[role=dialog]');
      if (!act || (!isField && isTyping(event.target))) return;
      // A control that has the focus is what Enter presses.
      if (event.key === 'Enter' && !mod && event.target instanceof Element && event.target.closest(controls)) return;
      event.preventDefault();
      act();
    };
    window.addEventListener('keydown', press);
    return () => window.removeEventListener('keydown', press);
  }, [keys]);
}
