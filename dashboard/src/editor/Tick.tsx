import styles from './Tick.module.css';

type Props = {
  label: string;
  checked: boolean;
  change: (checked: boolean) => void;
  /** A switch changes at once what is shown. */
  role?: 'switch';
  title?: string;
};

/** A checkbox with its label: the browser's own, as in the inspector. */
export function Tick({ label, checked, change, role, title }: Props) {
  return (
    <label className={styles.tick} title={title}>
      <input type="checkbox" role={role} checked={checked} onChange={({ target }) => change(target.checked)} />
      {label}
    </label>
  );
}
