import { type SvcProviderProps as BaseProps, BaseProvider } from '@svc/react-core';
import { createWebClient } from '../host/web-client';
import { StyleNonce } from '../style/server-sheet';
import { PresentationOutlet } from './presentation-outlet';

export interface SvcProviderProps extends BaseProps {
  /** Nonce of the page's Content-Security-Policy, for the style elements of flows. */
  nonce?: string;
}

/**
 * Connects everything below it to the service. Put exactly one high in the tree. A config that is equal by value
 * changes nothing; another key or base address starts over.
 *
 * @throws SvcConfigError when the config cannot work
 */
export function SvcProvider({ nonce, children, ...props }: SvcProviderProps) {
  return (
    <BaseProvider makeClient={createWebClient} {...props}>
      <StyleNonce nonce={nonce}>
        {children}
        <PresentationOutlet />
      </StyleNonce>
    </BaseProvider>
  );
}
