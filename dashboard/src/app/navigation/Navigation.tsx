import { Link } from '@tanstack/react-router';
import { useView } from '../../scope/useView';
import { Icon } from '../../ui/Icon';
import { examplePath } from '../example';
import styles from './Navigation.module.css';
import { pages } from './pages';

/** The menu. Going to another report keeps the scope. */
export function Navigation({ close }: { close?: () => void }) {
  const { place, search } = useView();
  return (
    <nav className={styles.nav} aria-label="Pages">
      <ul>
        {pages.map(({ to, name, icon, group }, i) => (
          <li key={to} data-first={(i > 0 && group !== pages[i - 1]!.group) || undefined}>
            <Link
              to={to}
              params={place}
              search={search}
              className={styles.link}
              activeOptions={{ includeSearch: false }}
              onClick={close}
            >
              <Icon name={icon} />
              {name}
            </Link>
          </li>
        ))}
        {examplePath && (
          <li data-first>
            <a href={examplePath} target="_blank" rel="noreferrer" className={styles.link}>
              <Icon name="phone" />
              Example app
            </a>
          </li>
        )}
      </ul>
    </nav>
  );
}
