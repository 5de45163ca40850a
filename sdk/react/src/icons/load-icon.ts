const loaded = new Map<string, string>();

/** The list of shards is a part of its own: with its many names it weighs more than most screens' code for icons. */
const loaders = async () => (await import('./shards/index.gen')).SHARD_LOADERS;

/** Must stay the same as `shardOf` in scripts/icons.mjs. */
function shardOf(name: string, shards: number): number {
  let hash = 0;
  for (const char of name) hash = (hash * 31 + char.charCodeAt(0)) % 9973;
  return hash % shards;
}

/** The inner SVG of an icon whose shard is already here. */
export function peekIcon(name: string): string | undefined {
  return loaded.get(name);
}

/** The inner SVG of an ionicon (view box 512 × 512, colored by `currentColor`); undefined for an unknown name. */
export async function loadIcon(name: string): Promise<string | undefined> {
  const shards = await loaders();
  const icons = (await shards[shardOf(name, shards.length)]?.())?.default ?? {};
  for (const [known, inner] of Object.entries(icons)) loaded.set(known, inner);
  return loaded.get(name);
}
