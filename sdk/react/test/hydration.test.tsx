// @vitest-environment jsdom
import { act } from 'react';
import { createRoot, hydrateRoot } from 'react-dom/client';
import { renderToString } from 'react-dom/server';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { SvcProvider, useFlow } from '../src/index';
import { createTestService, SvcTestProvider } from '../src/testing';
import { FakeService, twoScreens } from './support/service';

beforeEach(() => {
  vi.useFakeTimers();
  (globalThis as { IS_REACT_ACT_ENVIRONMENT?: boolean }).IS_REACT_ACT_ENVIRONMENT = true;
  localStorage.clear();
});
afterEach(() => void vi.useRealTimers());

function Show({ initialData }: { initialData?: ReturnType<typeof twoScreens> }) {
  const { screen, loading, respond } = useFlow({ channelId: 'ch_test_main', ...(initialData ? { initialData } : {}) });
  return (
    <button type="button" onClick={() => respond({ kind: 'cta', action: 'primary' })}>
      {screen?.id ?? (loading ? 'loading' : 'nothing')}
    </button>
  );
}

/** Runs without a window, as a server does; whatever React has to say about it is a failure. */
function onServer<T>(render: () => T): T {
  const complaints = vi.spyOn(console, 'error');
  vi.stubGlobal('window', undefined);
  vi.stubGlobal('document', undefined);
  try {
    return render();
  } finally {
    vi.unstubAllGlobals();
    expect(complaints.mock.calls).toEqual([]);
    complaints.mockRestore();
  }
}

it.each([
  ['with data of the server', twoScreens()],
  ['without it', undefined],
])('hydrates %s and with another locale in the store without an error, and starts once', async (_, initialData) => {
  const service = new FakeService(twoScreens());
  const app = (
    <SvcProvider
      config={{
        publishableKey: 'ob_pk_test_k',
        apiBaseUrl: 'http://localhost:4000',
        userId: 'ada',
        locale: 'de',
        analytics: { consent: 'granted' },
        fetcher: service.fetch,
      }}
    >
      <Show {...(initialData ? { initialData } : {})} />
    </SvcProvider>
  );
  const other = twoScreens({ versionId: 'b0000000-0000-4000-8000-0000000000ee' });
  localStorage.setItem(
    'svc:resolve:http://localhost:4000:ob_pk_test_k:ch_test_main:en:ada',
    JSON.stringify({ etag: '"1"', body: other, cachedAt: 1 }),
  );
  const box = document.createElement('div');
  box.innerHTML = onServer(() => renderToString(app));
  const errors: unknown[] = [];
  const root = await act(async () => hydrateRoot(box, app, { onRecoverableError: (error) => errors.push(error) }));
  await act(() => vi.advanceTimersByTimeAsync(5_000));
  expect([errors, box.textContent]).toEqual([[], 'scr_a']);
  expect(service.names('/sdk/events').filter((name) => name === 'flow_started')).toHaveLength(1);
  await act(async () => root.unmount());
});

it('an app can be tested on a service in memory', async () => {
  const service = createTestService({ ch_test_main: twoScreens() });
  const box = document.createElement('div');
  const root = await act(async () => {
    const made = createRoot(box);
    made.render(
      <SvcTestProvider service={service} config={{ userId: 'ada' }}>
        <Show />
      </SvcTestProvider>,
    );
    return made;
  });
  expect(box.textContent).toBe('scr_a');
  for (let i = 0; i < 2; i += 1) await act(async () => box.querySelector('button')?.click());
  await act(() => vi.advanceTimersByTimeAsync(5_000));
  const flow = service.events.filter((event) => event.path === 'flow');
  expect(flow.map((event) => event.name)).toContain('flow_completed');
  expect(flow.every((event) => event.channelId === 'ch_test_main')).toBe(true);
  service.setFlow('ch_test_main', null);
  service.setOffline(true);
  await expect(service.fetcher('http://svc.test/v1/sdk/resolve', { method: 'POST', headers: {} })).rejects.toThrow(
    'offline',
  );
  service.setOffline(false);
  const gone = await service.fetcher('http://svc.test/v1/sdk/resolve', {
    method: 'POST',
    headers: { 'x-svc-channel': 'ch_test_main' },
  });
  expect(gone.status).toBe(404);
  await act(async () => root.unmount());
});
