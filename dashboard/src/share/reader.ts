import { redirect } from '@tanstack/react-router';
import type { AppAccess, Viewer } from '../app/session/session';
import { Refused } from '../graphql/problems';
import { queryClient } from '../graphql/query';
import { filtersOfCross, parseFilter } from '../scope/filters';
import type { ScopeSearch } from '../scope/scope';
import { searchOf } from '../scope/views';
import { mayFilter, noteShown } from './link';
import { reportAt, reports, type SharedView, sharedViewQuery } from './queries';

/** What the link shows; undefined where it opens nothing, or not without its password. */
async function openLink(): Promise<SharedView | undefined> {
  const { data, problems } = await queryClient.ensureQueryData(sharedViewQuery);
  const view = data.sharedView;
  if (!view) {
    if (problems.every(({ code }) => code === 'forbidden' || code === 'unauthenticated')) return undefined;
    queryClient.removeQueries(sharedViewQuery); // to be asked again
    throw new Refused(problems);
  }
  noteShown({
    pages: new Set(view.reports.map((report) => reports[report].page)),
    fixed: new Set(filtersOfCross(view.scope.cross).map(({ dimension }) => dimension)),
  });
  return view;
}

/** Where a reader begins: the filters are the link's, the rest of the scope is only what it opens with. */
const beginning = ({ app, environment, reports: [first], scope }: SharedView) =>
  redirect({
    to: reports[first!].page,
    params: { app: app.id, environment: environment.toLowerCase() },
    search: searchOf({ ...scope, platform: null, segmentId: null, cross: null }, []),
    replace: true,
  });

/** Leads a reader to the first report. */
export async function enterLink(): Promise<void> {
  const view = await openLink();
  if (view) throw beginning(view);
}

/** What of a scope readers do not choose: the server would refuse it. */
function chosenByNobody({ segment, platform, against, compare, note, f }: ScopeSearch): boolean {
  const filters = (f ?? []).map(parseFilter);
  return (
    [segment, platform, against, note].some((value) => value !== undefined) ||
    !(compare === undefined || compare === 'year' || compare === 'none') ||
    filters.some((filter) => !filter || !mayFilter(filter.dimension))
  );
}

type Asked = { params: { app: string; environment: string }; pathname: string; search: ScopeSearch };

/** Lets a reader see the reports of the link and no other page: with the rights of nobody. */
export async function enterReport({ params, pathname, search }: Asked): Promise<{ viewer: Viewer } & AppAccess> {
  const view = await openLink();
  if (!view) throw redirect({ to: '/', replace: true });
  const here = params.app === view.app.id && params.environment.toUpperCase() === view.environment;
  const report = reportAt(pathname);
  if (!here || !report || !view.reports.includes(report)) throw beginning(view);
  if (chosenByNobody(search)) {
    const { segment: _s, platform: _p, against: _a, compare: _c, note: _n, f: _f, ...rest } = search;
    throw redirect({ to: reports[report].page, params, search: rest, replace: true });
  }
  const app = { id: view.app.id, name: view.app.name };
  const access: AppAccess['access'] = {
    role: 'VIEWER',
    capabilities: [],
    workspace: { id: '', name: '', apps: { nodes: [app] } },
  };
  return {
    viewer: { userId: '', email: '', name: '', closedWorkspaces: [], workspaces: { nodes: [access] } },
    app,
    access,
  };
}
