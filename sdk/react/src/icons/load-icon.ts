const loaded = new Map<string, string>();

/** The inner SVG of an icon whose shard is already here. */
export function peekIcon(name: string): string | undefined {
  return loaded.get(name);
}

/** The inner SVG of an ionicon (view box 512 × 512, colored by `currentColor`); undefined for an unknown name. */
export function loadIcon(name: string): Promise<string | undefined> {
  return import('./read-shard').then((part) => part.readShard(name, loaded));
}
