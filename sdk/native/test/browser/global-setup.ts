import { fileURLToPath } from 'node:url';
import type { TestProject } from 'vitest/node';
import { serveBuiltPage } from '../../../test/built-page';

declare module 'vitest' {
  interface ProvidedContext {
    nativePageUrl: string;
  }
}

/** Serves the page with the native renderer to the browser tests. */
export default async function setup(project: TestProject) {
  const { url, close } = await serveBuiltPage(project, fileURLToPath(new URL('./vite.config.ts', import.meta.url)));
  project.provide('nativePageUrl', url);
  return close;
}
