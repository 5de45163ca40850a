import { useEffect } from 'react';
import { isTyping } from '../../app/keys';

const controls = 'button, a[href], summary, select, input, [role=menuitem], [role=option]';

/** Runs what a key stands for, written as `mod+shift+z`; `mod` is Command on a Mac and Control elsewhere. */
export function useEditorKeys(keys: Readonly<Record<string, () => void>>) {
  useEffect(() => {
    const press = (event: KeyboardEvent) => {
      if (event.defaultPrevented) return;
      const mod = event.metaKey || event.ctrlKey;
      const act = keys[`${mod ? 'mod+' : ''}${event.shiftKey ? 'shift+' : ''}${event.key.toLowerCase()}`];
      // What is typed belongs to the field; undoing there is its own.
      if (!act || isTyping(event.target)) return;
      // A control that has the focus is what Enter presses.
      if (event.key === 'Enter' && !mod && event.target instanceof Element && event.target.closest(controls)) return;
      event.preventDefault();
      act();
    };
    window.addEventListener('keydown', press);
    return () => window.removeEventListener('keydown', press);
  }, [keys]);
}
