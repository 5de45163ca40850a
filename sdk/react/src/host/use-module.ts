import { useEffect, useState } from 'react';

/**
 * A module that is loaded once it is needed: undefined until it is there, null when it can't be loaded.
 *
 * @param load must stay the same; null as long as it isn't needed
 */
export function useModule<T extends object>(load: (() => Promise<T>) | null): T | null | undefined {
  const [loaded, setLoaded] = useState<T | null>();
  useEffect(() => {
    if (!load) return undefined;
    let wanted = true;
    const take = (module: T | null) => {
      if (wanted) setLoaded(module);
    };
    load().then(take, () => take(null));
    return () => {
      wanted = false;
    };
  }, [load]);
  return loaded;
}
