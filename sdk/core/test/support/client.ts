import { SvcClient, type SvcClientOptions, type SvcConfig, type SvcErrorReport, type SvcEvent } from '../../src/index';
import { FakePlatform, type Reply, type SeenRequest } from './fake-platform';
import { flowAnswer } from './flow-answer';

export const CHANNEL = 'ch_test_main';

/** Answers resolve with an empty flow and takes every event. */
export function friendly(request: SeenRequest): Reply {
  if (!request.url.endsWith('/resolve')) return { status: 200, body: { accepted: true } };
  const body = flowAnswer();
  return { status: 200, body, headers: { ETag: `"${body.assignmentVersion}-${body.versionId}"` } };
}

/** A client on a fake platform, with everything it emitted. */
export function createClient(
  options: {
    config?: Partial<SvcConfig>;
    kind?: 'web' | 'app';
    respond?: (request: SeenRequest, index: number) => Reply | Promise<Reply>;
    platform?: FakePlatform;
    extra?: Partial<SvcClientOptions>;
    address?: string;
  } = {},
) {
  const platform = options.platform ?? new FakePlatform(options.respond ?? friendly);
  if (options.respond) platform.respond = options.respond;
  const kind = options.kind ?? 'web';
  const config: SvcConfig = { publishableKey: 'ob_pk_test_k', apiBaseUrl: 'http://localhost:4000', ...options.config };
  const seen: SvcEvent[] = [];
  const reports: SvcErrorReport[] = [];
  const page = { address: options.address ?? 'https://shop.example/start?utm_source=google' };
  const client = new SvcClient({
    platform,
    config,
    kind,
    defaultPlatform: kind === 'web' ? 'web' : 'ios',
    ...(kind === 'web'
      ? {
          page: {
            current: () => platform.parseUrl(page.address),
            referrer: platform.parseUrl('https://news.example/'),
          },
        }
      : {}),
    onEvent: (event) => seen.push(event),
    onError: (report) => reports.push(report),
    ...options.extra,
  });
  const names = (path: SvcEvent['path']) =>
    seen.filter((entry) => entry.path === path).map((entry) => entry.event.name);
  const posts = (end: string) => platform.requests.filter((request) => request.url.split('?')[0]?.endsWith(end));
  return { platform, client, config, seen, reports, names, posts, page };
}
