import styles from './Problems.module.css';
import type { DraftProblem } from './queries';

export const isError = ({ severity }: DraftProblem) => severity === 'ERROR';

/** “2 errors, 1 warning”; undefined for none. What a list item is described by. */
export function countOf(problems: readonly DraftProblem[]): string | undefined {
  const errors = problems.filter(isError).length;
  const many = (count: number, one: string) => count > 0 && `${count} ${one}${count === 1 ? '' : 's'}`;
  return [many(errors, 'error'), many(problems.length - errors, 'warning')].filter(Boolean).join(', ') || undefined;
}

/** A dot beside the name of what has problems. Its item says them to those who don't see it. */
export function Mark({ problems }: { problems: readonly DraftProblem[] }) {
  if (problems.length === 0) return null;
  const words = problems.map(({ message }) => message).join('\n');
  return <i className={styles.mark} data-error={problems.some(isError) || undefined} title={words} />;
}
