import type { Json } from '../../document/operation';
import { useHolds } from '../../useEditor';
import styles from './Conditions.module.css';

/** Whether a condition holds for the user of the preview, while that is open. */
export function LiveResult({ expression }: { expression: Json | undefined }) {
  const holds = useHolds();
  const result = expression === undefined ? undefined : holds?.(expression);
  if (result === undefined) return null;
  return (
    <output className={styles.result} data-holds={result || undefined}>
      {result ? 'Holds in the preview now' : 'Does not hold in the preview now'}
    </output>
  );
}
