import { another, server } from './suite';
import type { Visitor } from './visitor';

/** The roles of a workspace, the weakest first. */
export const roles = ['VIEWER', 'EDITOR', 'ADMIN', 'OWNER'] as const;
export type Role = (typeof roles)[number];

export type Answer<T> = { data: T; errors?: { message: string; extensions: { code: string } }[] };

/** Asks the API with the session of somebody's browser, whatever page is open there. */
export async function askAs<T>({ context }: Pick<Visitor, 'context'>, query: string, variables: object = {}) {
  const headers = { Origin: server.baseUrl };
  const answer = await context.request.post(`${server.baseUrl}/graphql`, { headers, data: { query, variables } });
  return (await answer.json()) as Answer<T>;
}

let invited = 0;

/** Somebody new with a role in the workspace of the demo, invited by its owner and signed in. */
export async function somebody(owner: Visitor, role: Role): Promise<Visitor> {
  const workspaces = `{ viewer { workspaces(first: 1) { nodes { workspace { id } } } } }`;
  type Workspaces = { viewer: { workspaces: { nodes: { workspace: { id: string } }[] } } };
  const workspace = (await askAs<Workspaces>(owner, workspaces)).data.viewer.workspaces.nodes[0]!.workspace.id;
  const invite = `mutation ($w: ID!, $email: String!, $role: Role!) {
    inviteMember(input: {workspaceId: $w, email: $email, role: $role}) { setupToken }
  }`;
  const invitation = await askAs<{ inviteMember: { setupToken: string } }>(owner, invite, {
    w: workspace,
    email: `${role.toLowerCase()}-${++invited}@example.com`,
    role,
  });
  const who = await another();
  await who.page.goto(`${server.baseUrl}/sign-in`);
  const enter = `mutation ($t: String!) {
    completeSetup(input: {token: $t, password: "a long password", name: "Somebody"}) { userId }
  }`;
  const entered = await askAs(who, enter, { t: invitation.data.inviteMember.setupToken });
  if (entered.errors) throw new Error(JSON.stringify(entered.errors));
  return who;
}

/** The buttons of a page that can be pressed, by name; without those that sort or filter by what a table or a chart
 * shows. */
export async function buttonsOf({ page: at }: Visitor): Promise<string[]> {
  const buttons = at.getByRole('main').getByRole('button', { disabled: false });
  const names = await buttons.evaluateAll((all) =>
    all
      .filter((button) => !button.closest('th, [aria-pressed]'))
      .map((button) => (button.getAttribute('aria-label') ?? button.textContent ?? '').trim()),
  );
  return [...new Set(names)].sort();
}
