import { readdirSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { loadIcon, peekIcon } from '../src/icons/load-icon';

const svgs = join(dirname(createRequire(import.meta.url).resolve('ionicons/dist/ionicons.json')), 'svg');

describe('icons', () => {
  it('finds every ionicon in the shard that its name points to', async () => {
    const names = readdirSync(svgs).map((file) => file.replace(/\.svg$/, ''));
    expect(names.length).toBeGreaterThan(1300);
    for (const name of names) expect(await loadIcon(name), name).toMatch(/^<(path|circle|ellipse|rect|g|title|defs)/);
  });

  it('answers at once for an icon whose shard is here', async () => {
    await loadIcon('chevron-back');
    expect(peekIcon('chevron-back')).toContain('currentColor');
  });

  it.each(['no-such-icon', 'toString', ''])('knows no icon called "%s"', async (name) => {
    expect(await loadIcon(name)).toBeUndefined();
  });
});
