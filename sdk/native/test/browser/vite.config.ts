import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vite';

const path = (relative: string) => fileURLToPath(new URL(relative, import.meta.url));
const standIn = (name: string) => path(`./stand-ins/${name}`);

/** Modules that come in a version for browsers name it so. */
const extensions = ['.web.tsx', '.web.ts', '.web.mjs', '.web.js', '.tsx', '.ts', '.mjs', '.js', '.json'];

export default defineConfig({
  root: path('./page'),
  cacheDir: path('../../node_modules/.vite-browser'),
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
  server: { port: 0, host: '127.0.0.1', fs: { allow: [path('../../..')] } },
  optimizeDeps: {
    // A search would stop at modules that an app may have and this workspace has not.
    noDiscovery: true,
    include: [
      'react',
      'react-dom/client',
      'react/jsx-dev-runtime',
      'react-native-web',
      'react-native-reanimated',
      'react-native-safe-area-context',
      'react-native-svg',
      'libphonenumber-js/min',
      'lottie-web',
    ],
    // What browsers lack of React Native, the modules of the device halves name without using it here.
    rolldownOptions: { resolve: { extensions }, moduleTypes: { '.js': 'jsx' }, shimMissingExports: true },
  },
});
