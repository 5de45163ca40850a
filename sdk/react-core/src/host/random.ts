interface CryptoLike {
  getRandomValues?(bytes: Uint8Array): Uint8Array;
}

/**
 * Random bytes from the host. Apps that have not linked a source of their own get them from `Math.random`: everything
 * they are used for is an id or a waiting time, none is a secret.
 */
export function randomBytes(length: number): Uint8Array {
  const bytes = new Uint8Array(length);
  try {
    const { crypto } = globalThis as unknown as { crypto?: CryptoLike };
    if (crypto?.getRandomValues) return crypto.getRandomValues(bytes);
  } catch {
    // A polyfill whose native half is missing.
  }
  for (let i = 0; i < length; i += 1) bytes[i] = Math.floor(Math.random() * 256);
  return bytes;
}
