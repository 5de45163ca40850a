// Installs the packed packages into an empty app, builds it and reads a page that a server rendered with them.
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'vite';

const workspace = join(dirname(fileURLToPath(import.meta.url)), '..', '..');
const versionOf = (name) => createRequire(import.meta.url)(`${name}/package.json`).version;
const app = mkdtempSync(join(tmpdir(), 'svc-smoke-'));
const run = (command, ...parts) => execFileSync(command, parts, { cwd: app, encoding: 'utf8' });

try {
  const tarballs = ['core', 'react'].map((name) => {
    const packed = run('npm', 'pack', join(workspace, name), '--json', '--ignore-scripts');
    const [{ filename, files }] = JSON.parse(packed);
    const strange = files.filter(({ path }) => !/^(dist\/|package\.json$|README\.md$|LICENSE$)/.test(path));
    if (strange.length > 0) throw new Error(`${name} packs ${strange.map(({ path }) => path).join(', ')}`);
    for (const wanted of name === 'react' ? ['README.md', 'dist/index.js.map'] : [])
      if (!files.some(({ path }) => path === wanted)) throw new Error(`${name} packs no ${wanted}`);
    const { scripts, repository, keywords } = JSON.parse(readFileSync(join(workspace, name, 'package.json'), 'utf8'));
    const install = ['preinstall', 'install', 'postinstall', 'prepare'].filter((hook) => scripts?.[hook]);
    if (install.length > 0) throw new Error(`${name} runs ${install.join(', ')} where it is installed`);
    if (name === 'react' && !(repository?.url && keywords?.length)) throw new Error(`${name} says nothing of itself`);
    return `file:./${filename}`;
  });
  const manifest = {
    name: 'svc-smoke',
    private: true,
    type: 'module',
    dependencies: {
      '@svc/core': tarballs[0],
      '@svc/react': tarballs[1],
      react: versionOf('react'),
      'react-dom': versionOf('react-dom'),
    },
  };
  writeFileSync(join(app, 'package.json'), JSON.stringify(manifest));
  run('npm', 'install', '--prefer-offline', '--no-audit', '--no-fund', '--ignore-scripts');

  // Private packages are bundled: an app could not install them.
  const installed = readdirSync(join(app, 'node_modules/@svc')).sort().join();
  if (installed !== 'core,react') throw new Error(`an app gets the packages ${installed}`);
  const dist = join(app, 'node_modules/@svc/react/dist');
  for (const file of readdirSync(dist, { recursive: true }).filter((name) => /\.(js|ts)$/.test(name))) {
    const named = /from\s*["'](@svc\/[^"']+)["']/g;
    for (const [, name] of readFileSync(join(dist, file), 'utf8').matchAll(named)) {
      if (!/^@svc\/core(\/internal)?$/.test(name)) throw new Error(`${file} imports ${name}`);
    }
  }

  mkdirSync(join(app, 'src'));
  writeFileSync(join(app, 'index.html'), '<div id="root"></div><script type="module" src="/src/main.jsx"></script>');
  writeFileSync(
    join(app, 'src/app.jsx'),
    `import { Flow, SvcProvider } from '@svc/react';
export function App({ initialData }) {
  const config = { publishableKey: 'ob_pk_test_smoke', apiBaseUrl: 'http://localhost:4000', userId: 'ada' };
  return <SvcProvider config={config}><Flow channelId="ch_test_smoke" initialData={initialData} /></SvcProvider>;
}
`,
  );
  writeFileSync(
    join(app, 'src/main.jsx'),
    `import { createRoot } from 'react-dom/client';
import { App } from './app';
createRoot(document.getElementById('root')).render(<App />);
`,
  );
  writeFileSync(
    join(app, 'src/server.jsx'),
    `import { renderToString } from 'react-dom/server';
import { resolveFlow } from '@svc/react/server';
import { createTestService } from '@svc/react/testing';
import { App } from './app';
const body = { id: 'lyr_b', kind: 'stack', direction: 'vertical', children: [{ id: 'lyr_t', kind: 'text', text: { default: 'Hello from the server' } }] };
const manifest = { flowId: 'f', version: 1, defaultLocale: 'en', locales: ['en'], entryScreenId: 'scr_a', screens: [{ id: 'scr_a', name: 'a', regions: { body }, next: { default: null } }] };
const flow = { kind: 'flow', flowId: 'f', versionId: 'v', versionNumber: 1, assignmentVersion: 1, environment: 'test', channelId: 'ch_test_smoke', experimentId: null, variantId: null, manifest, mediaMap: {} };
const { fetcher } = createTestService({ ch_test_smoke: flow });
const initialData = await resolveFlow({ config: { publishableKey: 'ob_pk_test_smoke', apiBaseUrl: 'http://localhost:4000', userId: 'ada', fetcher }, channelId: 'ch_test_smoke' });
console.log(renderToString(<App initialData={initialData} />));
`,
  );
  const shared = { configFile: false, logLevel: 'error', root: app };
  await build({ ...shared, build: { outDir: 'client' } });
  const scripts = readdirSync(join(app, 'client/assets')).filter((file) => file.endsWith('.js'));
  const packed = readdirSync(join(app, 'node_modules/@svc/react/dist'));
  const shards = packed.filter((file) => /^icons-.*\.js$/.test(file)).length;
  // The page, and apart from it the phone numbers, the animations and each shard of icons.
  if (shards < 2 || scripts.length < 3 + shards)
    throw new Error(`expected lazy chunks, found ${scripts.length} scripts and ${shards} shards of icons`);
  await build({ ...shared, build: { ssr: 'src/server.jsx', outDir: 'server' } });
  const html = run('node', 'server/server.js');
  if (!html.includes('Hello from the server')) throw new Error(`the server rendered ${html}`);
  const index = readFileSync(join(app, 'node_modules/@svc/react/dist/index.js'), 'utf8');
  if (!/^['"]use client['"]/.test(index)) throw new Error('the packed entry has lost "use client"');
  console.log(`packed, installed, built (${scripts.length} scripts) and rendered on a server`);
} finally {
  rmSync(app, { recursive: true, force: true });
}
