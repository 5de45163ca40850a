import { useEffect } from 'react';
import { isTyping } from '../../app/keys';

/** Runs what a key stands for, written as `mod+shift+z`; `mod` is Command on a Mac and Control elsewhere. */
export function useEditorKeys(keys: Readonly<Record<string, () => void>>) {
  useEffect(() => {
    const press = (event: KeyboardEvent) => {
      if (event.defaultPrevented) return;
      const mod = event.metaKey || event.ctrlKey;
      const act = keys[`${mod ? 'mod+' : ''}${event.shiftKey ? 'shift+' : ''}${event.key.toLowerCase()}`];
      // What is typed belongs to the field; undoing there is its own.
      if (!act || isTyping(event.target)) return;
      event.preventDefault();
      act();
    };
    window.addEventListener('keydown', press);
    return () => window.removeEventListener('keydown', press);
  }, [keys]);
}
