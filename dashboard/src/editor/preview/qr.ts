import { encode } from 'uqr';

/** How many modules a code has at a side at most: a camera reads no more off a screen easily. */
const most = 97;

/** Rows of a QR code, true for dark; undefined for a text of more than 858 bytes. */
export function qrOf(text: string): boolean[][] | undefined {
  const bytes = [...new TextEncoder().encode(text)];
  try {
    // What a screen shows is clean: the least correction, and so the largest modules.
    return encode(bytes, { ecc: 'L', boostEcc: false, maxVersion: (most - 17) / 4, border: 0 }).data;
  } catch (error) {
    if (error instanceof RangeError) return undefined; // too long
    throw error;
  }
}
