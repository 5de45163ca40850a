import type { Platform } from './platform';

/** The text of a UUID whose bits are random but for its version and variant. */
function uuid(bytes: Uint8Array, version: number): string {
  bytes[6] = (bytes[6]! & 0x0f) | (version << 4);
  bytes[8] = (bytes[8]! & 0x3f) | 0x80;
  let text = '';
  bytes.forEach((byte, at) => {
    text += (at > 3 && at < 11 && at % 2 === 0 ? '-' : '') + (byte + 256).toString(16).slice(1);
  });
  return text;
}

/** Random UUID (version 4): anonymous ids and flow event ids. */
export function uuidV4(platform: Pick<Platform, 'randomBytes'>): string {
  return uuid(platform.randomBytes(16), 4);
}

/** Bytes 8 to 10 of the ids of version 7 that this client makes. */
let maker: Uint8Array | undefined;

/**
 * Time-ordered UUID (version 7): session and product event ids, which the server stores in time order. All that a client
 * makes have the 22 bits behind the variant in common, at random: the server remembers ids of one maker together. Another
 * 52 bits are random in each.
 */
export function uuidV7(platform: Pick<Platform, 'randomBytes' | 'now'>): string {
  const bytes = platform.randomBytes(16);
  maker ??= bytes.slice(8, 11);
  bytes.set(maker, 8);
  let time = Math.max(0, platform.now());
  for (let i = 5; i >= 0; i -= 1) {
    bytes[i] = time % 256;
    time = Math.floor(time / 256);
  }
  return uuid(bytes, 7);
}

/** A random number in [0, 1) for jitter. */
export function randomFraction(platform: Pick<Platform, 'randomBytes'>): number {
  return platform.randomBytes(4).reduce((sum, byte) => sum * 256 + byte, 0) / 2 ** 32;
}
