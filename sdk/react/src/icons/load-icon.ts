import { SHARD_LOADERS } from './shards/index.gen';

/** Must stay the same as `shardOf` in scripts/icons.mjs. */
function shardOf(name: string): number {
  let hash = 0;
  for (const char of name) hash = (hash * 31 + char.charCodeAt(0)) % 9973;
  return hash % SHARD_LOADERS.length;
}

const loaded = new Map<number, Record<string, string>>();

function lookUp(icons: Record<string, string> | undefined, name: string): string | undefined {
  return icons && Object.prototype.hasOwnProperty.call(icons, name) ? icons[name] : undefined;
}

/** The inner SVG of an icon whose shard is already here. */
export function peekIcon(name: string): string | undefined {
  return lookUp(loaded.get(shardOf(name)), name);
}

/** The inner SVG of an ionicon (view box 512 × 512, coloured by `currentColor`); undefined for an unknown name. */
export async function loadIcon(name: string): Promise<string | undefined> {
  const shard = shardOf(name);
  const icons = (await SHARD_LOADERS[shard]?.())?.default;
  if (icons) loaded.set(shard, icons);
  return lookUp(icons, name);
}
