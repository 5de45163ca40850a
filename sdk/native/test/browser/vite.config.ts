import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vite';

const path = (relative: string) => fileURLToPath(new URL(relative, import.meta.url));
const standIn = (name: string) => path(`./stand-ins/${name}`);

/** Modules that come in a version for browsers name it so. */
const extensions = ['.web.tsx', '.web.ts', '.web.mjs', '.web.js', '.tsx', '.ts', '.mjs', '.js', '.json'];

export default defineConfig({
  root: path('./page'),
  logLevel: 'warn',
  define: {
    __DEV__: 'true',
    global: 'globalThis',
    'process.env.NODE_ENV': '"development"',
    'process.env.JEST_WORKER_ID': 'undefined',
  },
  resolve: {
    extensions,
    alias: [
      { find: '@svc/core/internal', replacement: path('../../../core/src/internal.ts') },
      { find: '@svc/core', replacement: path('../../../core/src/index.ts') },
      { find: '@svc/react-core', replacement: path('../../../react-core/src/index.ts') },
      { find: /^react-native$/, replacement: 'react-native-web' },
      { find: '@react-native-community/datetimepicker', replacement: standIn('date-time-picker.ts') },
      { find: /^.*\/host\/drawn-modules$/, replacement: standIn('drawn-modules.ts') },
    ],
    dedupe: ['react', 'react-dom', 'react-native-web'],
  },
  oxc: { jsx: { runtime: 'automatic' } },
  build: {
    // What browsers lack of React Native, the modules of the device halves name without using it here.
    rolldownOptions: { moduleTypes: { '.js': 'jsx' }, shimMissingExports: true },
  },
});
