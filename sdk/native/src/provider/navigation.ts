import { screen } from '@svc/react-core';

/** A navigator's state, as React Navigation and Expo Router hand it to `onStateChange`. */
export interface NavigationStateLike {
  /** Position of the focused route. Default: the last. */
  index?: number | undefined;
  routes: readonly { name: string; state?: NavigationStateLike | undefined }[];
}

/** Name of the deepest focused route; undefined when there is none. */
export function focusedRouteName(state: NavigationStateLike | null | undefined): string | undefined {
  const routes = state?.routes ?? [];
  const route = routes[state?.index ?? routes.length - 1];
  return route && (focusedRouteName(route.state) ?? route.name);
}

/** Records a `screen_view` of the focused route. Pass it what the navigator's state-change callback gets. */
export function bindNavigationState(state: NavigationStateLike | null | undefined): void {
  const name = focusedRouteName(state);
  if (name !== undefined) screen(name);
}
