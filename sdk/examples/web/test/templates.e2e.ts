import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { extname, join } from 'node:path';
import { promisify } from 'node:util';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, expect, inject, it, type TestContext, vi } from 'vitest';
import { openBrowser } from './browser';

// What people begin with: the templates that the registry has today, our packages from the server, one screen of theirs.

vi.setConfig({ testTimeout: 600_000 });

const { baseUrl } = inject('setup');
const directory = mkdtempSync(join(tmpdir(), 'svc-templates-'));
const sites: Server[] = [];

let browser: Browser;
let key: string;
let channel: string;
let packages: Record<string, string>;

beforeAll(async () => {
  browser = await openBrowser();
  const service = await (await fetch(`${baseUrl}/example/service.json`)).json();
  key = service.publishableKey;
  channel = service.channels.find(({ name }: { name: string }) => name === 'Paywall').id;
  const answer = await fetch(`${baseUrl}/graphql`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ query: '{ sdkPackages { name url } }' }),
  });
  const offered: { name: string; url: string }[] = (await answer.json()).data.sdkPackages;
  packages = Object.fromEntries(offered.map(({ name, url }) => [name, url]));
});
afterAll(async () => {
  await browser?.close();
  for (const site of sites) site.close();
  rmSync(directory, { recursive: true, force: true });
});

type Failed = { stdout: string; stderr: string };

/** Runs a command where nobody answers its questions, and throws what it printed when it fails. */
async function run(where: string, command: string, ...args: string[]): Promise<string> {
  const quiet = { CI: '1', NEXT_TELEMETRY_DISABLED: '1', EXPO_NO_TELEMETRY: '1', EXPO_OFFLINE: '1' };
  const env: NodeJS.ProcessEnv = { ...process.env, ...quiet };
  delete env.NODE_ENV;
  const started = promisify(execFile)(command, args, { cwd: where, env, maxBuffer: 64 << 20 });
  started.child.stdin?.end();
  try {
    return (await started).stdout;
  } catch (error) {
    const { stdout, stderr } = error as Failed;
    const printed = [`${command} ${args.join(' ')}`, stdout, stderr].join('\n');
    throw Object.assign(new Error(printed), { stdout });
  }
}

const npm = (where: string, ...args: string[]) => run(where, 'npm', ...args);
const npx = (where: string, ...args: string[]) => run(where, 'npx', '--yes', ...args);
const install = (where: string, ...args: string[]) =>
  npm(where, 'install', '--no-audit', '--no-fund', '--prefer-offline', ...args);

/** A file that shows the flow of the channel, as the documentation has it. */
function screen(from: string): string {
  return `import { Flow, SvcProvider } from '${from}';

const config = { publishableKey: '${key}', apiBaseUrl: '${baseUrl}' };

export default function App() {
  return (
    <SvcProvider config={config}>
      <Flow channelId="${channel}" />
    </SvcProvider>
  );
}
`;
}

/**
 * An app of a template, with its own packages. A registry may lack what its newest template asks for, which says nothing
 * about ours: a test is skipped where no app can be made without them.
 */
async function made(context: TestContext, ...ways: (() => Promise<string>)[]): Promise<string> {
  let reason: unknown;
  for (const make of ways) {
    try {
      const app = await make();
      await install(app, '--legacy-peer-deps');
      return app;
    } catch (error) {
      reason = error;
    }
  }
  return context.skip(`no app of the template can be made here: ${reason}`);
}

/** Serves built files, and returns where. */
async function serve(files: string): Promise<string> {
  const types: Record<string, string> = { '.html': 'text/html', '.js': 'text/javascript', '.css': 'text/css' };
  const site = createServer((asked, answered) => {
    const path = new URL(asked.url ?? '/', 'http://site').pathname.replace(/\/$/, '/index.html');
    try {
      const body = readFileSync(join(files, path));
      answered.setHeader('content-type', types[extname(path)] ?? 'application/octet-stream').end(body);
    } catch {
      answered.writeHead(404).end();
    }
  });
  sites.push(site);
  await new Promise<void>((listening) => site.listen(0, '127.0.0.1', listening));
  return `http://127.0.0.1:${(site.address() as AddressInfo).port}`;
}

async function showsTheFlow(files: string): Promise<void> {
  const page = await browser.newPage();
  await page.goto(`${await serve(files)}/`);
  await page.getByRole('button', { name: 'Start my free week' }).waitFor();
  await page.close();
}

it('is installed into a new Vite app, whose compiler takes its types', async (context) => {
  const app = await made(context, async () => {
    await npm(directory, 'create', '-y', 'vite@latest', 'vite', '--', '--template', 'react-ts', '--no-interactive');
    return join(directory, 'vite');
  });
  await install(app, packages['@svc/react']!, packages['@svc/openfeature']!);
  writeFileSync(join(app, 'src', 'App.tsx'), screen('@svc/react'));
  await npm(app, 'run', 'build');
  await showsTheFlow(join(app, 'dist'));
});

it('is installed into a new Next app, which renders it on the server', async (context) => {
  const answers = ['--ts', '--app', '--no-eslint', '--no-tailwind', '--no-src-dir', '--use-npm', '--yes'];
  const app = await made(context, async () => {
    await npx(directory, 'create-next-app@latest', 'next', ...answers, '--skip-install');
    return join(directory, 'next');
  });
  await install(app, packages['@svc/react']!);
  const settings = readdirSync(app).find((name) => name.startsWith('next.config.'))!;
  writeFileSync(join(app, settings), `export default { output: 'export' };\n`);
  // The template's own layout fetches fonts from a network that a machine of tests may not reach.
  const html = '<html lang="en"><body>{children}</body></html>';
  const layout = `export default ({ children }: { children: React.ReactNode }) => ${html};`;
  writeFileSync(join(app, 'app', 'layout.tsx'), layout);
  writeFileSync(join(app, 'app', 'page.tsx'), `'use client';\n${screen('@svc/react')}`);
  await npm(app, 'run', 'build');
  await showsTheFlow(join(app, 'out'));
});

// What the documentation installs beside the packages of phones.
const animation = ['react-native-reanimated', 'react-native-worklets'];

/** Installs a package into an app whose own packages may not agree with each other, as pre-releases do not. */
async function installAmongOthers(app: string, ...names: string[]): Promise<void> {
  await install(app, '--legacy-peer-deps', ...names);
  const tree = await npm(app, 'ls', '--all', '--json').catch((error: Failed) => error.stdout);
  const problems: string[] = JSON.parse(tree).problems ?? [];
  expect(problems.filter((problem) => problem.includes('@svc/'))).toEqual([]);
}

it('is installed into a new Expo app, whose compiler takes its types and whose bundler its code', async (context) => {
  const template = 'expo-template-blank-typescript';
  const versions: string[] = JSON.parse(await npm(directory, 'view', template, 'versions', '--json'));
  const create = async (version: string) => {
    const app = join(directory, `app-${version}`);
    await npx(
      directory,
      'create-expo-app@latest',
      app,
      '--template',
      `${template}@${version}`,
      '--no-install',
      '--yes',
    );
    return app;
  };
  const newest = versions.slice(-3).reverse();
  const app = await made(context, ...newest.map((version) => () => create(version)));
  await installAmongOthers(app, packages['@svc/expo']!);
  await npx(app, 'expo', 'install', ...animation, '--', '--legacy-peer-deps');
  writeFileSync(join(app, 'App.tsx'), screen('@svc/expo'));
  await npx(app, 'tsc', '--noEmit');
  await npx(app, 'expo', 'export', '--platform', 'android', '--no-bytecode');
});

it('is installed into a new bare React Native app, whose compiler takes its types and whose bundler its code', async (context) => {
  // Without a name the newest React Native is asked for, which may have no template yet.
  const template = ['--template', '@react-native-community/template'];
  const answers = ['--skip-install', '--skip-git-init', '--pm', 'npm', '--install-pods', 'false'];
  const app = await made(context, async () => {
    await npx(directory, '@react-native-community/cli@latest', 'init', 'Bare', ...template, ...answers);
    return join(directory, 'Bare');
  });
  await installAmongOthers(app, packages['@svc/react-native']!, ...animation);
  const babel = "{ presets: ['module:@react-native/babel-preset'], plugins: ['react-native-worklets/plugin'] }";
  writeFileSync(join(app, 'babel.config.js'), `module.exports = ${babel};\n`);
  writeFileSync(join(app, 'App.tsx'), screen('@svc/react-native'));
  await npx(app, 'tsc', '--noEmit');
  const bundle = ['--platform', 'android', '--dev', 'false', '--entry-file', 'index.js', '--bundle-output', 'app.js'];
  await npx(app, 'react-native', 'bundle', ...bundle);
});

it('counts the pages of a static site generator', async (context) => {
  const source = join(directory, 'source');
  mkdirSync(join(source, '_includes'), { recursive: true });
  await made(context, async () => {
    writeFileSync(join(directory, 'package.json'), '{"private": true}');
    await install(directory, '@11ty/eleventy@latest');
    return directory;
  });
  const line = `<script defer src="${baseUrl}/svc.js" data-key="${key}"></script>`;
  const head = `<head><title>{{ title }}</title>${line}</head>`;
  const layout = `<!doctype html><html lang="en">${head}<body>{{ content }}</body></html>`;
  writeFileSync(join(source, '_includes', 'page.liquid'), layout);
  const page = (title: string, text: string) => `---\nlayout: page.liquid\ntitle: ${title}\n---\n${text}\n`;
  writeFileSync(join(source, 'index.md'), page('Home', '[Prices](/prices/)'));
  writeFileSync(join(source, 'prices.md'), page('Prices', 'Nine dollars'));
  await npx(directory, '@11ty/eleventy', '--input=source', '--output=site');
  const views: string[] = [];
  const visit = await browser.newPage();
  visit.on('request', (request) => {
    if (!request.url().includes('/v1/sdk/analytics/events')) return;
    const { events } = JSON.parse(request.postData() ?? '{"events": []}');
    for (const event of events) if (event.name === 'page_view') views.push(event.screenName);
  });
  await visit.goto(`${await serve(join(directory, 'site'))}/`);
  await expect.poll(() => views, { timeout: 20_000 }).toEqual(['/']);
  await visit.getByText('Prices').click();
  await expect.poll(() => views, { timeout: 20_000 }).toEqual(['/', '/prices/']);
  await visit.close();
});
