import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const workspace = join(__dirname, '../..');

/** A file's text as if it spoke of the other flavour. */
const renamed = (file: string, from: string, to: string) =>
  readFileSync(join(workspace, file), 'utf8').replaceAll(from, to);

test('both flavours have one public API, to the letter', () => {
  // `npm run api` holds the reports to the sources.
  const expo = readFileSync(join(workspace, 'expo/api.md'), 'utf8');
  expect(expo).toContain('\nfunction bindNavigationState(');
  expect(renamed('react-native/api.md', '@svc/react-native', '@svc/expo')).toBe(expo);
});

test('both example apps are one app', () => {
  const files = readdirSync(join(workspace, 'examples/expo/src'));
  expect(readdirSync(join(workspace, 'examples/bare/src'))).toEqual(files);
  for (const file of files) {
    const expo = readFileSync(join(workspace, 'examples/expo/src', file), 'utf8');
    expect(renamed(`examples/bare/src/${file}`, '@svc/react-native', '@svc/expo')).toBe(expo);
  }
});
