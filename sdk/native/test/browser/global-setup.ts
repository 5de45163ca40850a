import { fileURLToPath } from 'node:url';
import { createServer } from 'vite';
import type { TestProject } from 'vitest/node';

declare module 'vitest' {
  interface ProvidedContext {
    nativePageUrl: string;
  }
}

/** Serves the page with the native renderer to the browser tests. */
export default async function setup(project: TestProject) {
  const server = await createServer({ configFile: fileURLToPath(new URL('./vite.config.ts', import.meta.url)) });
  await server.listen();
  const url = server.resolvedUrls?.local[0];
  if (!url) throw new Error('the test page has no address');
  project.provide('nativePageUrl', url);
  return () => server.close();
}
