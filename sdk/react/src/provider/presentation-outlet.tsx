import { type Presentation, presentations, useSvcContext } from '@svc/react-core';
import { Fragment, type ReactNode, useSyncExternalStore } from 'react';

const NONE: readonly Presentation[] = [];

/** Draws what `presentFlow` was asked for. Knows nothing of flows, so that apps without it don't load them. */
export function PresentationOutlet(): ReactNode {
  const { client } = useSvcContext();
  const list = useSyncExternalStore(presentations.subscribe, presentations.current, () => NONE);
  return list.map(({ id, node, client: owner }) => owner === client && <Fragment key={id}>{node}</Fragment>);
}
