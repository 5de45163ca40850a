// @vitest-environment jsdom
import { Flow, type ResolvedFlow } from '@svc/react';
import { createTestService, SvcTestProvider } from '@svc/react/testing';
import { act } from 'react';
import { createRoot } from 'react-dom/client';
import { expect, it } from 'vitest';

const hello: ResolvedFlow = {
  kind: 'flow',
  flowId: 'a0000000-0000-4000-8000-000000000001',
  versionId: 'b0000000-0000-4000-8000-000000000001',
  versionNumber: 1,
  assignmentVersion: 1,
  environment: 'test',
  channelId: 'ch_test_welcome',
  experimentId: null,
  variantId: null,
  mediaMap: {},
  manifest: {
    flowId: 'a0000000-0000-4000-8000-000000000001',
    version: 1,
    defaultLocale: 'en',
    locales: ['en'],
    entryScreenId: 'scr_hello',
    screens: [
      {
        id: 'scr_hello',
        name: 'Hello',
        next: { default: null },
        regions: {
          body: {
            id: 'lyr_body',
            kind: 'stack',
            direction: 'vertical',
            children: [{ id: 'lyr_text', kind: 'text', text: { default: 'Hello' } }],
          },
        },
      },
    ],
  },
};

it('greets people', async () => {
  const service = createTestService({ ch_test_welcome: hello });
  const page = document.createElement('div');
  const root = createRoot(page);
  await act(async () =>
    root.render(
      <SvcTestProvider service={service}>
        <Flow channelId="ch_test_welcome" />
      </SvcTestProvider>,
    ),
  );
  expect(page.textContent).toContain('Hello');
  await act(async () => root.unmount());
});
