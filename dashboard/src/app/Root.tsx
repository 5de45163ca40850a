import { Outlet, useRouterState } from '@tanstack/react-router';
import { useEffect, useRef } from 'react';

/** What every page stands in: says a new page to screen readers. */
export function Root() {
  const said = useRef<HTMLDivElement>(null);
  const path = useRouterState({ select: ({ resolvedLocation }) => resolvedLocation?.pathname });
  // biome-ignore lint/correctness/useExhaustiveDependencies: a new path is what is announced
  useEffect(() => {
    const heading = document.querySelector('h1')?.textContent;
    if (heading) {
      document.title = `${heading} · Svc`;
      if (said.current) said.current.textContent = heading;
    }
  }, [path]);
  return (
    <>
      <div className="reader" aria-live="polite" ref={said} />
      <Outlet />
    </>
  );
}
