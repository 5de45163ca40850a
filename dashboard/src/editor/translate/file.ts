import { csvOf, isFormula } from '../../ui/csv';
import { exportedMark } from './marks';
import { rowsIn } from './rows';
import type { FlowText } from './texts';

/** What is taken in at once. */
export const mostBytes = 1 << 20;
export const mostRows = 10_000;
const mostColumns = 200;

/** A file of texts: its first row, and the others with the number of the row in a spreadsheet, or of the line in XLIFF. */
export type Table = {
  head: readonly string[];
  rows: readonly { number: number; cells: readonly string[] }[];
  by?: 'Row' | 'Line';
};

/** Whether a file is to be read as XLIFF and not as a table. */
export const isXml = (text: string) => /^\ufeff?\s*<[?!a-z]/i.test(text);

/** Texts as CSV: a row each, a column for each language, the default one first; then the note for translators, and what
 * tells later which translations changed in the flow meanwhile. */
export function writeFile(texts: readonly FlowText[], locales: readonly string[]): string {
  const rows = texts.map((text) => [
    text.key,
    text.screen.name,
    text.part ? `${text.layer}: ${text.part}` : text.layer,
    ...locales.map((locale) => guarded(text.read(locale))),
    guarded(text.note),
    exportedMark(locales.slice(1).map((locale) => [locale, text.read(locale)])),
  ]);
  return csvOf([['Key', 'Screen', 'Layer', ...locales, 'Note', 'Exported'], ...rows]);
}

/** csvOf puts an apostrophe before what a spreadsheet would run. A text that has one there itself gets another, so that
 * what is read again is what was written. */
const guarded = (text: string) => (/^'/.test(text) && isFormula(text.replace(/^'+/, '')) ? `'${text}` : text);

const unguarded = (cell: string) => (/^'/.test(cell) && isFormula(cell.replace(/^'+/, '')) ? cell.slice(1) : cell);

/** Reads a file: separated by commas, semicolons or tabs, as spreadsheets write and copy it. Returns what is wrong with it
 * in words. */
export async function readFile(text: string): Promise<Table | string> {
  if (text.trim() === '') return 'There is nothing in it';
  if (new Blob([text]).size > mostBytes) return `It has more than 1 MB. Split it by screen`;
  const data = rowsIn(text);
  if (typeof data === 'number') return `Row ${data} has a quotation mark that is not closed`;
  const [head = [], ...rest] = data;
  if (head.length > mostColumns) return `It has more than ${mostColumns} columns`;
  const rows = rest
    .map((cells, at) => ({ number: at + 2, cells: cells.map((cell) => unguarded(cell.replaceAll('\r\n', '\n'))) }))
    .filter(({ cells }) => cells.some((cell) => cell.trim() !== ''));
  if (rows.length > mostRows)
    return `It has ${rows.length.toLocaleString()} rows, and ${mostRows.toLocaleString()} are taken at most`;
  if (rows.length === 0) return 'It has no row below the names of its columns';
  return { head: head.map((cell) => cell.trim()), rows };
}

/** Reads the text of a file: UTF-8, or the “Unicode text” of spreadsheets. Returns undefined for what is neither. */
export async function decode(file: Blob): Promise<string | undefined> {
  const bytes = new Uint8Array(await file.arrayBuffer());
  const wide = (bytes[0] === 0xff && bytes[1] === 0xfe) || (bytes[0] === 0xfe && bytes[1] === 0xff);
  const label = !wide ? 'utf-8' : bytes[0] === 0xff ? 'utf-16le' : 'utf-16be';
  try {
    return new TextDecoder(label, { fatal: true }).decode(bytes);
  } catch {
    return undefined;
  }
}
