import { BaseProvider, type SvcProviderProps } from '@svc/react-core';
import { createWebClient } from '../host/web-client';

/**
 * Connects everything below it to the service. Put exactly one high in the tree. A config that is equal by value
 * changes nothing; another key or base address starts over.
 *
 * @throws SvcConfigError when the config cannot work
 */
export function SvcProvider(props: SvcProviderProps) {
  return <BaseProvider makeClient={createWebClient} {...props} />;
}
