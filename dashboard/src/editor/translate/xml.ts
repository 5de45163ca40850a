/** An element of XML. */
export type Element = {
  /** Without its prefix. */
  name: string;
  namespace: string;
  /** By name; those with a prefix by their namespace in braces, then the name. */
  attributes: ReadonlyMap<string, string>;
  children: (Element | string)[];
  /** Where it begins, from 1 on. */
  line: number;
};

/** What is wrong with a file, and in which line. */
export class XmlError extends Error {}

const mostElements = 200_000;
const deepest = 60;
const entities: Record<string, string> = { lt: '<', gt: '>', amp: '&', quot: '"', apos: "'" };
const nameAt = /[\p{L}_:][\p{L}\p{N}\p{M}._:-]*/uy;

/** What XML has no way to hold, halves of pairs included. */
export const unwritable = /[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/gu;

/** Reads XML without a document type: there is nothing in it that names another file, or grows when it is read. */
export function parseXml(text: string): Element {
  return new Parser(text.replace(/^\ufeff/, '').replace(/\r\n?/g, '\n')).document();
}

class Parser {
  private at = 0;
  private elements = 0;
  private line = 1;
  private counted = 0;

  constructor(private readonly text: string) {}

  document(): Element {
    this.between();
    if (this.text[this.at] !== '<') this.fail('is no XML');
    const root = this.element(new Map([['xml', 'http://www.w3.org/XML/1998/namespace']]), 0);
    this.between();
    if (this.at < this.text.length) this.fail('has something behind the end');
    return root;
  }

  private fail(says: string, line = this.lineNow()): never {
    throw new XmlError(`Line ${line} ${says}`);
  }

  private lineNow(): number {
    for (; this.counted < this.at; this.counted++) if (this.text.charCodeAt(this.counted) === 10) this.line++;
    return this.line;
  }

  private skips(mark: string): boolean {
    if (!this.text.startsWith(mark, this.at)) return false;
    this.at += mark.length;
    return true;
  }

  private until(mark: string, what: string): string {
    const end = this.text.indexOf(mark, this.at);
    if (end < 0) this.fail(`has ${what} that is not closed`);
    const found = this.text.slice(this.at, end);
    this.at = end + mark.length;
    return found;
  }

  /** Skips white space, comments and instructions around the root. */
  private between() {
    for (;;) {
      this.space();
      if (!this.comment()) return;
    }
  }

  private comment(): boolean {
    if (this.text.startsWith('<!DOCTYPE', this.at)) this.fail('has a document type, which is not taken');
    if (this.skips('<!--')) this.until('-->', 'a comment');
    else if (this.skips('<?')) this.until('?>', 'an instruction');
    else return false;
    return true;
  }

  private space(): boolean {
    const from = this.at;
    while (/[ \t\n]/.test(this.text[this.at] ?? '')) this.at++;
    return this.at > from;
  }

  private name(): string {
    nameAt.lastIndex = this.at;
    const [found] = nameAt.exec(this.text) ?? this.fail('is no XML: a name is missing');
    this.at += found.length;
    return found;
  }

  private decoded(text: string): string {
    if (text.search(unwritable) >= 0) this.fail('has a character that XML does not allow');
    return text.replace(/&([^;&\s]*;?)/g, (all, said: string) => {
      const entity = said.endsWith(';') ? said.slice(0, -1) : '';
      const number = /^#(?:x([\da-fA-F]{1,6})|(\d{1,7}))$/.exec(entity);
      const code = number ? Number.parseInt(number[1] ?? number[2]!, number[1] ? 16 : 10) : -1;
      if (code > 0 && code <= 0x10ffff && !(code >= 0xd800 && code < 0xe000)) return String.fromCodePoint(code);
      if (Object.hasOwn(entities, entity)) return entities[entity]!;
      return this.fail(`has “${all.slice(0, 40)}”, which is no character`);
    });
  }

  private element(scope: ReadonlyMap<string, string>, depth: number): Element {
    const line = this.lineNow();
    if (++this.elements > mostElements) this.fail(`has more than ${mostElements.toLocaleString()} elements`);
    if (depth > deepest) this.fail(`is more than ${deepest} elements deep`);
    this.at++; // <
    const name = this.name();
    const said = new Map<string, string>();
    let empty = false;
    for (;;) {
      const apart = this.space();
      if (this.skips('/>')) empty = true;
      else if (!this.skips('>')) {
        if (!apart) this.fail('is no XML: a tag is not closed');
        this.attribute(said);
        continue;
      }
      break;
    }
    const names = new Map(scope);
    for (const [key, value] of said) {
      if (key === 'xmlns') names.set('', value);
      else if (key.startsWith('xmlns:')) names.set(key.slice(6), value);
    }
    const attributes = new Map<string, string>();
    for (const [key, value] of said) {
      if (key === 'xmlns' || key.startsWith('xmlns:')) continue;
      const [space, local] = this.resolved(key, names, line);
      attributes.set(key.includes(':') ? `{${space}}${local}` : key, value);
    }
    const [namespace, local] = this.resolved(name, names, line);
    const element: Element = { name: local, namespace, attributes, children: [], line };
    if (!empty) this.content(element, name, names, depth);
    return element;
  }

  private attribute(said: Map<string, string>) {
    const key = this.name();
    this.space();
    if (!this.skips('=')) this.fail(`is no XML: “${key}” has no value`);
    this.space();
    const quote = this.text[this.at];
    if (quote !== '"' && quote !== "'") this.fail(`is no XML: the value of “${key}” has no quotation marks`);
    this.at++;
    const raw = this.until(quote!, 'a value');
    if (raw.includes('<')) this.fail(`has “<” in the value of “${key}”`);
    if (said.has(key)) this.fail(`has “${key}” twice`);
    said.set(key, this.decoded(raw.replace(/[\t\n]/g, ' ')));
  }

  private resolved(name: string, scope: ReadonlyMap<string, string>, line: number): [string, string] {
    const [prefix, local] = name.includes(':') ? name.split(/:(.*)/s) : ['', name];
    const namespace = scope.get(prefix!);
    if (namespace === undefined && prefix !== '') this.fail(`has a prefix without a namespace, “${prefix}”`, line);
    return [namespace ?? '', local!];
  }

  private content(element: Element, tag: string, scope: ReadonlyMap<string, string>, depth: number) {
    const add = (text: string) => {
      const last = element.children.length - 1;
      const before = element.children[last];
      if (typeof before === 'string') element.children[last] = before + text;
      else if (text !== '') element.children.push(text);
    };
    for (;;) {
      const next = this.text.indexOf('<', this.at);
      if (next < 0) this.fail(`has <${tag}>, which is not closed`, element.line);
      const raw = this.text.slice(this.at, next);
      add(this.decoded(raw));
      this.at = next;
      if (this.skips('</')) {
        const closed = this.name();
        this.space();
        if (closed !== tag || !this.skips('>')) this.fail(`closes <${closed}> where <${tag}> is open`);
        return;
      }
      if (this.skips('<![CDATA[')) {
        const cdata = this.until(']]>', 'a CDATA section');
        if (cdata.search(unwritable) >= 0) this.fail('has a character that XML does not allow');
        add(cdata);
      } else if (!this.comment()) element.children.push(this.element(scope, depth + 1));
    }
  }
}

/** A text as content of an element. What XML does not allow is left to the caller. */
export const escaped = (text: string) =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('\r', '&#13;');

/** A text as the value of an attribute. */
export const quoted = (text: string) =>
  `"${escaped(text.replace(unwritable, '\ufffd'))
    .replaceAll('"', '&quot;')
    .replaceAll('\t', '&#9;')
    .replaceAll('\n', '&#10;')}"`;
