// A part of its own: with the many names of the shards it weighs more than most screens' code for icons.
import { SHARD_LOADERS } from './shards/index.gen';

/** Must stay the same as `shardOf` in scripts/icons.mjs. */
function shardOf(name: string, shards: number): number {
  let hash = 0;
  for (const char of name) hash = (hash * 31 + char.charCodeAt(0)) % 9973;
  return hash % shards;
}

/** Reads an icon, and whatever shares its shard, into a map of inner SVG by name. */
export async function readShard(name: string, icons: Map<string, string>): Promise<string | undefined> {
  const shard = (await SHARD_LOADERS[shardOf(name, SHARD_LOADERS.length)]?.())?.default ?? {};
  for (const [known, inner] of Object.entries(shard)) icons.set(known, inner);
  return icons.get(name);
}
