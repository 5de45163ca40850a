import { ActionIcon, Menu, useMantineColorScheme } from '@mantine/core';
import { getRouteApi, Link, useNavigate } from '@tanstack/react-router';
import { memo } from 'react';
import { Icon } from '../../ui/Icon';
import { SegmentedControl } from '../../ui/SegmentedControl';
import { openDocumentation } from '../navigation/documentation';
import { Bell } from '../notifications/Bell';

import { signOut } from '../session/signOut';
import styles from './TopBar.module.css';

const appRoute = getRouteApi('/apps/$app/$environment');

type Props = { openMenu: () => void; openPalette: () => void };

/** App and environment at the left, search in the middle, the account at the right: the same whatever a report shows. */
export const TopBar = memo(function TopBar({ openMenu, openPalette }: Props) {
  const { app, viewer, access } = appRoute.useRouteContext();
  const place = appRoute.useParams();
  const navigate = useNavigate();
  const { colorScheme, setColorScheme } = useMantineColorScheme();
  const go = (to: { app?: string; environment?: string }) =>
    void navigate({ to: '.', params: { ...place, ...to }, search: (before: object) => (to.app ? {} : before) });
  return (
    <header className={styles.bar}>
      <ActionIcon variant="subtle" color="gray" className={styles.menu} aria-label="Menu" onClick={openMenu}>
        <Icon name="menu" />
      </ActionIcon>
      <Menu>
        <Menu.Target>
          <button type="button" className={styles.app}>
            <span className={styles.mark} aria-hidden="true">
              {app.name.slice(0, 1).toUpperCase()}
            </span>
            <span className={styles.names}>
              <small>{access.workspace.name}</small>
              {app.name}
            </span>
            <Icon name="down" />
          </button>
        </Menu.Target>
        <Menu.Dropdown>
          {viewer.workspaces.nodes.map(({ workspace }) => (
            <div key={workspace.id}>
              <Menu.Label>{workspace.name}</Menu.Label>
              {workspace.apps.nodes.map(({ id, name }) => (
                <Menu.Item key={id} onClick={() => go({ app: id })} aria-current={id === app.id}>
                  {name}
                </Menu.Item>
              ))}
            </div>
          ))}
        </Menu.Dropdown>
      </Menu>
      <SegmentedControl
        size="xs"
        aria-label="Environment"
        value={place.environment}
        onChange={(environment) => go({ environment })}
        data={[
          { value: 'live', label: 'Live' },
          { value: 'test', label: 'Test' },
        ]}
      />
      <button type="button" className={styles.search} aria-label="Search or jump to" onClick={openPalette}>
        <Icon name="search" />
        <span>Search or jump to…</span>
        <kbd>⌘K</kbd>
      </button>
      <Bell workspace={access.workspace.id} />
      <Menu position="bottom-end">
        <Menu.Target>
          <button type="button" className={styles.account} aria-label={`Account of ${viewer.name || viewer.email}`}>
            {(viewer.name || viewer.email).slice(0, 1).toUpperCase()}
          </button>
        </Menu.Target>
        <Menu.Dropdown>
          <Menu.Label>{[viewer.name, viewer.email].filter(Boolean).join(' · ')}</Menu.Label>
          <Menu.Label>Theme</Menu.Label>
          {(['auto', 'light', 'dark'] as const).map((scheme) => (
            <Menu.Item key={scheme} aria-current={scheme === colorScheme} onClick={() => setColorScheme(scheme)}>
              {{ auto: 'System', light: 'Light', dark: 'Dark' }[scheme]}
            </Menu.Item>
          ))}
          <Menu.Divider />
          <Menu.Item component={Link} to="/account">
            Account
          </Menu.Item>
          <Menu.Item onClick={openDocumentation}>Documentation of this page</Menu.Item>
          <Menu.Item onClick={() => void signOut()}>Sign out</Menu.Item>
        </Menu.Dropdown>
      </Menu>
    </header>
  );
});
