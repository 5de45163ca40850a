import { createServer, type Server as HttpServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import {
  Client,
  type OAuthClientProvider,
  StreamableHTTPClientTransport,
  UnauthorizedError,
} from '@modelcontextprotocol/client';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { askAs } from './people';
import { another, open, page, server, suite, visitor } from './suite';
import { violations } from './visitor';

suite();

/** Where a program on this computer waits for the answer. */
let listener: HttpServer;
let callback: string;
let answered: (answer: URLSearchParams) => void;

beforeAll(async () => {
  listener = createServer((request, response) => {
    const address = new URL(request.url!, callback);
    response.setHeader('Content-Type', 'text/html').end('<title>Done</title><h1>You can close this page</h1>');
    if (address.pathname === '/callback') answered(address.searchParams);
  });
  await new Promise<void>((done) => listener.listen(0, '127.0.0.1', done));
  callback = `http://127.0.0.1:${(listener.address() as AddressInfo).port}/callback`;
});
afterAll(() => listener.close());

/** A program with the official client that keeps what it is given. */
class Program implements OAuthClientProvider {
  /** Where it sends the browser. */
  sent: URL | undefined;
  private kept: { client?: unknown; tokens?: unknown; verifier?: string } = {};

  constructor(private readonly name: string) {}

  get redirectUrl() {
    return callback;
  }
  get clientMetadata() {
    return { client_name: this.name, redirect_uris: [callback] };
  }
  clientInformation = () => this.kept.client as ReturnType<OAuthClientProvider['clientInformation']>;
  saveClientInformation = (client: unknown) => {
    this.kept.client = client;
  };
  tokens = () => this.kept.tokens as ReturnType<OAuthClientProvider['tokens']>;
  saveTokens = (tokens: unknown) => {
    this.kept.tokens = tokens;
  };
  redirectToAuthorization = (to: URL) => {
    this.sent = to;
  };
  saveCodeVerifier = (verifier: string) => {
    this.kept.verifier = verifier;
  };
  codeVerifier = () => this.kept.verifier!;
  get accessToken() {
    return (this.kept.tokens as { access_token: string }).access_token;
  }
  /** Makes the access token one that is not good any more. */
  expire = () => {
    this.kept.tokens = { ...(this.kept.tokens as object), access_token: 'svc_at_old' };
  };
}

/** Connects a program; it is sent to the browser first. */
async function connect(program: Program, walk: () => Promise<void>): Promise<Client> {
  visitor.expected = /^http:\/\/127\.0\.0\.1:\d+\/callback\?/; // it is led to the program
  const transport = () =>
    new StreamableHTTPClientTransport(new URL(`${server.baseUrl}/mcp`), { authProvider: program });
  const first = transport();
  const client = () => new Client({ name: 'program', version: '1' });
  await expect(client().connect(first)).rejects.toThrow(UnauthorizedError);
  const answer = new Promise<URLSearchParams>((done) => (answered = done));
  await walk();
  await first.finishAuth(await answer);
  const connected = client();
  await connected.connect(transport());
  return connected;
}

const apps = (client: Client) => client.callTool({ name: 'list_apps', arguments: {} });

test('a program is connected by a browser, does what was allowed, and ends when it is revoked', async () => {
  const name = 'Writer’s <b>desk</b>';
  const program = new Program(name);
  const client = await connect(program, async () => {
    await page.goto(program.sent!.href);
    await page.getByRole('heading', { name: `Connect ${name}?` }).waitFor();
    await page.getByText('a program on this computer').waitFor();
    await page.getByRole('combobox', { name: 'Apps' }).waitFor();
    expect(await violations(page)).toEqual([]);
    await page.emulateMedia({ colorScheme: 'dark' });
    expect(await violations(page)).toEqual([]);
    await page.getByLabel('Edit drafts of flows').uncheck();
    await page.getByRole('button', { name: 'Allow' }).click();
    await page.getByRole('heading', { name: 'You can close this page' }).waitFor();
  });
  expect(JSON.stringify(await apps(client))).toContain(server.apps[0]!.name);
  const refused = await client.callTool({
    name: 'edit_draft',
    arguments: { app: server.apps[0]!.id, name: 'New', steps: [] },
  });
  expect(refused.isError).toBe(true);
  program.expire();
  await apps(client); // it refreshes by itself
  expect(program.accessToken).not.toBe('svc_at_old');

  await open('settings');
  const row = page.getByRole('listitem').filter({ hasText: name });
  await row.getByText('4 rights').waitFor();
  await row.getByText(/used/).waitFor();
  await row.getByRole('button', { name: 'Revoke' }).click();
  await row.getByRole('button', { name: 'Programs that use it are refused. Revoke?' }).click();
  await row.getByText('revoked').waitFor();
  await expect(apps(client)).rejects.toThrow();
});

test('a program that is allowed one app reaches no other', async () => {
  const create = `mutation ($w: ID!) { createApp(input: {workspaceId: $w, name: "Other app"}) { id } }`;
  const { app } = await server.ask<{ app: { workspace: { id: string } } }>(
    'query ($a: ID!) { app(id: $a) { workspace { id } } }',
    { a: server.apps[0]!.id },
  );
  const made = await askAs<{ createApp: { id: string } }>(visitor, create, { w: app.workspace.id });
  const other = made.data.createApp.id;
  const program = new Program('One app');
  const client = await connect(program, async () => {
    await page.goto(program.sent!.href);
    await page.getByRole('combobox', { name: 'Apps' }).click();
    await page.getByRole('option', { name: server.apps[0]!.name }).click();
    await page.getByText('Live and test', { exact: true }).waitFor();
    expect(await violations(page)).toEqual([]);
    await page.getByRole('button', { name: 'Allow' }).click();
    await page.getByRole('heading', { name: 'You can close this page' }).waitFor();
  });
  const listed = JSON.stringify(await apps(client));
  expect(listed).toContain(server.apps[0]!.id);
  expect(listed).not.toContain(other);
  const flows = (app: string) => client.callTool({ name: 'list_flows', arguments: { app } });
  expect((await flows(server.apps[0]!.id)).isError).toBeFalsy();
  expect((await flows(other)).isError).toBe(true);

  await open('settings');
  const row = page.getByRole('listitem').filter({ hasText: 'One app' });
  await row.getByText(`${server.apps[0]!.name} only`).waitFor();
  await row.getByRole('button', { name: 'Revoke' }).click();
  await row.getByRole('button', { name: 'Programs that use it are refused. Revoke?' }).click();
  await row.getByText('revoked').waitFor();
  await expect(apps(client)).rejects.toThrow();
});

test('who is not signed in signs in first, and declining answers the program', async () => {
  const stranger = await another();
  const program = new Program('Writer');
  await expect(
    connect(program, async () => {
      await stranger.page.goto(program.sent!.href);
      await stranger.page.getByRole('heading', { name: 'Sign in' }).waitFor();
      expect(new URL(stranger.page.url()).searchParams.get('to')).toMatch(/^\/connect\?request=/);
      await stranger.context.request.get(server.link, { maxRedirects: 0 });
      await stranger.page.goto(program.sent!.href);
      await stranger.page.getByRole('link', { name: 'Decline' }).click();
    }),
  ).rejects.toThrow(/access_denied/);
});

test('a browser is led to no address that the program has not registered', async () => {
  const program = new Program('Writer');
  await expect(
    connect(program, async () => {
      const foreign = new URL(program.sent!);
      foreign.searchParams.set('redirect_uri', `${callback}/elsewhere`);
      await page.goto(foreign.href);
      await page.getByText(/has not registered/).waitFor();
      expect(new URL(page.url()).origin).toBe(server.baseUrl);
      expect(await violations(page)).toEqual([]);
      const unknown = new URL(program.sent!);
      unknown.searchParams.set('client_id', 'unknown');
      await page.goto(unknown.href);
      await page.getByText(/is not known to this server/).waitFor();
      const implicit = new URL(program.sent!);
      implicit.searchParams.set('response_type', 'token');
      await page.goto(implicit.href);
      await page.getByText(/gives codes/).waitFor();
      expect(new URL(page.url()).origin).toBe(server.baseUrl);
      await page.goto(`${server.baseUrl}/connect?request=old`);
      await page.getByText(/unknown or has expired/).waitFor();
      answered(new URLSearchParams({ error: 'access_denied' }));
    }),
  ).rejects.toThrow();
});
