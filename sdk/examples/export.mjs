// Bundles the app in the working directory for Android and iOS, compiles the bundles to Hermes bytecode and checks
// what came out. One worker, so that it runs beside other things on a small machine.
import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';

const PLATFORMS = ['android', 'ios'];
/** The first bytes of every Hermes bytecode file, little endian. */
const HERMES_MAGIC = 0x1f1903c103bc1fc6n;

const app = process.cwd();
const require = createRequire(join(app, 'package.json'));
const manifest = require('./package.json');
const flavour = ['@svc/expo', '@svc/react-native'].find((name) => name in manifest.dependencies);
if (!flavour) throw new Error(`${manifest.name} depends on no flavour`);

/** Runs a package's command with Node itself, wherever the package is installed. */
function run(name, command, ...parts) {
  const file = require.resolve(`${name}/package.json`);
  const { bin } = JSON.parse(readFileSync(file, 'utf8'));
  const script = join(dirname(file), typeof bin === 'string' ? bin : bin[command]);
  execFileSync(process.execPath, [script, ...parts], {
    cwd: app,
    stdio: ['ignore', 'ignore', 'inherit'],
    env: { ...process.env, CI: '1', NODE_ENV: 'production', EXPO_NO_TELEMETRY: '1', EXPO_OFFLINE: '1' },
  });
}

/** Hermes' compiler for this machine, out of the package that React Native itself brings along. */
function hermesc() {
  const folder = { linux: 'linux64-bin', darwin: 'osx-bin', win32: 'win64-bin' }[process.platform];
  const reactNative = createRequire(require.resolve('react-native/package.json'));
  return join(dirname(reactNative.resolve('hermes-compiler/package.json')), 'hermesc', folder, 'hermesc');
}

/** The two bytecode files by platform. */
const EXPORTS = {
  '@svc/expo': () => {
    const platforms = PLATFORMS.flatMap((platform) => ['--platform', platform]);
    run('expo', 'expo', 'export', ...platforms, '--max-workers', '1', '--output-dir', 'dist');
    const { fileMetadata } = JSON.parse(readFileSync(join(app, 'dist/metadata.json'), 'utf8'));
    return PLATFORMS.map((platform) => join('dist', fileMetadata[platform].bundle));
  },
  '@svc/react-native': () =>
    PLATFORMS.map((platform) => {
      const script = join('dist', `${platform}.js`);
      const options = ['--platform', platform, '--dev', 'false', '--max-workers', '1', '--entry-file', 'index.js'];
      run('react-native', 'react-native', 'bundle', ...options, '--bundle-output', script);
      const file = join('dist', `${platform}.hbc`);
      execFileSync(hermesc(), ['-emit-binary', '-O', '-w', '-out', file, script], { cwd: app, stdio: 'inherit' });
      return file;
    }),
};

rmSync(join(app, 'dist'), { recursive: true, force: true });
mkdirSync(join(app, 'dist'));
const files = EXPORTS[flavour]();
for (const [index, file] of files.entries()) {
  const bytes = readFileSync(join(app, file));
  if (bytes.readBigUInt64LE(0) !== HERMES_MAGIC) throw new Error(`${file} is no Hermes bytecode`);
  if (!bytes.includes(flavour)) throw new Error(`${file} does not hold ${flavour}`);
  console.log(
    `${PLATFORMS[index]}: ${file}, ${(statSync(join(app, file)).size / 1e6).toFixed(2)} MB of Hermes bytecode`,
  );
}
