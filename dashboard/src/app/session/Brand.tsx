import icon from '../theme/icon.svg';
import styles from './Brand.module.css';

/** Whose page it is, where there is no bar that tells. */
export function Brand() {
  return (
    <div className={styles.brand}>
      <img src={icon} alt="" width="32" height="32" />
      Svc
    </div>
  );
}
