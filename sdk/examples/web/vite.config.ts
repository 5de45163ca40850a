import { readFileSync } from 'node:fs';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { defineConfig, type Plugin } from 'vite';
import type { DevService } from './src/service';

const path = (relative: string) => fileURLToPath(new URL(relative, import.meta.url));

interface DevFile {
  baseUrl: string;
  apps: { name: string; environments: Record<string, Omit<DevService, 'baseUrl' | 'app'>> }[];
}

/** What the page may know of `dev.json`: the address, and the key and channels of the first app's test environment. */
function readService(): DevService | null {
  const file = resolve(process.env.EXAMPLE_DEV_FILE ?? path('../../../.svc/dev.json'));
  let dev: DevFile;
  try {
    dev = JSON.parse(readFileSync(file, 'utf8'));
  } catch {
    return null;
  }
  const app = dev.apps[0];
  const environment = app?.environments.test;
  if (!app || !environment) return null;
  const { publishableKey, channels } = environment;
  const checkoutUrl = `${dev.baseUrl}/example/checkout`;
  return { baseUrl: dev.baseUrl, app: app.name, publishableKey, channels, checkoutUrl };
}

function answer(_request: IncomingMessage, response: ServerResponse): void {
  const service = readService();
  response.writeHead(service ? 200 : 503, { 'content-type': 'application/json' });
  response.end(JSON.stringify(service));
}

/** Tells the page of the local service, as `svc dev` does when it serves the build itself. */
function svcDev(): Plugin {
  return {
    name: 'svc-dev',
    configureServer: ({ middlewares }) => void middlewares.use('/service.json', answer),
    configurePreviewServer: ({ middlewares }) => void middlewares.use('/example/service.json', answer),
  };
}

export default defineConfig(({ command, isPreview }) => ({
  root: path('.'),
  // `svc dev` serves the build below this path.
  base: command === 'build' || isPreview ? '/example/' : '/',
  plugins: [svcDev()],
  // The example follows the sources of the packages beside it; an app installs the published ones.
  resolve: {
    alias: {
      '@svc/core/internal': path('../../core/src/internal.ts'),
      '@svc/core': path('../../core/src/index.ts'),
      '@svc/react': path('../../react/src/index.ts'),
    },
    dedupe: ['react', 'react-dom'],
  },
  oxc: { jsx: { runtime: 'automatic' } },
  // The flows of the demo lie beside the server that publishes them.
  server: { port: 4100, host: '127.0.0.1', fs: { allow: [path('../../..')] } },
}));
