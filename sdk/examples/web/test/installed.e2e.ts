import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Browser } from 'playwright-core';
import { type PreviewServer, preview } from 'vite';
import { afterAll, beforeAll, expect, inject, it } from 'vitest';
import { openBrowser } from './browser';

const { baseUrl } = inject('setup');
const own = JSON.parse(readFileSync(fileURLToPath(new URL('../package.json', import.meta.url)), 'utf8'));
const directory = mkdtempSync(join(tmpdir(), 'svc-installed-'));

let browser: Browser;
let app: PreviewServer | undefined;

beforeAll(async () => {
  browser = await openBrowser();
});
afterAll(async () => {
  await app?.close();
  await browser?.close();
  rmSync(directory, { recursive: true, force: true });
});

async function offered(): Promise<{ name: string; url: string; integrity: string }[]> {
  const response = await fetch(`${baseUrl}/graphql`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ query: '{ sdkPackages { name url integrity } }' }),
  });
  return (await response.json()).data.sdkPackages;
}

it('is what an app that knows no registry of ours installs from the server, builds and shows', async () => {
  const packages = await offered();
  expect(packages.map(({ name }) => name)).toEqual([
    '@svc/core',
    '@svc/expo',
    '@svc/openfeature',
    '@svc/react',
    '@svc/react-native',
  ]);
  const react = packages.find(({ name }) => name === '@svc/react');
  const { dependencies, devDependencies } = own;
  writeFileSync(
    join(directory, 'package.json'),
    JSON.stringify({
      private: true,
      type: 'module',
      dependencies: { react: dependencies.react, 'react-dom': dependencies['react-dom'], vite: devDependencies.vite },
    }),
  );
  const npm = (...args: string[]) =>
    execFileSync('npm', [...args, '--no-audit', '--no-fund', '--prefer-offline'], { cwd: directory, stdio: 'pipe' });
  npm('install', react?.url ?? '');

  // The lock names the files by the checksums that the server says.
  const lock = JSON.parse(readFileSync(join(directory, 'package-lock.json'), 'utf8'));
  for (const name of ['@svc/core', '@svc/react']) {
    const { resolved, integrity } = lock.packages[`node_modules/${name}`];
    expect({ name, url: resolved, integrity }).toEqual(packages.find((each) => each.name === name));
  }

  const service = await (await fetch(`${baseUrl}/example/service.json`)).json();
  const channel = service.channels.find(({ name }: { name: string }) => name === 'Paywall').id;
  mkdirSync(join(directory, 'src'));
  writeFileSync(join(directory, 'index.html'), '<div id="app"></div><script type="module" src="/src/app.js"></script>');
  writeFileSync(
    join(directory, 'src', 'app.js'),
    `import { Flow, SvcProvider } from '@svc/react';
    import { createElement } from 'react';
    import { createRoot } from 'react-dom/client';
    const config = { publishableKey: '${service.publishableKey}', apiBaseUrl: '${baseUrl}' };
    const flow = createElement('div', { style: { height: '100vh' } }, createElement(Flow, { channelId: '${channel}' }));
    createRoot(document.getElementById('app')).render(createElement(SvcProvider, { config }, flow));`,
  );
  execFileSync(process.execPath, [join(directory, 'node_modules', 'vite', 'bin', 'vite.js'), 'build'], {
    cwd: directory,
    stdio: 'pipe',
  });
  app = await preview({ root: directory, configFile: false, preview: { port: 0, host: '127.0.0.1' } });
  const page = await browser.newPage();
  await page.goto(app.resolvedUrls?.local[0] ?? '');
  await page.getByRole('button', { name: 'Start my free week' }).waitFor();
}, 240_000);
