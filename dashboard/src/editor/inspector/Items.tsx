import type { ReactNode } from 'react';
import { Icon } from '../../ui/Icon';
import styles from './Items.module.css';

type Props = {
  /** What the list holds; for who hears it alone where it is not `titled`. */
  label: string;
  titled?: boolean;
  /** What the button that adds one says; undefined for readers. */
  add: { words: string; run: () => void } | undefined;
  children: ReactNode;
};

/** A list of things that a node has, with the button that adds one. */
export function Items({ label, titled, add, children }: Props) {
  return (
    <div className={styles.items}>
      {titled && <span className={styles.title}>{label}</span>}
      <ul aria-label={label}>{children}</ul>
      {add && (
        <button type="button" className={styles.add} onClick={add.run}>
          <Icon name="plus" size={12} /> {add.words}
        </button>
      )}
    </div>
  );
}

type ItemProps = {
  name: string;
  /** What takes it away; undefined where it stays. */
  remove: (() => void) | undefined;
  children: ReactNode;
  /** Beside its name: what it does in short. */
  note?: ReactNode;
};

/** One of a list, in a frame with its name. */
export function Item({ name, remove, note, children }: ItemProps) {
  return (
    <li className={styles.item} aria-label={name}>
      <div className={styles.head}>
        <b>{name}</b>
        {note}
        {remove && <RemoveButton name={name} remove={remove} />}
      </div>
      {children}
    </li>
  );
}

export function RemoveButton({ name, remove }: { name: string; remove: () => void }) {
  return (
    <button type="button" className={styles.remove} aria-label={`Remove ${name}`} title="Remove" onClick={remove}>
      <Icon name="close" size={12} />
    </button>
  );
}
