import { execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

const BINARIES: Partial<Record<NodeJS.Platform, string>> = {
  linux: 'linux64-bin/hermes',
  darwin: 'osx-bin/hermes',
  win32: 'win64-bin/hermes.exe',
};
const binary = join(dirname(require.resolve('hermes-engine-cli/package.json')), BINARIES[process.platform] ?? 'none');
// The published binaries are for x64 only.
const runs = existsSync(binary) && (process.arch === 'x64' || process.platform === 'darwin');
if (!runs) console.warn(`Skipped: hermes-engine-cli has no binary for ${process.platform} on ${process.arch}.`);

const ENGINE_OPTIONS = ['-Xmicrotask-queue', '-Xes6-promise', '-O0'];
/** What hangs fails: the engine takes seconds. */
const LIMITS = { encoding: 'utf8', maxBuffer: 64 * 1024 * 1024, timeout: 100_000 } as const;

/** Runs a script as Hermes does, which has `print` and no modules. */
const RUN_IN_NODE = `
  globalThis.print = (line) => process.stdout.write(line + '\\n');
  require('node:vm').runInThisContext(require('node:fs').readFileSync(process.argv[1], 'utf8'));
`;

/** Bundles a file of this folder and hands the script over. */
function withScript<T>(name: string, use: (script: string) => T): T {
  const folder = mkdtempSync(join(tmpdir(), 'svc-hermes-'));
  try {
    const script = join(folder, 'script.js');
    execFileSync(process.execPath, [join(__dirname, 'bundle.mjs'), name, script], { stdio: 'pipe' });
    return use(script);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

const runInHermes = (script: string) => execFileSync(binary, [...ENGINE_OPTIONS, script], LIMITS);
const runInNode = (script: string) => execFileSync(process.execPath, ['-e', RUN_IN_NODE, script], LIMITS);

(runs ? test : test.skip)(
  'a launch runs in Hermes, which has none of what browsers have',
  () => {
    const printed = withScript('main.ts', runInHermes);
    const launch = printed.startsWith('{') ? JSON.parse(printed) : printed;
    expect(launch).toEqual({
      missing: ['crypto', 'URL', 'TextEncoder', 'AbortController', 'structuredClone'],
      events: [
        '/v1/sdk/events flow_started',
        '/v1/sdk/events step_viewed',
        '/v1/sdk/analytics/events session_start',
        '/v1/sdk/analytics/events first_open',
        '/v1/sdk/analytics/events early',
        '/v1/sdk/analytics/events screen_view',
        '/v1/sdk/events flow_abandoned',
      ],
      people: ['from-before'],
      context: {
        platform: 'android',
        os: 'Android',
        device: 'mobile',
        attribution: {
          'attribution.provider': 'appsflyer',
          'attribution.isOrganic': false,
          'acquisition.source': 'ads',
          'link.ext.sub_1': 'ä',
        },
      },
      url: {
        protocol: 'https:',
        hostname: 'a.example',
        host: 'a.example:8443',
        pathname: '/x',
        search: '?y',
        hash: '#z',
      },
      permission: 'denied',
      kept: [
        'svc.attribution.cache.v1.from-before',
        'svc:resolve-order',
        'svc:resolve:http://10.0.2.2:4000:ob_pk_test_k:ch_test_main::from-before',
        'svc_app_user_id',
        'svc_product_analytics_first_sent',
        'svc_product_analytics_session_id',
        'svc_product_analytics_session_last_at',
        'svc_session_attribution_v1',
      ],
      attached: false,
    });
  },
  120_000,
);

(runs ? test : test.skip)(
  'the renderer draws every kind of layer in Hermes as it does in Node',
  () => {
    const [hermes, node] = withScript('draw.ts', (script) => [runInHermes(script), runInNode(script)]);
    const { kinds, drawn } = JSON.parse(node);
    expect(kinds).toHaveLength(31);
    expect(drawn).not.toContain(null);
    expect(JSON.parse(hermes)).toEqual({ kinds, drawn });
  },
  300_000,
);
