import { useEffect, useState } from 'react';

/** False for the first drawing: the canvas comes first, and its document loads while what stands beside it is drawn. */
export function useDue(): boolean {
  const [isDue, setDue] = useState(false);
  useEffect(() => setDue(true), []);
  return isDue;
}
