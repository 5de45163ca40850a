import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { build as buildPage, preview } from 'vite';
import type { TestProject } from 'vitest/node';

/**
 * Builds the page of browser tests, for development, and serves it, anew whenever tests run again. Every test opens it
 * in a browser without a cache: a development server would be asked for its hundreds of modules each time.
 */
export async function serveBuiltPage(project: TestProject, configFile: string) {
  const outDir = mkdtempSync(join(tmpdir(), 'svc-page-'));
  // Words such as 'use client', and what lottie evaluates, are no news of a page.
  const rolldownOptions = { checks: { moduleLevelDirective: false, eval: false, shimmedExport: false } };
  const build = { outDir, emptyOutDir: true, minify: false, modulePreload: false, rolldownOptions } as const;
  const config = { configFile, mode: 'development', build };
  const rebuild = () => buildPage(config).then(() => undefined);
  await rebuild();
  project.onTestsRerun(rebuild);
  const server = await preview({ ...config, preview: { port: 0, host: '127.0.0.1' } });
  const url = server.resolvedUrls?.local[0];
  if (!url) throw new Error('the test page has no address');
  const close = async () => {
    await server.close();
    rmSync(outDir, { recursive: true, force: true });
  };
  return { url, close };
}
