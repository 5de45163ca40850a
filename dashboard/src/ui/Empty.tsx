import type { ReactNode } from 'react';
import styles from './Empty.module.css';

export type EmptyProps = {
  /** What is not there. */
  title: string;
  /** Why, in a sentence. */
  why: string;
  /** The next step: a button or a link that does it. */
  next: ReactNode;
};

/** A place with nothing in it yet, which teaches its next step. */
export function Empty({ title, why, next }: EmptyProps) {
  return (
    <div className={styles.empty}>
      <strong>{title}</strong>
      <p>{why}</p>
      {next}
    </div>
  );
}
