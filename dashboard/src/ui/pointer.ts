import { jsonLanguage } from '@codemirror/lang-json';

/** Where the value of a JSON pointer (RFC 6901) stands in a text, as offsets; the nearest that there is, as a pointer may
 * name a member that is missing. */
export function rangeOf(text: string, pointer: string): { from: number; to: number } {
  const tree = jsonLanguage.parser.parse(text);
  let node = tree.topNode.firstChild;
  const tokens = pointer === '' ? [] : pointer.slice(1).split('/').map(unescapeToken);
  for (const token of tokens) {
    let next: typeof node = null;
    if (node?.name === 'Object') {
      for (let property = node.firstChild; property; property = property.nextSibling) {
        const name = property.name === 'Property' ? property.getChild('PropertyName') : null;
        if (name && JSON.parse(text.slice(name.from, name.to)) === token) next = property.lastChild;
      }
    } else if (node?.name === 'Array') {
      const values = [];
      for (let value = node.firstChild; value; value = value.nextSibling)
        if (!/^[[\],]$/.test(value.name)) values.push(value);
      next = values[Number(token)] ?? null;
    }
    if (!next) break;
    node = next;
  }
  if (!node) return { from: 0, to: 0 };
  // Of what is long its beginning is enough to be found.
  return { from: node.from, to: node.to - node.from > 80 ? node.from + 1 : node.to };
}

const unescapeToken = (token: string) => token.replaceAll('~1', '/').replaceAll('~0', '~');
