import { useNavigate } from '@tanstack/react-router';
import { useCallback } from 'react';

/** Changes parts of the address. What they may be says the schema of the route, which drops all else. */
export function useChange() {
  const navigate = useNavigate();
  return useCallback(
    (changes: object, replace = false) =>
      void navigate({
        to: '.',
        search: (before: object) => ({ ...before, ...changes }),
        resetScroll: false,
        replace,
      }),
    [navigate],
  );
}
