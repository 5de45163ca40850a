import { redirect } from '@tanstack/react-router';
import type { AppAccess, Viewer } from '../app/session/session';
import { Refused } from '../graphql/problems';
import { queryClient } from '../graphql/query';
import { filtersOfCross } from '../scope/filters';
import type { ScopeSearch } from '../scope/scope';
import { searchOf } from '../scope/views';
import { noteShown } from './link';
import { pageOf, type SharedView, sharedViewQuery } from './queries';

/** What stands between a reader and the reports. */
export type Barrier = 'password' | 'gone';

/** What the link shows, or why nothing. */
export async function openLink(): Promise<SharedView | Barrier> {
  try {
    const { data } = await queryClient.ensureQueryData(sharedViewQuery);
    const view = data.sharedView;
    if (!view) return 'gone';
    noteShown({
      pages: new Set(view.reports.map(pageOf)),
      fixed: new Set(filtersOfCross(view.scope.cross).map(({ dimension }) => dimension)),
    });
    return view;
  } catch (error) {
    if (error instanceof Refused && error.code === 'forbidden') return 'password';
    if (error instanceof Refused && error.code === 'unauthenticated') return 'gone';
    throw error;
  }
}

/** Where a reader begins: the filters are the link's, the rest of the scope is only what it opens with. */
const beginning = ({ app, environment, reports, scope }: SharedView) => ({
  to: `/apps/$app/$environment/${pageOf(reports[0]!)}`,
  params: { app: app.id, environment: environment.toLowerCase() },
  search: searchOf({ ...scope, platform: null, segmentId: null, cross: null }, []) satisfies ScopeSearch,
});

/** Leads a reader to the first report. */
export async function enterLink(): Promise<void> {
  const view = await openLink();
  if (typeof view === 'object') throw redirect(beginning(view) as Parameters<typeof redirect>[0]);
}

/** Lets a reader see the reports of the link and no other page: with the rights of nobody. */
export async function enterReport(
  params: { app: string; environment: string },
  pathname: string,
): Promise<{ viewer: Viewer } & AppAccess> {
  const view = await openLink();
  if (typeof view !== 'object') throw redirect({ to: '/' });
  const page = pathname.split('/').at(-1);
  const here = params.app === view.app.id && params.environment.toUpperCase() === view.environment;
  if (!here || !view.reports.some((report) => pageOf(report) === page)) {
    throw redirect(beginning(view) as Parameters<typeof redirect>[0]);
  }
  const app = { id: view.app.id, name: view.app.name };
  const access: AppAccess['access'] = {
    role: 'VIEWER',
    capabilities: [],
    workspace: { id: '', name: '', apps: { nodes: [app] } },
  };
  return { viewer: { userId: '', email: '', name: '', workspaces: { nodes: [access] } }, app, access };
}
