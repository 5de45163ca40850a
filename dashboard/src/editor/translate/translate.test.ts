import { describe, expect, test } from 'vitest';
import cells from '../../../../sdk/vectors/csv-cells.json';
import type { Flow } from '../document/document';
import { Editor } from '../document/editor';
import { decode, mostRows, readFile, type Table, writeFile } from './file';
import { languageCalled } from './languages';
import { longest, operationsOf, type Plan, planImport } from './plan';
import { completion, textsIn } from './texts';

const words = (id: string, text: string, translations?: Record<string, string>) => ({
  id,
  kind: 'text',
  text: { default: text, ...(translations && { translations }) },
});

const screen = (id: string, name: string, children: object[]) => ({
  id,
  name,
  next: { default: null },
  regions: { body: { id: `lyr_${id.slice(4)}`, kind: 'stack', direction: 'vertical', children } },
});

const flow = (texts: object[]): Flow =>
  ({
    defaultLocale: 'en',
    locales: ['en', 'de'],
    entryScreenId: 'scr_2',
    screens: [
      screen('scr_1', 'Second', texts),
      screen('scr_2', 'First', [words('lyr_hello', 'Hello', { de: 'Hallo' })]),
    ],
  }) as unknown as Flow;

const texts = [
  words('lyr_price', 'Price', { de: 'Preis' }),
  words('lyr_title', 'Hi {{name}}'),
  {
    id: 'lyr_input',
    kind: 'text_input',
    name: 'Email',
    fieldKey: 'email',
    placeholder: { default: 'you@example.com' },
    helperText: { default: 'Price' },
  },
];

const opened = (all: object[] = texts) => Editor.open(flow(all));
const target = (editor: Editor) => ({ texts: textsIn(editor.document), locales: ['en', 'de'], defaultLocale: 'en' });
const choices = { add: new Set<string>(), take: new Set<string>() };

async function planned(editor: Editor, file: string, chosen = choices): Promise<Plan> {
  const plan = planImport(target(editor), (await readFile(file)) as Table, chosen);
  if (typeof plan === 'string') throw new Error(plan);
  return plan;
}
const brief = ({ changes }: Plan) => changes.map(({ text, locale, to }) => [text.key, locale, to]);

test('texts stand by screen, the first first, with all that a layer has', () => {
  const all = textsIn(opened().document);
  expect(all.map(({ key, screen, layer, part }) => [key, screen.name, layer, part])).toEqual([
    ['lyr_hello.text', 'First', 'Hello', ''],
    ['lyr_price.text', 'Second', 'Price', ''],
    ['lyr_title.text', 'Second', 'Hi {Name}', ''],
    ['lyr_input.placeholder', 'Second', 'Email', 'Placeholder'],
    ['lyr_input.helperText', 'Second', 'Email', 'Helper text'],
  ]);
  expect(completion(all, 'de')).toBe(0.4);
});

describe('a file', () => {
  test('has a row for each text, and is read as it was written, formulas and all', async () => {
    const hostile = cells.map(({ text }, at) => words(`lyr_t${at}`, `x${at}`, { de: text }));
    const more = ["''=1", "'+x", 'a\nb', 'a "b", c;\td', ' end '].map((text, at) =>
      words(`lyr_m${at}`, `y${at}`, { de: text }),
    );
    const editor = opened([...hostile, ...more]);
    const file = writeFile(textsIn(editor.document), ['en', 'de']);
    expect(file.split('\r\n')[1]).toMatch(/^lyr_hello\.text,First,Hello,Hello,Hallo,,de=\w+$/);
    const { head, rows } = (await readFile(file)) as Table;
    expect(head).toEqual(['Key', 'Screen', 'Layer', 'en', 'de', 'Note', 'Exported']);
    const written = textsIn(editor.document).map(({ read }) => read('de').replaceAll('\r\n', '\n'));
    expect(rows.map(({ cells }) => cells[4])).toEqual(written);
    // No cell runs in a spreadsheet.
    for (const { cell } of cells) expect(cell).not.toMatch(/^[=+\-@\t\r]/);
    expect(brief(await planned(editor, file))).toEqual([]);
  });

  test.each([
    [',', '\r\n'],
    [';', '\n'],
    ['\t', '\n'],
  ])('is separated by %j', async (by, end) => {
    const quoted = by === '\t' ? '"Hi, {{name}}\n; ok"' : `"Hallo, {{name}}${by}\nok"`;
    const file = `\ufeff${[
      ['Key', 'German'],
      ['lyr_title.text', quoted],
      ['lyr_price.text', 'Kosten'],
    ]
      .map((row) => row.join(by))
      .join(end)}`;
    const to = quoted.slice(1, -1);
    expect(brief(await planned(opened(), file))).toEqual([
      ['lyr_title.text', 'de', to],
      ['lyr_price.text', 'de', 'Kosten'],
    ]);
  });

  test('is refused in words when it is too much or broken', async () => {
    expect(await readFile(' \n')).toBe('There is nothing in it');
    expect(await readFile('Key,de')).toBe('It has no row below the names of its columns');
    expect(await readFile('Key,de\nlyr_a,"x')).toMatch(/^Row 2 has a quotation mark/);
    expect(await readFile(`Key,de\n${'k,v\n'.repeat(mostRows + 1)}`)).toMatch(/^It has 10,001 rows, and 10,000/);
    expect(typeof (await readFile(`Key,de\n${'k,v\n'.repeat(mostRows)}`))).toBe('object');
    expect(await readFile(`Key,de\nk,${'ü'.repeat(1 << 19)}`)).toMatch(/^It has more than 1 MB/);
    expect(await readFile(`${'de,'.repeat(300)}\nx`)).toBe('It has more than 200 columns');
  });

  test('is decoded from UTF-8 and from what spreadsheets call Unicode, and nothing else', async () => {
    expect(await decode(new Blob(['\ufeffä']))).toBe('ä');
    expect(await decode(new Blob([new Uint8Array([0xff, 0xfe, 0xe4, 0])]))).toBe('ä');
    expect(await decode(new Blob([new Uint8Array([0x4b, 0xe4])]))).toBeUndefined();
  });
});

describe('what a file would change', () => {
  test('is told with all that is left out, by name', async () => {
    const file = [
      'Key,en,de,fr,Comment',
      'lyr_price.text,Cost,Kosten,,x',
      'lyr_title.text,Hi {{name}},Hallo {{nam}},Salut {{name}},',
      'lyr_gone.text,Gone,Weg,,',
      `lyr_input.placeholder,you@example.com,${'x'.repeat(longest + 1)},,`,
      'lyr_hello.text,Hello,Hallo,,',
      'lyr_input.helperText,,,,',
    ].join('\n');
    const plan = await planned(opened(), file);
    expect(brief(plan)).toEqual([['lyr_title.text', 'de', 'Hallo {{nam}}']]);
    expect(plan.same).toBe(1);
    expect(plan.unknown).toEqual([{ row: 4, said: 'lyr_gone.text' }]);
    expect(plan.conflicts.map(({ row, said, text, to }) => [row, said, text.source, to])).toEqual([
      [2, 'Cost', 'Price', 'Kosten'],
    ]);
    expect(plan.tooLong.map(({ row, length }) => [row, length])).toEqual([[5, longest + 1]]);
    expect(plan.languages).toEqual(['fr']);
    expect(plan.columns).toEqual(['Comment']);
    expect(plan.placeholders.map(({ says }) => says)).toEqual(['without {{name}}, with {{nam}}']);

    const all = await planned(opened(), file, { add: new Set(['fr']), take: new Set(['de lyr_price.text']) });
    expect(brief(all)).toEqual([
      ['lyr_price.text', 'de', 'Kosten'],
      ['lyr_title.text', 'de', 'Hallo {{nam}}'],
      ['lyr_title.text', 'fr', 'Salut {{name}}'],
    ]);
    expect(all.added).toEqual(['fr']);
  });

  test('is found by the text in the default language where a file has no keys', async () => {
    const plan = await planned(opened(), 'English\tDeutsch\nPrice\tPreis!\nHi {{name}}\tHallo {{name}}');
    expect(brief(plan)).toEqual([
      ['lyr_price.text', 'de', 'Preis!'],
      ['lyr_input.helperText', 'de', 'Preis!'],
      ['lyr_title.text', 'de', 'Hallo {{name}}'],
    ]);
  });

  test('is the later of two rows', async () => {
    const plan = await planned(
      opened(),
      'Key,de\nlyr_price.text,A\nlyr_title.text,A\nlyr_price.text,Preis\nlyr_title.text,B',
    );
    expect(brief(plan)).toEqual([['lyr_title.text', 'de', 'B']]);
  });

  test('is nothing when the columns say nothing', async () => {
    const plan = async (file: string) => planImport(target(opened()), (await readFile(file)) as Table, choices);
    expect(await plan('Key,Wort\na,b')).toMatch(/names no language/);
    expect(await plan('de,fr\na,b')).toMatch(/names neither “Key” nor “en”/);
  });
});

test('a language is known by its code or its name', () => {
  const said = [
    'de',
    'DE',
    'German',
    'deutsch',
    'Deutsch (de)',
    'pt_br',
    'zh-hant-hk',
    'Italian',
    'Key',
    'note',
    'xq',
    '',
  ];
  expect(said.map((one) => languageCalled(one, ['de']))).toEqual(
    ['de', 'de', 'de', 'de', 'de', 'pt-BR', 'zh-Hant-HK', 'it'].concat(Array(4).fill(undefined)),
  );
});

test('a file of many texts is one undo, in parts that the server takes', async () => {
  const many = Array.from({ length: 900 }, (_, at) => words(`lyr_t${at}`, `Text ${at}`));
  const editor = opened(many);
  const before = editor.document.flow;
  const sent: number[] = [];
  editor.onEdit = ({ step }) => sent.push(step.operations.length);
  const rows = many.map(({ id }, at) => `${id}.text,Wort ${at},Mot ${at}`);
  const plan = await planned(editor, ['Key,de,fr', ...rows].join('\n'), { ...choices, add: new Set(['fr']) });
  expect(editor.runAll('Translate 1800 texts', operationsOf(plan, target(editor)))).toBe(true);
  expect(Math.max(...sent)).toBeLessThanOrEqual(200);
  expect(sent.reduce((sum, one) => sum + one)).toBe(1801);
  expect(editor.document.flow.locales).toEqual(['en', 'de', 'fr']);
  expect(textsIn(editor.document).filter(({ read }) => read('fr').startsWith('Mot '))).toHaveLength(900);

  sent.length = 0;
  expect(editor.undo()).toEqual({ is: 'done', name: 'Translate 1800 texts', kept: [] });
  expect(Math.max(...sent)).toBeLessThanOrEqual(200);
  expect(editor.document.flow).toEqual(before);
  expect(editor.canUndo).toBeUndefined();
  expect(editor.redo()).toEqual({ is: 'done', name: 'Translate 1800 texts', kept: [] });
  expect(textsIn(editor.document).filter(({ read }) => read('de').startsWith('Wort '))).toHaveLength(900);
});
