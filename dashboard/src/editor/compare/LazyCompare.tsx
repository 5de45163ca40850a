import { type ComponentProps, lazy, Suspense } from 'react';
import { Waiting } from '../../ui/Waiting';
import type { Compare } from './Compare';

const Loaded = lazy(async () => ({ default: (await import('./Compare')).Compare }));

/** [Compare], loaded when it is shown: it brings what the editor knows of layers. */
export function LazyCompare(props: ComponentProps<typeof Compare>) {
  return (
    <Suspense fallback={<Waiting height={300} />}>
      <Loaded {...props} />
    </Suspense>
  );
}
