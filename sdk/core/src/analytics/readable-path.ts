/** What cannot be seen, or turns the text around it, stays escaped in a name. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what it finds
const INVISIBLE = /[\0-\x1f\x7f-\x9f\xad\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u2069\ufeff\ufffd]/;
const HEX_PAIR = /^[0-9a-f]{2}/i;

/** A character, all escapes of a character, or an escape that is of none, at the start of the rest of a text. */
interface Token {
  source: string;
  /** Set where the source is escapes of a character. */
  character?: string;
}

function tokenAt(text: string, at: number): Token {
  const point = text.codePointAt(at) ?? 0;
  if (text[at] !== '%') return { source: String.fromCodePoint(point) };
  if (!HEX_PAIR.test(text.slice(at + 1, at + 3))) return { source: '%' };
  const byte = Number.parseInt(text.slice(at + 1, at + 3), 16);
  const bytes = byte < 0x80 ? 1 : byte < 0xe0 ? 2 : byte < 0xf0 ? 3 : 4;
  const source = text.slice(at, at + 3 * bytes);
  try {
    return { source, character: decodeURIComponent(source) };
  } catch {
    return { source: text.slice(at, at + 3) };
  }
}

/** Decodes the escapes of a text; what is none stays as it is. */
export function decodeEscapes(text: string): string {
  if (!text.includes('%')) return text;
  let out = '';
  for (let at = 0; at < text.length; ) {
    const { source, character } = tokenAt(text, at);
    out += character ?? source;
    at += source.length;
  }
  return out;
}

/**
 * Whether a character of a path must stay escaped: a slash, which parts a path otherwise, what is invisible, and what
 * would make an escape of its neighbors that was none, so that two pages would have one name.
 */
function staysEscaped(character: string, before: string, after: string): boolean {
  if (character === '/' || INVISIBLE.test(character)) return true;
  if (character === '%') return HEX_PAIR.test(after);
  return /^[0-9a-f]$/i.test(character) && /%[0-9a-f]?$/i.test(before);
}

/**
 * The readable form of the name of a view: escapes of a path become the characters that they stand for, in one
 * spelling where they stay. Only a path, which begins with a slash, has escapes. What is readable already stays as it
 * is. The server has the same rule (vectors: readable-paths.json).
 *
 * @param limit in UTF-16 code units; a longer name is cut, never inside a character or an escape
 */
export function readablePath(name: string, limit = Number.POSITIVE_INFINITY): string {
  const isPath = name.startsWith('/');
  let out = '';
  let whole = true;
  for (let at = 0; at < name.length && whole; ) {
    const { source, character } = tokenAt(name, at);
    at += source.length;
    let piece = source;
    if (isPath && source.length > 1 && source.startsWith('%')) {
      const stays = character === undefined || staysEscaped(character, out, name.slice(at, at + 2));
      piece = stays ? source.toUpperCase() : character;
    }
    if (out.length + piece.length > limit) whole = false;
    else out += piece;
  }
  if (!isPath || !name.includes('%')) return out;
  // Names are trimmed wherever they are sent or stored: escaped, the space that a path ends in stays.
  const trimmed = out.trimEnd();
  const escaped = trimmed + encodeURIComponent(out.slice(trimmed.length));
  return whole && escaped.length <= limit ? escaped : trimmed;
}
