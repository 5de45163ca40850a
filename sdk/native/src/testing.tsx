import { createTestService, TEST_CONFIG, type TestService } from '@svc/react-core';
import { type FunctionComponent, type ReactNode, useState } from 'react';
import type { NativeSvcConfig } from './provider/config';
import type { SvcProviderProps } from './provider/provider';

export { createTestService, type RecordedEvent, TEST_CHANNEL, type TestService, testFlow } from '@svc/react-core';

export interface SvcTestProviderProps extends Omit<SvcProviderProps, 'config'> {
  /** Default: a service without flows. */
  service?: TestService;
  config?: Partial<NativeSvcConfig>;
  children?: ReactNode;
}

/** The provider of a flavour, on a test service. */
export function createTestProvider(
  SvcProvider: FunctionComponent<SvcProviderProps>,
): FunctionComponent<SvcTestProviderProps> {
  return function SvcTestProvider({ service, config, ...rest }) {
    const [own] = useState(() => createTestService());
    const { fetcher } = service ?? own;
    return <SvcProvider {...rest} config={{ ...TEST_CONFIG, ...config, fetcher }} />;
  };
}
