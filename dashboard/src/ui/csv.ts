export type CsvCell = string | number | null | undefined;

/** What spreadsheets run: what begins with a sign of theirs, also in full width, with white space before it or not. */
const formula = /^(?:[\t\r\n]|[\s\p{Z}]*[=+\-@＝＋－＠])/u;

export const isFormula = (text: string) => formula.test(text);

/** A text as the cell of a table: an apostrophe before what would run makes it text, as on the command line. */
export const spreadsheetText = (text: string) => (isFormula(text) ? `'${text}` : text);

/** Rows as CSV (RFC 4180). Text that a spreadsheet would run as a formula is made text; numbers stay numbers. */
export function csvOf(rows: readonly (readonly CsvCell[])[]): string {
  const cell = (value: CsvCell) => {
    if (typeof value !== 'string') return value == null ? '' : String(value);
    const safe = spreadsheetText(value);
    return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
  };
  return rows.map((row) => `${row.map(cell).join(',')}\r\n`).join('');
}

/** Gives the reader a file of the rows. */
export const downloadCsv = (name: string, rows: readonly (readonly CsvCell[])[]) =>
  downloadText(`${name}.csv`, csvOf(rows), 'text/csv;charset=utf-8');

/** Gives the reader a file of a text. */
export const downloadText = (name: string, text: string, type: string) => giveFile(name, new Blob([text], { type }));

/** Gives the reader a file. */
export function giveFile(name: string, content: Blob) {
  const url = URL.createObjectURL(content);
  const link = document.createElement('a');
  link.href = url;
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(url), 10_000);
}
