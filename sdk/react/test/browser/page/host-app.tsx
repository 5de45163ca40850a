import type { ResolvedFlow } from '@svc/core';
import { Flow, type FlowProps, type SvcProviderProps } from '../../../src/index';
import { createTestService, SvcTestProvider, type TestService } from '../../../src/testing';

export interface HostOptions
  extends Pick<FlowProps, 'theme' | 'locale' | 'copy' | 'className'>,
    Pick<SvcProviderProps, 'nonce'> {
  /** What the channel serves; absent: it is unknown. */
  flow?: ResolvedFlow;
  /** Hands the flow over as a server render does. */
  initial?: boolean;
  offline?: boolean;
}

export const CHANNEL = 'ch_test_main';

export function testServiceOf({ flow, offline }: HostOptions): TestService {
  const service = createTestService(flow ? { [CHANNEL]: flow } : {});
  service.setOffline(offline ?? false);
  return service;
}

/** An app as hosts write it: a provider, and a flow that fills the page. */
export function HostApp({ options, service }: { options: HostOptions; service: TestService }) {
  const { flow, initial, offline: _, nonce, ...props } = options;
  return (
    <SvcTestProvider service={service} config={{ userId: 'ada' }} {...(nonce === undefined ? {} : { nonce })}>
      <Flow channelId={CHANNEL} {...props} {...(initial && flow ? { initialData: flow } : {})} />
    </SvcTestProvider>
  );
}
