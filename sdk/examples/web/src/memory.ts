import { useCallback, useState } from 'react';

/** What the app remembers of a person on this device. */
export interface Memory {
  onboarded: boolean;
  /** Given in the onboarding. */
  name: string;
  plus: boolean;
  reminders: boolean;
  /** How often something was watered; the survey asks after a few. */
  watered: number;
}

const KEY = 'tendril';
const NOBODY: Memory = { onboarded: false, name: '', plus: false, reminders: false, watered: 0 };

function read(): Memory {
  try {
    return { ...NOBODY, ...JSON.parse(localStorage.getItem(KEY) ?? '{}') };
  } catch {
    return NOBODY;
  }
}

export function useMemory() {
  const [memory, setMemory] = useState(read);
  const remember = useCallback((change: Partial<Memory>) => {
    setMemory((old) => {
      const next = { ...old, ...change };
      localStorage.setItem(KEY, JSON.stringify(next));
      return next;
    });
  }, []);
  const forget = useCallback(() => {
    localStorage.removeItem(KEY);
    setMemory(NOBODY);
  }, []);
  return { memory, remember, forget };
}
