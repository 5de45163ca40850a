import icon from '../theme/icon.svg';
import styles from './SignInPage.module.css';

/** Whose page it is, where there is no bar that tells. */
export function Brand() {
  return (
    <p className={styles.brand}>
      <img src={icon} alt="" width="32" height="32" />
      Svc
    </p>
  );
}
