import { useQuery } from '@tanstack/react-query';
import { appRoute } from '../app/routes';
import { may } from '../app/session/session';
import type { Annotation } from '../charts/LineChart';
import { type DataOf, graphql } from '../graphql/graphql';
import { query } from '../graphql/query';
import { kindOf } from './scope';
import { useView } from './useView';

const document = graphql<'Annotations'>(`
  query Annotations($app: ID!, $workspace: ID!, $environment: EnvironmentKind!) {
    app(id: $app) {
      flows(includeArchived: true, first: 200) { nodes { id name } }
      environment(kind: $environment) { channels(includeArchived: true, first: 200) { nodes { id name } } }
      experiments(first: 200) { nodes { id name } }
    }
    workspace(id: $workspace) { auditLog(first: 200) { nodes { createdAt action subject user { name email } } } }
  }`);

/** The changes that people see in figures, in words. */
const words: Record<string, string> = {
  'flow.publish': 'was published',
  'channel.pin': 'serves another version',
  'channel.unassign': 'serves nothing',
  'experiment.start': 'started',
  'experiment.stop': 'stopped',
  'experiment.end': 'ended',
  'experiment.promote': 'was promoted',
};

/** What was changed in an app, of what the audit log says of its workspace. */
export function annotationsOf({ app, workspace }: DataOf<'Annotations'>): Annotation[] {
  const names = new Map(
    [app?.flows?.nodes, app?.environment.channels?.nodes, app?.experiments?.nodes].flatMap((nodes) =>
      (nodes ?? []).map(({ id, name }) => [String(id), name] as const),
    ),
  );
  return (workspace?.auditLog?.nodes ?? []).flatMap(({ createdAt, action, subject, user }) => {
    const name = names.get(subject);
    const what = words[action];
    const who = user && `, by ${user.name || user.email}`;
    return name && what ? [{ at: createdAt, text: `${name} ${what}${who ?? ''}` }] : [];
  });
}

/** The changes to write on charts; none for those who may not read the audit log. */
export function useAnnotations(): readonly Annotation[] {
  const { place } = useView();
  const { access } = appRoute.useRouteContext();
  const answer = useQuery({
    ...query(document, [place, access.workspace.id], () => ({
      app: place.app,
      workspace: access.workspace.id,
      environment: kindOf(place.environment),
    })),
    select: ({ data }) => annotationsOf(data),
    enabled: may(access, 'AUDIT_READ'),
    staleTime: 60_000,
  });
  return answer.data ?? [];
}
