'use client';

import type { SvcConfig } from '@svc/core';
import { createTestService, TEST_CONFIG, type TestService } from '@svc/react-core';
import { type ReactNode, useState } from 'react';
import { SvcProvider, type SvcProviderProps } from './provider/provider';

export { createTestService, type RecordedEvent, TEST_CHANNEL, type TestService, testFlow } from '@svc/react-core';

export interface SvcTestProviderProps extends Omit<SvcProviderProps, 'config'> {
  /** Default: a service without flows. */
  service?: TestService;
  config?: Partial<SvcConfig>;
  children?: ReactNode;
}

/** A `SvcProvider` on a test service, with consent granted. */
export function SvcTestProvider({ service, config, ...rest }: SvcTestProviderProps) {
  const [own] = useState(() => createTestService());
  const { fetcher } = service ?? own;
  const merged: SvcConfig = {
    ...TEST_CONFIG,
    analytics: { consent: 'granted' },
    ...config,
    fetcher,
  };
  return <SvcProvider config={merged} {...rest} />;
}
