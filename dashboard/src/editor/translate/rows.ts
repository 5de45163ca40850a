const separators = [',', ';', '\t'] as const;

/** Reads rows of cells as spreadsheets write them (RFC 4180): separated by what gives the first row most cells, cells with
 * quotation marks around them where they have separators or lines inside. Returns the number of the row whose quotation
 * mark is not closed. */
export function rowsIn(text: string): string[][] | number {
  const whole = text.replace(/^\uFEFF/, '');
  const [separator] = separators
    .map((one) => ({ one, count: read(whole, one, 1).rows[0]?.length ?? 0 }))
    .toSorted((a, b) => b.count - a.count);
  const { rows, open } = read(whole, separator!.one);
  return open ?? rows;
}

/** Reads `most` rows at most; `open` is the row of a quotation mark that is not closed, or that words follow. */
function read(text: string, separator: string, most = Number.POSITIVE_INFINITY): { rows: string[][]; open?: number } {
  const rows: string[][] = [];
  const end = new RegExp(`[${separator}\r\n]`, 'g');
  let row: string[] = [];
  for (let at = 0; rows.length < most; ) {
    let cell: string;
    if (text[at] === '"') {
      let close = at;
      do close = text.indexOf('"', close === at ? at + 1 : close + 2);
      while (close >= 0 && text[close + 1] === '"');
      if (close < 0) return { rows, open: rows.length + 1 };
      cell = text.slice(at + 1, close).replaceAll('""', '"');
      at = close + 1;
      if (at < text.length && text[at] !== separator && !/[\r\n]/.test(text[at]!))
        return { rows, open: rows.length + 1 };
    } else {
      end.lastIndex = at;
      const next = end.exec(text)?.index ?? text.length;
      cell = text.slice(at, next);
      at = next;
    }
    row.push(cell);
    if (text[at] === separator) {
      at++;
      continue;
    }
    rows.push(row);
    row = [];
    if (at >= text.length) break;
    at += text.startsWith('\r\n', at) ? 2 : 1;
    if (at >= text.length) break;
  }
  return { rows };
}
