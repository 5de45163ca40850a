import { expect, test } from 'vitest';
import vectors from '../../../sdk/vectors/csv-cells.json';
import { csvOf, spreadsheetText } from './csv';

test('cells are quoted where they must be, and never run', () => {
  const rows = [
    ['Name', 'Visitors'],
    ['a,b', 1],
    ['say "hi"', null],
    ['=1+1', 2.5],
    ['-x', 0],
  ];
  expect(csvOf(rows)).toBe('Name,Visitors\r\n"a,b",1\r\n"say ""hi""",\r\n\'=1+1,2.5\r\n\'-x,0\r\n');
});

test.each(vectors)('the cell of $text', ({ text, cell }) => {
  expect(spreadsheetText(text)).toBe(cell);
});

test('numbers stay numbers', () => {
  expect(csvOf([[-1.5, '-1.5']])).toBe("-1.5,'-1.5\r\n");
});
