/** JSON with object keys sorted by code unit and no white space: the text that digests are taken over. */
export function canonicalJson(value: unknown): string {
  if (Array.isArray(value))
    return `[${value.map((item) => (item === undefined ? 'null' : canonicalJson(item))).join(',')}]`;
  if (value !== null && typeof value === 'object') {
    const entries = Object.entries(value).filter(([, member]) => member !== undefined);
    // Code-unit order, which is what the default comparison of strings gives.
    entries.sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0));
    return `{${entries.map(([key, member]) => `${JSON.stringify(key)}:${canonicalJson(member)}`).join(',')}}`;
  }
  return JSON.stringify(value) ?? 'null';
}

/**
 * Digest of a decision clause (wire.md §5.2): `d` and the lower-case hex of a 32-bit hash, not zero-padded.
 */
export function clauseDigest(expression: unknown): string {
  const text = canonicalJson(expression);
  let state = 5381;
  for (let i = 0; i < text.length; i += 1) state = (Math.imul(state, 33) ^ text.charCodeAt(i)) >>> 0;
  return `d${state.toString(16)}`;
}
