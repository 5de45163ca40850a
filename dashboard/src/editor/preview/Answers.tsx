import type { Subject } from '../../sentences/operators';
import styles from './Preview.module.css';
import type { Told } from './port';
import { answerWords } from './words';

/** What was answered so far. */
export function Answers({ told, subjects }: { told: Told; subjects: readonly Subject[] }) {
  const answers = Object.entries(told.answers).flatMap(([key, response]) => {
    const words = answerWords(key, response, subjects);
    return words ? [{ key, ...words }] : [];
  });
  if (answers.length === 0) return <p className={styles.none}>Nothing was answered yet.</p>;
  return (
    <dl className={styles.answers}>
      {answers.map(({ key, name, value }) => (
        <div key={key}>
          <dt>{name}</dt>
          <dd dir="auto">{value}</dd>
        </div>
      ))}
    </dl>
  );
}
