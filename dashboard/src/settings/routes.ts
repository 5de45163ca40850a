import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { appRoute } from '../app/routes';
import { settingsSearch } from './search';

export const settingsRoute = createRoute({
  getParentRoute: () => appRoute,
  path: 'settings',
  validateSearch: settingsSearch,
  component: lazyRouteComponent(() => import('./SettingsPage'), 'SettingsPage'),
});
