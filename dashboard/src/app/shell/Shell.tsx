import { Drawer } from '@mantine/core';
import { Outlet, useNavigate } from '@tanstack/react-router';
import { lazy, Suspense, useCallback, useMemo, useState } from 'react';
import { useScopeActs } from '../../scope/scopeActs';
import { useView } from '../../scope/useView';
import { type Act, useActs } from '../acts';
import { useKeys } from '../keys';
import { openDocumentation } from '../navigation/documentation';
import { Navigation } from '../navigation/Navigation';
import { pages } from '../navigation/pages';
import { Connection } from './Connection';
import styles from './Shell.module.css';
import { TopBar } from './TopBar';

const Palette = lazy(async () => ({ default: (await import('../palette/Palette')).Palette }));
const KeyList = lazy(async () => ({ default: (await import('../palette/KeyList')).KeyList }));

/** What stands around every page of an app. */
export function Shell() {
  const [menu, setMenu] = useState(false);
  const [over, setOver] = useState<'palette' | 'keys'>();
  const { place } = useView();
  useKeys();
  usePageActs();
  useScopeActs();
  const own = useMemo<Act[]>(
    () => [
      { id: 'palette', name: 'Search', group: 'General', keys: '/', run: () => setOver('palette') },
      { id: 'keys', name: 'Keyboard shortcuts', group: 'General', keys: '?', run: () => setOver('keys') },
      { id: 'docs', name: 'Documentation', group: 'General', words: 'help manual', run: openDocumentation },
    ],
    [],
  );
  useActs(own);
  const openMenu = useCallback(() => setMenu(true), []);
  const openPalette = useCallback(() => setOver('palette'), []);
  return (
    <div className={styles.shell}>
      <a href="#content" className={styles.skip}>
        Skip to content
      </a>
      <TopBar openMenu={openMenu} openPalette={openPalette} />
      {place.environment === 'test' && (
        <section className={styles.test} aria-label="Environment">
          Test environment: this data comes from testers, never from customers.
        </section>
      )}
      <Connection />
      <aside className={styles.side}>
        <Navigation />
      </aside>
      <main id="content" className={styles.main}>
        <Outlet />
      </main>
      <Drawer opened={menu} onClose={() => setMenu(false)} position="left" size={260} title="Menu">
        <Navigation close={() => setMenu(false)} />
      </Drawer>
      <Suspense>
        {over === 'palette' && <Palette close={() => setOver(undefined)} />}
        {over === 'keys' && <KeyList close={() => setOver(undefined)} />}
      </Suspense>
    </div>
  );
}

/** Going to each page, for palette and keys. */
function usePageActs() {
  const navigate = useNavigate();
  const { place, search } = useView();
  const acts = useMemo<Act[]>(
    () =>
      pages.map(({ to, name, key }) => ({
        id: to,
        name,
        group: 'Go to',
        keys: `g ${key}`,
        run: () => void navigate({ to, params: place, search }),
      })),
    [navigate, place, search],
  );
  useActs(acts);
}
