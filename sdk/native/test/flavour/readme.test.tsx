import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { configure } from '@testing-library/react-native';

// A machine that is busy with other tests takes its time.
configure({ asyncUtilTimeout: 30_000 });
jest.setTimeout(60_000);

const { name } = jest.requireActual<{ name: string }>('svc-flavour/package.json');

/** The tests that a flavour's README shows. */
function shownTests(): string[] {
  const folder = name.replace('@svc/', '');
  const readme = readFileSync(join(__dirname, '../../..', folder, 'README.md'), 'utf8');
  return [...readme.matchAll(/^```tsx test\n([\s\S]*?)^```$/gm)].map(([, code]) => code as string);
}

// What the README shows is run as it stands there, on the sources.
const shown = shownTests();
if (shown.length === 0) throw new Error(`the README of ${name} shows no test`);
for (const code of shown) {
  const { transformSync } = jest.requireActual<typeof import('@babel/core')>('@babel/core');
  const compiled = transformSync(code, {
    filename: join(__dirname, 'shown.tsx'),
    configFile: join(__dirname, '../../babel.config.cjs'),
  });
  new Function('require', 'exports', 'test', 'expect', 'jest', compiled?.code ?? '')(require, {}, test, expect, jest);
}
