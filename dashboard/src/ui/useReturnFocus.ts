import { useEffect, useState } from 'react';

/** Gives the focus back to what had it before a part that takes it was there, once the part is gone. Dialogs that stay
 * and are closed do so by themselves; those that are drawn only while they are open need this. */
export function useReturnFocus() {
  const [before] = useState(() => document.activeElement);
  useEffect(
    () => () => {
      if (before instanceof HTMLElement) before.focus();
    },
    [before],
  );
}
