import styles from './LongId.module.css';

/** So many characters of its end tell an id from another. */
const end = 12;

/** An id that keeps its end on a phone: what begins with the time differs from its neighbours there alone. */
export function LongId({ id }: { id: string }) {
  if (id.length <= 2 * end) return id;
  return (
    <>
      <span className={styles.begin}>{id.slice(0, -end)}</span>
      {id.slice(-end)}
    </>
  );
}
