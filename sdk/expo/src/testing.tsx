import { createTestProvider, type SvcTestProviderProps } from '@svc/native/testing';
import type { FunctionComponent } from 'react';
import { SvcProvider } from './index';

export {
  createTestService,
  type RecordedEvent,
  type SvcTestProviderProps,
  TEST_CHANNEL,
  type TestService,
  testFlow,
} from '@svc/native/testing';

/** A `SvcProvider` on a test service: no request leaves the test. */
export const SvcTestProvider: FunctionComponent<SvcTestProviderProps> = createTestProvider(SvcProvider);
