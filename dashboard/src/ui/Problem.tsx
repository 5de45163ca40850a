import styles from './Form.module.css';

/** Why something was not done; nothing while there is no reason. */
export function Problem({ text }: { text: string }) {
  return (
    <p className={styles.problem} role="alert">
      {text}
    </p>
  );
}
