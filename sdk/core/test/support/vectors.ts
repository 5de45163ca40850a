import { readFileSync } from 'node:fs';

/** Vectors that the Go side runs as well. */
export function vectors<T>(name: string): T {
  return JSON.parse(readFileSync(new URL(`../../../vectors/${name}.json`, import.meta.url), 'utf8')) as T;
}
