import { useEffect, useRef, useState } from 'react';

type Keys = { alt: boolean; shift: boolean };

/** Whether ⌥ is held, as keys say it, and as `hold` is told of a pointer that came from elsewhere. `changed` is called when
 * ⌥ or ⇧ go down or up. */
export function useHeld(changed: (keys: Keys) => void) {
  const [alt, hold] = useState(false);
  const latest = useRef(changed);
  latest.current = changed;
  useEffect(() => {
    const press = (event: KeyboardEvent) => {
      if (event.key !== 'Alt' && event.key !== 'Shift') return;
      hold(event.altKey);
      latest.current({ alt: event.altKey, shift: event.shiftKey });
    };
    const leave = () => hold(false);
    window.addEventListener('keydown', press);
    window.addEventListener('keyup', press);
    window.addEventListener('blur', leave);
    return () => {
      window.removeEventListener('keydown', press);
      window.removeEventListener('keyup', press);
      window.removeEventListener('blur', leave);
    };
  }, []);
  return { alt, hold };
}
