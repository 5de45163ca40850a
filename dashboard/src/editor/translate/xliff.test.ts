import { expect, test } from 'vitest';
import type { Flow } from '../document/document';
import { Editor } from '../document/editor';
import { mostRows, readFile, type Table, writeFile } from './file';
import { operationsOf, planImport } from './plan';
import { type FlowText, textsIn } from './texts';
import { readXliff, writeXliff } from './xliff';

const layer = (id: string, text: string, de?: string) => ({
  id,
  kind: 'text',
  text: { default: text, ...(de !== undefined && { translations: { de } }) },
});

const opened = (children: object[], notes?: Record<string, string>): Editor =>
  Editor.open({
    defaultLocale: 'en',
    locales: ['en', 'de'],
    entryScreenId: 'scr_1',
    screens: [
      {
        id: 'scr_1',
        name: 'A & <B> "C"',
        next: { default: null },
        regions: { body: { id: 'lyr_b', kind: 'stack', direction: 'vertical', children } },
      },
    ],
    ...(notes && { builderMeta: { notes } }),
  } as unknown as Flow);

const textsOf = (editor: Editor): FlowText[] => textsIn(editor.document);
const languages = { source: 'en', target: 'de' };
const table = (xliff: string): Table => {
  const read = readXliff(xliff, 'en');
  if (typeof read === 'string') throw new Error(read);
  return read;
};
const plan = (editor: Editor, file: Table, take: readonly string[] = []) => {
  const flow = { texts: textsOf(editor), locales: ['en', 'de'], defaultLocale: 'en' };
  const found = planImport(flow, file, { add: new Set(), take: new Set(take) });
  if (typeof found === 'string') throw new Error(found);
  return { ...found, apply: () => editor.runAll('Translate', operationsOf(found, flow)) };
};

/** Numbers that look random and are the same each time. */
function* numbers(seed: number): Generator<number, never> {
  for (let state = seed; ; ) {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    yield state / 2 ** 32;
  }
}

const pieces = [
  ...['a', 'Ä', '漢', '😀', 'ا', ' ', '  ', '\n', '\r', '\r\n', '\t', '&', '<', '>', '"', "'", ']]>', '<!--', '&amp;'],
  ...['{{name}}', '{{first_name | default: "x<y"}}', '{{', '}}', '{plural, one {#}}', '**bold**', '<b>', '</target>'],
  ...['\0', '\u0001', '\u001b', '\ufffe', '\uffff', '\ud800', '\udc00', '\u0085', '\u2028', '%1$s', '=1+1'],
];

test('what is written as XLIFF is what is read again, whatever the texts have', () => {
  const random = numbers(7);
  const some = (most: number) =>
    Array.from(
      { length: 1 + Math.floor(random.next().value * most) },
      () => pieces[Math.floor(random.next().value * pieces.length)],
    ).join('');
  for (let round = 0; round < 300; round++) {
    const layers = Array.from({ length: 4 }, (_, at) => layer(`lyr_${at}`, some(8), some(8)));
    const notes = { 'lyr_1.text': some(6) };
    const editor = opened(layers, notes);
    const texts = textsOf(editor);
    const { head, rows } = table(writeXliff('Flow', texts, languages));
    expect(head).toEqual(['Key', 'en', 'de', 'Note', 'Exported', 'State']);
    expect(rows.map(({ cells }) => cells.slice(0, 4))).toEqual(
      texts.map((text) => [text.key, text.source, text.read('de'), text.note]),
    );
    const same = plan(editor, { head, rows });
    expect([same.changes, same.conflicts, same.unknown, same.notes]).toEqual([[], [], [], []]);
  }
});

test('translations and notes come into a flow that lacks them', () => {
  const from = opened([layer('lyr_a', 'Hi {{name}}', 'Hallo {{name}}'), layer('lyr_c', 'Bye', 'Tschüs')], {
    'lyr_a.text': 'Said to friends',
  });
  const file = writeXliff('Flow', textsOf(from), languages).replaceAll(/<mda:metadata>.*<\/mda:metadata>\n/g, '');
  const to = opened([layer('lyr_a', 'Hi {{name}}'), layer('lyr_c', 'Bye')]);
  expect(plan(to, table(file)).apply()).toBe(true);
  expect(textsOf(to).map(({ key, read, note }) => [key, read('de'), note])).toEqual([
    ['lyr_a.text', 'Hallo {{name}}', 'Said to friends'],
    ['lyr_c.text', 'Tschüs', ''],
  ]);
  expect(to.document.flow.builderMeta).toEqual({ notes: { 'lyr_a.text': 'Said to friends' } });
  to.undo();
  expect(textsOf(to).map(({ read, note }) => read('de') + note)).toEqual(['', '']);
});

test.each(['XLIFF', 'CSV'])(
  '%s: what changed in the flow since is a conflict, what changed in neither or one is not',
  async (as) => {
    const layers = (one: string, three: string) => [
      layer('lyr_1', 'One', one),
      layer('lyr_2', 'Two', 'Zwei'),
      layer('lyr_3', three, 'Drei'),
      layer('lyr_4', 'Four', 'Vier'),
    ];
    const before = textsOf(opened(layers('Eins', 'Three')));
    const file = as === 'XLIFF' ? writeXliff('Flow', before, languages) : writeFile(before, ['en', 'de']);
    const returned = file.replace('Eins', 'Einser').replace('Zwei', 'Zwo').replace('Drei', 'Dreier');
    const read = async (text: string) => (as === 'XLIFF' ? table(text) : ((await readFile(text)) as Table));
    const now = opened(layers('EINS', 'Three!').with(3, layer('lyr_4', 'Four', 'VIER')));
    const found = plan(now, await read(returned));
    expect(found.changes.map(({ text, to }) => [text.key, to])).toEqual([['lyr_2.text', 'Zwo']]);
    expect(found.conflicts.map(({ name, from, to, said }) => [name, from, to, said])).toEqual([
      ['de lyr_1.text', 'EINS', 'Einser', undefined],
      ['de lyr_3.text', 'Drei', 'Dreier', 'Three'],
    ]);
    const taken = plan(now, await read(returned), ['de lyr_1.text']);
    expect(taken.changes.map(({ to }) => to)).toEqual(['Einser', 'Zwo']);
  },
);

test('what was reviewed stays so until its words, or those of its source, are others', () => {
  const editor = opened([layer('lyr_1', 'A', 'Ä'), layer('lyr_2', 'B', 'Beh'), layer('lyr_3', 'C', 'Zeh')]);
  const states = () => textsOf(editor).map(({ state }) => state('de'));
  const written = () =>
    [...writeXliff('Flow', textsOf(editor), languages).matchAll(/ state="(\w+)"/g)].map(([, of]) => of);
  const returned = writeXliff('Flow', textsOf(editor), languages)
    .replace('"translated"', '"final"')
    .replace('"translated"', '"reviewed"')
    .replace('<target>Beh', '<target>Bee');
  const found = plan(editor, table(returned));
  expect([found.states.map(({ to }) => to), found.changes.map(({ state }) => state)]).toEqual([
    ['final'],
    ['reviewed'],
  ]);
  expect(found.apply()).toBe(true);
  expect([states(), written()]).toEqual([
    ['final', 'reviewed', ''],
    ['final', 'reviewed', 'translated'],
  ]);
  const again = plan(editor, table(writeXliff('Flow', textsOf(editor), languages)));
  expect([again.states, again.changes]).toEqual([[], []]);

  const set = (id: string, path: string[], value: string) =>
    editor.runStep({ name: '', operations: [{ op: 'set', node: id, path: ['text', ...path], value }] });
  set('lyr_1', ['default'], 'AA');
  set('lyr_2', ['translations', 'de'], 'Be');
  expect([states(), written()]).toEqual([
    ['', '', ''],
    ['translated', 'translated', 'translated'],
  ]);
  editor.undo();
  editor.undo();
  const back = plan(editor, table(returned.replaceAll(/"(final|reviewed)"/g, '"translated"').replaceAll('Bee', 'Beh')));
  expect(back.states.map(({ to }) => to)).toEqual(['']);
  expect(plan(editor, table(returned.replaceAll(/ state="\w+"/g, ''))).states).toEqual([]);
});

const unit = (inside: string, id = 'lyr_a.text') => `<unit id="${id}">\n${inside}</unit>`;
const xliff = (units: string, attributes = 'version="2.0" srcLang="en" trgLang="de"') =>
  `<xliff xmlns="urn:oasis:names:tc:xliff:document:2.0" ${attributes}>\n<file id="f">\n${units}\n</file></xliff>`;
const segment = '<segment><source>A</source><target>B</target></segment>';

test('files of other tools are read: segments, marks, prefixes, CDATA, 2.1', () => {
  const file = `<?xml version='1.0'?><!-- made elsewhere --><x:xliff xmlns:x="urn:oasis:names:tc:xliff:document:2.0"
    version="2.1" srcLang="EN" trgLang="de"><x:file id="f"><x:group id="g"><x:unit id="lyr_a.text">
    <x:originalData><x:data id="d">{{name}}</x:data></x:originalData>
    <x:segment state="final"><x:source>Hi <x:ph id="1" dataRef="d"/>.</x:source>
      <x:target><x:mrk id="m" type="term">Hallo</x:mrk> <x:ph id="1" dataRef="d"/>.</x:target></x:segment>
    <x:ignorable><x:source> </x:source></x:ignorable>
    <x:segment><x:source>Bye</x:source><x:target><![CDATA[<Tschüs>]]></x:target></x:segment>
  </x:unit></x:group></x:file></x:xliff>`;
  const { rows } = table(file);
  expect(rows.map(({ cells }) => cells.slice(0, 3))).toEqual([
    ['lyr_a.text', 'Hi {{name}}. Bye', 'Hallo {{name}}. <Tschüs>'],
  ]);
  const half = xliff(unit(`${segment}<segment><source>C</source></segment>`));
  expect(table(half).rows[0]!.cells.slice(1, 3)).toEqual(['AC', '']);
});

const laughs = `<?xml version="1.0"?>\n<!DOCTYPE lolz [<!ENTITY lol "lol">${'<!ENTITY x "&lol;&lol;&lol;">'.repeat(9)}]>\n<xliff/>`;

test.each([
  ['billion laughs', laughs, /^Line 2 has a document type, which is not taken$/],
  ['an external entity', '<!DOCTYPE a SYSTEM "file:///etc/passwd"><a>&b;</a>', /^Line 1 has a document type/],
  [
    'an entity without a type',
    xliff(unit('<segment><source>&lol;</source></segment>')),
    /^Line 4 has “&lol;”, which is no character$/,
  ],
  ['another root', '<html></html>', /^Line 1 begins with <html>/],
  ['another namespace', '<xliff xmlns="urn:other" version="2.0"/>', /^Line 1 has another namespace .*“urn:other”$/],
  [
    'XLIFF 1.2',
    '<xliff xmlns="urn:oasis:names:tc:xliff:document:1.2" version="1.2"/>',
    /XLIFF 1\.2\. Export it as XLIFF 2\.0$/,
  ],
  ['another version', xliff('', 'version="3" srcLang="en" trgLang="de"'), /^Line 1 says that it is XLIFF “3”/],
  [
    'a source that is not the flow’s',
    xliff('', 'version="2.0" srcLang="fr" trgLang="de"'),
    /translates from French.*English$/,
  ],
  ['no target', xliff('', 'version="2.0" srcLang="en"'), /trgLang is missing$/],
  ['no language', xliff('', 'version="2.0" srcLang="en" trgLang="tlhx"'), /language that is not known, “tlhx”$/],
  [
    'an id twice',
    xliff(`${unit(segment)}\n${unit(segment)}`),
    /^Line 5 has unit “lyr_a\.text” again, which is in line 3 already$/,
  ],
  ['no id', xliff(`<unit>${segment}</unit>`), /^Line 3 has a unit without an id$/],
  ['no source', xliff(unit('<segment><target>B</target></segment>')), /^Line 4 has a <segment> without <source>$/],
  ['another state', xliff(unit(segment.replace('<segment', '<segment state="done"'))), /^Line 4 has a state .*“done”$/],
  [
    'data that is not there',
    xliff(unit('<segment><source><ph id="1" dataRef="d9"/></source></segment>')),
    /^Line 4 names data .*“d9”$/,
  ],
  ['a tag that is not closed', xliff('<unit id="a">'), /^Line 4 closes <file> where <unit> is open$/],
  ['an end that is missing', '<xliff>\n<file>', /^Line 2 has <file>, which is not closed$/],
  ['a second root', '<xliff/>\n<xliff/>', /^Line 2 has something behind the end$|namespace/],
  ['a prefix without a namespace', '<x:xliff/>', /^Line 1 has a prefix without a namespace, “x”$/],
  ['an attribute twice', '<xliff a="1" a="2"/>', /^Line 1 has “a” twice$/],
  ['a value without quotes', '<xliff a=1/>', /quotation marks$/],
  [
    'a character of control',
    xliff(unit('<segment><source>\u0001</source></segment>')),
    /character that XML does not allow$/,
  ],
  ['a character that is none', xliff(unit('<segment><source>&#xD800;</source></segment>')), /^Line 4 has “&#xD800;”/],
  ['depth', `${'<a>'.repeat(100)}`, /more than 60 elements deep$/],
  ['nothing', xliff(''), /without units$/],
  ['bytes', xliff(`<!--${'ü'.repeat(1 << 19)}-->`), /^It has more than 1 MB/],
])('%s is refused by its place', (_, file, says) => {
  expect(readXliff(file, 'en')).toMatch(says);
});

test('so many units are read, and one more is not', () => {
  const units = (count: number) =>
    xliff(
      Array.from({ length: count }, (_, at) => `<unit id="u${at}"><segment><source>A</source></segment></unit>`).join(
        '\n',
      ),
    );
  expect(table(units(mostRows)).rows).toHaveLength(mostRows);
  expect(readXliff(units(mostRows + 1), 'en')).toMatch(/^Line 10003 is one unit too many: 10,000 are taken at most$/);
});

test('units of other flows are told by line', () => {
  const found = plan(opened([layer('lyr_a', 'A')]), table(xliff(unit(segment, 'lyr_gone.text'))));
  expect([found.by, found.unknown]).toEqual(['Line', [{ row: 3, said: 'lyr_gone.text' }]]);
});
