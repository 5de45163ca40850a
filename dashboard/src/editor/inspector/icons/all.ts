import { SHARD_LOADERS } from '@svc/react/icons/shards/index.gen';

export { findIcons } from './find';

let all: Promise<ReadonlyMap<string, string>> | undefined;

/** Every icon that the renderers draw: the inside of its SVG by its name. A failure is forgotten, to be tried again. */
export function allIcons(): Promise<ReadonlyMap<string, string>> {
  all ??= Promise.all(SHARD_LOADERS.map((load) => load())).then(
    (shards) => new Map(shards.flatMap((shard) => Object.entries(shard.default)).sort(([a], [b]) => (a < b ? -1 : 1))),
  );
  all.catch(() => {
    all = undefined;
  });
  return all;
}
