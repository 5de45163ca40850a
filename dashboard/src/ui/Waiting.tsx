import { Skeleton } from '@mantine/core';
import styles from './Waiting.module.css';

/** The shape of what comes. */
export function Waiting(size: { height: number } | { rows: number }) {
  if ('height' in size) return <Skeleton height={size.height} radius={6} />;
  return (
    <div className={styles.rows}>
      {Array.from({ length: size.rows }, (_, i) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: rows without content have nothing else
        <Skeleton key={i} height={28} width={`${92 - i * 6}%`} radius={4} />
      ))}
    </div>
  );
}
