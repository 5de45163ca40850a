import type { Share } from './Curve';

export type Cohort = { name: string; size: number; cells: readonly Share[] };

/** How much of the accent the coldest and the warmest cell have, of 100: words stay readable on both. */
export const [coldest, warmest] = [6, 60];

/** The cohorts without the first column, in which everybody is, and without the last ones, which nobody has reached. */
export function reached(rows: readonly Cohort[]): Cohort[] {
  const last = Math.max(0, ...rows.flatMap(({ cells }) => cells.filter(known).map(({ offset }) => offset)));
  return rows.map((row) => ({ ...row, cells: row.cells.filter(({ offset }) => offset > 0 && offset <= last) }));
}

/** Whether anybody's time at the offset is over. */
export const known = ({ eligible, rate }: Share): boolean => eligible > 0 && rate !== null;

/** Whether it is over for some of the cohort only, so that its share may change yet. */
export const isOpen = ({ eligible }: Share, size: number): boolean => eligible < size;

/** All cohorts together: the share of everybody whose time at the offset is over. */
export function averageOf(rows: readonly Cohort[]): Cohort {
  const offsets = [...new Set(rows.flatMap(({ cells }) => cells.map(({ offset }) => offset)))].sort((a, b) => a - b);
  const cells = offsets.map((offset) => {
    const over = rows.flatMap(({ cells }) => cells.filter((cell) => cell.offset === offset && known(cell)));
    const eligible = over.reduce((sum, cell) => sum + cell.eligible, 0);
    // Some have come back already whose time is not over: the share leaves them out.
    const stayed = over.reduce((sum, cell) => sum + cell.eligible * cell.rate!, 0);
    const returned = over.reduce((sum, cell) => sum + cell.returned, 0);
    return { offset, returned, eligible, rate: eligible > 0 ? stayed / eligible : null };
  });
  return { name: 'All cohorts', size: rows.reduce((sum, { size }) => sum + size, 0), cells };
}

/** The greatest share of the cohorts, which is the warmest. Small cohorts do not decide: of three users who all come
 * back the others would be pale. */
export function warmestOf(rows: readonly Cohort[]): number {
  const usual = rows.reduce((sum, { size }) => sum + size, 0) / Math.max(1, rows.length);
  const counting = rows.filter(({ size }) => size >= usual / 4);
  return Math.max(0.01, ...counting.flatMap(({ cells }) => cells.filter(known).map(({ rate }) => rate!)));
}

/** How much of the accent a share has, in percent. */
export const warmthOf = (rate: number, greatest: number): number =>
  Math.round(coldest + (warmest - coldest) * Math.min(1, rate / greatest));
