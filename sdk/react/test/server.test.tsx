import { Writable } from 'node:stream';
import { SvcChannelNotFoundError } from '@svc/core';
import { Suspense } from 'react';
import { renderToPipeableStream, renderToString } from 'react-dom/server';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { Flow, logEvent, SvcProvider, useFlow, useSvc } from '../src/index';
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

  it('the key of a server goes in a header of its own', async () => {
    const service = new FakeService(twoScreens());
    const config = { ...base, userId: 'ada', fetcher: service.fetch };
    await resolveFlow({ config, channelId: 'ch_test_main', serverKey: 'svc_wk_secret' });
    await resolveFlow({ config, channelId: 'ch_test_main' });
    expect(service.requests.map((request) => request.init.headers['x-svc-server-key'])).toEqual([
      'svc_wk_secret',
      undefined,
    ]);
    expect(service.requests.map((request) => request.init.headers.authorization)).toEqual([
      'Bearer ob_pk_test_k',
      'Bearer ob_pk_test_k',
    ]);
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

  it('two renders that stream at the same time share nothing', async () => {
    const service = new FakeService(twoScreens());
    /** What a page waits for, by person. */
    const gates = new Map<string, { promise: Promise<void>; open: () => void }>();
    const opened = new Set<string>();
    for (const person of ['ada', 'bob']) {
      let open: () => void = () => undefined;
      const promise = new Promise<void>((resolve) => {
        open = resolve;
      });
      gates.set(person, { promise, open });
    }
    const Slow = ({ person }: { person: string }) => {
      if (!opened.has(person)) throw gates.get(person)?.promise;
      logEvent(`of ${person}`);
      return <p>{`${useSvc().userId} and ${person}`}</p>;
    };
    const start = (person: string) => {
      const flow = twoScreens();
      const headline = { default: `For ${person}` };
      flow.manifest.screens[0]!.regions.body.children[0] = { id: 'lyr_t', kind: 'text', text: headline };
      let html = '';
      const sink = new Writable({
        write: (chunk, _, done) => {
          html += chunk;
          done();
        },
      });
      const finished = new Promise<string>((resolve) => sink.on('finish', () => resolve(html)));
      const { pipe } = renderToPipeableStream(
        <SvcProvider config={{ ...base, userId: person, fetcher: service.fetch, analytics: { consent: 'granted' } }}>
          <Headline flow={flow} />
          <Suspense fallback="…">
            <Slow person={person} />
          </Suspense>
        </SvcProvider>,
        { onShellReady: () => pipe(sink) },
      );
      return finished;
    };
    const [ada, bob] = [start('ada'), start('bob')];
    for (const person of ['bob', 'ada']) {
      opened.add(person);
      gates.get(person)?.open();
      await new Promise((resolve) => setTimeout(resolve, 0));
    }
    for (const [person, html] of [
      ['ada', await ada],
      ['bob', await bob],
    ] as const) {
      const other = person === 'ada' ? 'bob' : 'ada';
      expect(html).toContain(`<h1>For ${person}</h1>`);
      expect(html).toContain(`<p>${person} and ${person}</p>`);
      expect(html).not.toContain(other);
    }
    expect(service.requests).toEqual([]);
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
