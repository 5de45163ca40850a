/** What cannot be seen, or turns the text around it, stays escaped in a name. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what it finds
const INVISIBLE = /[\0-\x1f\x7f-\x9f\xad\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u2069\ufeff\ufffd]/;
/** All escapes of a character, an escape that is of none, or a character. */
const TOKEN =
  /%(?:[0-7][\da-f]|[cd][\da-f]%[89ab][\da-f]|e[\da-f](?:%[89ab][\da-f]){2}|f[\da-f](?:%[89ab][\da-f]){3}|[\da-f]{2})|./gisu;

/** The character that a token's escapes stand for; undefined when they stand for none. */
function decode(token: string): string | undefined {
  try {
    return decodeURIComponent(token);
  } catch {
    return undefined;
  }
}

/** Decodes the escapes of a text; what is none stays as it is. */
export function decodeEscapes(text: string): string {
  if (!text.includes('%')) return text; // the usual one, without compiling what finds escapes
  return text.replace(TOKEN, (token) => decode(token) ?? token);
}

/**
 * Whether a character of a path must stay escaped: a slash, which parts a path otherwise, what is invisible, and what
 * would make an escape of its neighbors that was none, so that two pages would have one name.
 */
function staysEscaped(character: string, before: string, after: string): boolean {
  if (character === '/' || INVISIBLE.test(character)) return true;
  if (character === '%') return /^[\da-f]{2}/i.test(after);
  return /^[\da-f]$/i.test(character) && /%[\da-f]?$/i.test(before);
}

/**
 * The readable form of the name of a view: escapes of a path become the characters that they stand for, in one
 * spelling where they stay. Only a path, which begins with a slash, has escapes. What is readable already stays as it
 * is. The server has the same rule (vectors: readable-paths.json).
 *
 * @param limit in UTF-16 code units; a longer name is cut, never inside a character or an escape
 */
export function readablePath(name: string, limit = Number.POSITIVE_INFINITY): string {
  if (!name.includes('%') && name.length <= limit) return name; // the usual one
  const isPath = name.startsWith('/');
  let out = '';
  let at = 0;
  for (const token of name.match(TOKEN) ?? []) {
    at += token.length;
    let piece = token;
    if (isPath && token.length > 2) {
      const character = decode(token);
      const stays = character === undefined || staysEscaped(character, out, name.slice(at, at + 2));
      piece = stays ? token.toUpperCase() : character;
    }
    if (out.length + piece.length > limit) return isPath && name.includes('%') ? out.trimEnd() : out;
    out += piece;
  }
  if (!isPath || !name.includes('%')) return out;
  // Names are trimmed wherever they are sent or stored: escaped, the space that a path ends in stays.
  const trimmed = out.trimEnd();
  const escaped = trimmed + encodeURIComponent(out.slice(trimmed.length));
  return escaped.length <= limit ? escaped : trimmed;
}
