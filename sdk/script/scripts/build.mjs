// Builds what a page loads from a server: svc.js, one file, and flow/, the renderer that it loads when a flow is shown.
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { minify } from 'terser';
import { build } from 'vite';

const root = fileURLToPath(new URL('..', import.meta.url));
const shared = {
  root,
  configFile: false,
  logLevel: 'error',
  define: { 'process.env.NODE_ENV': '"production"' },
  resolve: { dedupe: ['react', 'react-dom'] },
};

/** A bundle of one entry. */
async function bundle(input, output, options = {}) {
  const built = await build({
    ...shared,
    build: {
      target: 'es2020',
      modulePreload: false,
      copyPublicDir: false,
      rolldownOptions: { input, preserveEntrySignatures: 'strict', output },
      ...options,
    },
  });
  return [built].flat()[0].output;
}

rmSync(join(root, 'dist'), { recursive: true, force: true });
await bundle(
  'src/renderer.tsx',
  { entryFileNames: 'renderer.js', chunkFileNames: '[name]-[hash].js' },
  { outDir: 'dist/flow' },
);
const [script] = await bundle('src/svc.ts', { format: 'iife' }, { write: false });
const { code } = await minify(script.code, {
  ecma: 2020,
  compress: { passes: 3, unsafe_arrows: true, pure_getters: true },
});
// Browsers that know the hint compile all of it while they load it, off the main thread.
writeFileSync(join(root, 'dist', 'svc.js'), `//# allFunctionsCalledOnLoad\n${code}`);
