import { SvcChannelNotFoundError } from '@svc/core';
import { renderToString } from 'react-dom/server';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { Flow, logEvent, SvcProvider, useFlow } from '../src/index';
import { resolveFlow } from '../src/server';
import { exampleManifest } from './support/manifests';
import { FakeService, twoScreens } from './support/service';

afterEach(() => void vi.restoreAllMocks());

const base = { publishableKey: 'ob_pk_test_k', apiBaseUrl: 'http://localhost:4000' };

function Headline({ flow }: { flow: ReturnType<typeof twoScreens> }) {
  const { screen, manifest } = useFlow({ channelId: 'ch_test_main', initialData: flow });
  const first = screen?.regions.body.children[0];
  return <h1>{first?.kind === 'text' && manifest ? first.text.default : 'nothing'}</h1>;
}

describe('on a server', () => {
  it('a channel is resolved for one person, and nothing is kept for the next', async () => {
    const service = new FakeService(twoScreens());
    const ask = (userId: string) =>
      resolveFlow({ config: { ...base, userId, locale: 'de', fetcher: service.fetch }, channelId: 'ch_test_main' });
    expect((await ask('ada')).versionId).toBe(twoScreens().versionId);
    await ask('bob');
    expect(service.requests.map((request) => request.body)).toEqual([
      { identity: { appUserId: 'ada' }, context: { locale: 'de', platform: 'web' } },
      { identity: { appUserId: 'bob' }, context: { locale: 'de', platform: 'web' } },
    ]);
    expect(service.requests.every((request) => request.init.headers['if-none-match'] === undefined)).toBe(true);
  });

  it('errors keep their class', async () => {
    const fetcher = async () => ({
      status: 404,
      headers: { get: () => null },
      text: async () => '{"code":"channel_unassigned"}',
    });
    await expect(
      resolveFlow({ config: { ...base, userId: 'ada', fetcher }, channelId: 'ch_test_x' }),
    ).rejects.toBeInstanceOf(SvcChannelNotFoundError);
  });

  it('the HTML holds the first screen, and neither requests nor events come from rendering', async () => {
    const complaints = vi.spyOn(console, 'error');
    const service = new FakeService(twoScreens());
    const render = (userId: string, headline: string) => {
      const flow = twoScreens();
      flow.manifest.screens[0]!.regions.body.children[0] = { id: 'lyr_t', kind: 'text', text: { default: headline } };
      logEvent('never');
      return renderToString(
        <SvcProvider config={{ ...base, userId, fetcher: service.fetch, analytics: { consent: 'granted' } }}>
          <Headline flow={flow} />
        </SvcProvider>,
      );
    };
    expect([render('ada', 'For Ada'), render('bob', 'For Bob')]).toEqual(['<h1>For Ada</h1>', '<h1>For Bob</h1>']);
    await new Promise((resolve) => setTimeout(resolve, 0));
    expect(service.requests).toEqual([]);
    expect(complaints.mock.calls).toEqual([]);
  });

  it('a whole flow is drawn without a complaint of React', async () => {
    const complaints = vi.spyOn(console, 'error');
    const flow = twoScreens({ manifest: exampleManifest('all-layers') });
    for (const { id } of flow.manifest.screens) {
      const at = { ...flow, manifest: { ...flow.manifest, entryScreenId: id } };
      const html = renderToString(
        <SvcProvider config={{ ...base, userId: 'ada', fetcher: new FakeService(at).fetch }}>
          <Flow channelId="ch_test_main" initialData={at} onOAuthLogin={() => undefined} />
        </SvcProvider>,
      );
      expect(html).toContain(`data-screen="${id}"`);
    }
    expect(complaints.mock.calls).toEqual([]);
  });
});
