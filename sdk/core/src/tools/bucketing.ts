import { utf8Bytes } from '../host/text-size';

/**
 * The server decides which arm a person gets. This is the same rule for tests and tools, held to the vectors
 * that the server runs (wire.md §3.9).
 */
export interface ExperimentArm {
  id: string;
  /** Integer; the weights of one experiment sum to at most 2^20, so that doubles are exact. */
  weight: number;
}

function rotate(value: number, bits: number): number {
  return (value << bits) | (value >>> (32 - bits));
}

function scramble(k: number): number {
  return Math.imul(rotate(Math.imul(k, 0xcc9e2d51), 15), 0x1b873593);
}

/** murmur3_x86_32 with seed 0 over the UTF-8 bytes of the text, as an unsigned number. */
export function murmur3(text: string): number {
  const bytes = utf8Bytes(text);
  const at = (i: number): number => bytes[i] ?? 0;
  const blocks = bytes.length - (bytes.length % 4);
  let hash = 0;
  for (let i = 0; i < blocks; i += 4) {
    const k = at(i) | (at(i + 1) << 8) | (at(i + 2) << 16) | (at(i + 3) << 24);
    hash = (Math.imul(rotate(hash ^ scramble(k), 13), 5) + 0xe6546b64) | 0;
  }
  let tail = 0;
  for (let i = bytes.length - 1; i >= blocks; i -= 1) tail = (tail << 8) | at(i);
  hash ^= scramble(tail) ^ bytes.length;
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return (hash ^ (hash >>> 16)) >>> 0;
}

/** The arm of a person; undefined when there are no arms, the first when all weights are zero. */
export function bucketArm(
  experiment: { experimentId: string; salt: string; arms: readonly ExperimentArm[] },
  appUserId: string,
): string | undefined {
  const { experimentId, salt, arms } = experiment;
  const total = arms.reduce((sum, arm) => sum + arm.weight, 0);
  if (total <= 0) return arms[0]?.id;
  const bucket = Math.floor((murmur3(`${experimentId}:${salt}:${appUserId}`) * total) / 2 ** 32);
  let accumulated = 0;
  for (const arm of arms) {
    accumulated += arm.weight;
    if (bucket < accumulated) return arm.id;
  }
  return arms[arms.length - 1]?.id;
}
