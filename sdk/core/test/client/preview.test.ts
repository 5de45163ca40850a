import { describe, expect, it } from 'vitest';
import { FlowController, type FlowControllerOptions } from '../../src/index';
import { CHANNEL, createClient, friendly } from '../support/client';
import { settle } from '../support/fake-platform';
import { flowAnswer } from '../support/flow-answer';

const TOKEN = 'eyJ0b2tlbg.c2ln';
const draft = flowAnswer({ channelId: 'preview', versionNumber: 2, assignmentVersion: 0 });

function previewed(options: Partial<FlowControllerOptions> = {}, reply = { status: 200, body: draft as unknown }) {
  const set = createClient({
    config: { userId: 'ada', persistence: 'device', analytics: { consent: 'granted', enabled: false } },
    respond: (request) => (request.url.endsWith('/v1/sdk/preview') ? reply : friendly(request)),
  });
  set.client.reopen();
  const controller = new FlowController(set.client, set.platform, { channelId: '', preview: TOKEN, ...options });
  return { ...set, controller };
}

describe('a preview', () => {
  it('runs what the link shows, and records, keeps and sends nothing', async () => {
    const loaded: unknown[] = [];
    const { client, controller, platform, seen } = previewed({ onLoaded: ({ source }) => loaded.push(source) });
    controller.mount();
    await settle();
    expect(platform.requests.map(({ url, init }) => [new URL(url).pathname, init.body])).toEqual([
      ['/v1/sdk/preview', JSON.stringify({ token: TOKEN })],
    ]);
    expect(platform.requests[0]?.init.headers.authorization).toBe('Bearer ob_pk_test_k');
    expect(controller.getView()).toMatchObject({ status: 'ready', state: { status: 'running' } });
    expect(loaded).toEqual(['preview']);
    controller.trackExternalLinkOpened({ layerId: 'lyr_a', href: 'https://shop.example/' });
    expect(controller.respond({ kind: 'cta', action: 'primary' })).toBe(true);
    controller.unmount();
    await platform.clock.advance(60_000);
    await client.close();
    expect(platform.requests).toHaveLength(1);
    expect(seen).toEqual([]);
    expect(await client.cache.list()).toEqual([]);
    expect(platform.storage.keys()).toEqual([]);
  });

  it('stays silent however its answer is run', async () => {
    const { client, platform } = previewed();
    const flow = await client.resolvePreview(TOKEN);
    expect(flow.preview).toBe(true);
    client.recordExposure(flow, CHANNEL);
    client.runs.create(flow, CHANNEL).start();
    await platform.clock.advance(60_000);
    expect(platform.requests).toHaveLength(1);
  });

  it('is the same for whoever signs in, and never the channel’s', async () => {
    const { client, config, controller, platform } = previewed();
    controller.mount();
    await settle();
    client.updateConfig({ ...config, userId: 'bob' });
    await settle();
    const paths = platform.requests.map(({ url }) => new URL(url).pathname);
    expect(paths).toEqual(['/v1/sdk/preview', '/v1/sdk/preview']);
    expect(controller.getView().status).toBe('ready');
  });

  it.each([
    [401, 'preview_expired'],
    [404, 'preview_not_found'],
  ])('says why there is none: %i %s', async (status, code) => {
    const skipped: string[] = [];
    const reply = { status, body: { code, message: 'no' } };
    const { controller, reports } = previewed({ onSkipped: (reason) => skipped.push(reason) }, reply);
    controller.mount();
    await settle();
    expect(controller.getView()).toMatchObject({ status: 'failed', error: { code } });
    expect(skipped).toEqual([code]);
    expect(reports).toMatchObject([{ code: 'load_failed', reason: code, status, retryable: false }]);
  });
});
