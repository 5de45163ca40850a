// What parts of the built dashboard weigh, gzipped. size.mjs fails beyond the budgets, bench.mjs prints the figures.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';

/** In kB: JavaScript before any route's own, and what the editor loads with all of its parts beside the renderer. */
export const budgets = { first: 200, editor: 450 };

/** Reads a build in `app`. Names are those of files in its `assets`. */
export function weigh(app) {
  const assets = join(app, 'assets');
  const kB = (name) => gzipSync(readFileSync(join(assets, name)), { level: 9 }).length / 1000;
  const named = (page, ending) =>
    [...readFileSync(join(app, page), 'utf8').matchAll(/(?:src|href)="\/assets\/([^"]+)"/g)]
      .map(([, name]) => name)
      .filter((name) => name.endsWith(ending));
  const chunks = readdirSync(assets).filter((name) => name.endsWith('.js'));
  const imports = (name) =>
    [...readFileSync(join(assets, name), 'utf8').matchAll(/["'`](?:\.\/|assets\/)([\w.-]+\.js)["'`]/g)]
      .map(([, other]) => other)
      .filter((other) => existsSync(join(assets, other)));
  const reach = (names, without = new Set()) => {
    const found = new Set();
    const look = (name) => {
      if (found.has(name) || without.has(name)) return;
      found.add(name);
      imports(name).forEach(look);
    };
    names.forEach(look);
    return found;
  };
  const sum = (names) => [...names].reduce((total, name) => total + kB(name), 0);
  const first = named('index.html', '.js');
  const page = chunks.find((name) => /^EditPage-.*\.js$/.test(name));
  if (!page) throw new Error('the build has no EditPage');
  // The first load names the pages that come later: those are not in it.
  const elsewhere = new Set([...first, ...reach(named('canvas.html', '.js'), new Set(first))]);
  const parts = [...reach([page], elsewhere)];
  return {
    first: sum(first),
    styles: sum(named('index.html', '.css')),
    chunks: chunks.length,
    /** The heaviest before the others. */
    later: byWeight(chunks.filter((name) => !first.includes(name))),
    editor: { whole: sum(parts), page: kB(page), parts: byWeight(parts) },
  };

  function byWeight(names) {
    return names.map((name) => ({ name, kB: kB(name) })).sort((a, b) => b.kB - a.kB);
  }
}
