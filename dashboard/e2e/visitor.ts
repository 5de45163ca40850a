import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { type Browser, type BrowserContext, chromium, type Page } from 'playwright-core';
import { browserPath, type Server } from './server';

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

/** What a browser complains of when the server is killed: it may be in the middle of an answer. */
export const serverGone = /Failed to fetch|ERR_CONNECTION|ERR_CONTENT_LENGTH_MISMATCH|ERR_INCOMPLETE|status of 503/;

export const openBrowser = (): Promise<Browser> =>
  chromium.launch({
    executablePath: browserPath(),
    args: [
      '--no-sandbox',
      '--disable-gpu',
      '--disable-background-networking',
      '--disable-component-update',
      '--disable-sync',
      '--no-first-run',
    ],
  });

/** Somebody at a browser of their own. */
export type Visitor = {
  context: BrowserContext;
  page: Page;
  /** What the browser complains of: refused by the content policy, failed scripts, requests to other hosts. */
  complaints: string[];
  /** Those that the test itself brings about. */
  expected?: RegExp;
};

export async function visit(
  browser: Browser,
  server: Pick<Server, 'baseUrl'>,
  options: Parameters<Browser['newContext']>[0] = {},
): Promise<Visitor> {
  const context = await browser.newContext({
    viewport: { width: 1440, height: 900 },
    locale: 'en-US',
    timezoneId: 'Europe/Berlin',
    ...options,
  });
  context.setDefaultTimeout(60_000); // a test says which step it waits for, and does not just end
  const page = await context.newPage();
  const complaints: string[] = [];
  page.on('console', (message) => {
    if (message.type() === 'error' || /Content Security Policy/i.test(message.text()))
      complaints.push(`${message.text()} ${message.location().url}`);
  });
  page.on('pageerror', (error) => complaints.push(String(error)));
  page.on('request', (request) => {
    if (!request.url().startsWith(server.baseUrl) && !/^(data|blob):/.test(request.url()))
      complaints.push(request.url());
  });
  return { context, page, complaints };
}

type Axe = {
  run(options: object): Promise<{ violations: { id: string; nodes: { html: string; failureSummary: string }[] }[] }>;
};

/** Waits until colors have come to rest: those on their way have a contrast of their own. */
async function atRest(page: Page): Promise<void> {
  // What is inside of something that has come to rest may begin to move then.
  await page.evaluate(async () => {
    for (let still = 0; still < 3; still++) {
      const moving = document.getAnimations().filter((one) => one instanceof CSSTransition);
      if (moving.length > 0) still = 0;
      await Promise.all(moving.map(({ finished }) => finished.catch(() => {})));
      await new Promise(requestAnimationFrame);
    }
  });
}

/** What axe finds at rest. Its code is run by the debugger, which the page's content policy does not bind. */
export async function violations(page: Page): Promise<string[]> {
  await atRest(page);
  if (!(await page.evaluate(() => 'axe' in window))) await page.evaluate(axe);
  const found = await page.evaluate(() => (window as unknown as { axe: Axe }).axe.run({ resultTypes: ['violations'] }));
  return found.violations.flatMap(({ id, nodes }) =>
    nodes.map(({ html, failureSummary }) => `${id}: ${html.slice(0, 200)} ${failureSummary}`),
  );
}

/** What keeps pages, by their addresses, from being used by everybody: in both themes at both widths. */
export async function barriers(page: Page, addresses: readonly string[]): Promise<string[]> {
  const found: string[] = [];
  for (const address of addresses) {
    const looks = [
      [1440, 'light'],
      [390, 'light'],
      [390, 'dark'],
      [1440, 'dark'],
    ] as const;
    for (const [width, colorScheme] of looks) {
      await page.emulateMedia({ colorScheme });
      await page.setViewportSize({ width, height: 900 });
      if (width === 1440 && colorScheme === 'light') {
        await page.goto(address);
      }
      await settled(page);
      const at = `${new URL(address).pathname} at ${width}, ${colorScheme}`;
      const { wide, scheme } = await lookOf(page, colorScheme);
      if (wide > 0) found.push(`${at} is ${wide} too wide`);
      if (scheme !== colorScheme) found.push(`${at} has the colors of ${scheme}`);
      for (const violation of await violations(page)) found.push(`${at}: ${violation}`);
    }
  }
  await page.emulateMedia({ colorScheme: null });
  return found;
}

/** How wide a page is beyond its window, and its colors. Both follow the browser within a few frames. */
const lookOf = (page: Page, colorScheme: string): Promise<{ wide: number; scheme: string | undefined }> =>
  page.evaluate(async (wanted) => {
    const look = () => ({
      wide: document.documentElement.scrollWidth - innerWidth,
      scheme: document.documentElement.dataset.mantineColorScheme,
    });
    const isRight = ({ wide, scheme }: ReturnType<typeof look>) => wide <= 0 && scheme === wanted;
    for (let frame = 0; frame < 120 && !isRight(look()); frame++) await new Promise(requestAnimationFrame);
    return look();
  }, colorScheme);

/** Waits until a page is there and nothing of it is under way. */
export async function settled(page: Page): Promise<void> {
  await page.getByRole('heading', { level: 1 }).waitFor();
  await page.waitForFunction(() => !document.querySelector('[aria-busy=true]'));
}

/** Asks the API as whoever is signed in at a page. */
export const ask = (who: Page, query: string, variables: object): Promise<unknown> =>
  who.evaluate(
    async ([query, variables]) => {
      const answer = await fetch('/graphql', {
        method: 'POST',
        headers: { 'Content-Type': 'application/json' },
        body: JSON.stringify({ query, variables }),
      });
      const { data, errors } = (await answer.json()) as { data: unknown; errors?: unknown };
      if (errors) throw new Error(JSON.stringify(errors));
      return data;
    },
    [query, variables] as const,
  );

/** Makes a viewer of an invitation by the administrator at a page, and signs them in at another. */
export async function enterAs(page: Page, admin: Page, server: Pick<Server, 'baseUrl'>, email: string, name: string) {
  const viewer = (await ask(admin, '{ viewer { workspaces(first: 1) { nodes { workspace { id } } } } }', {})) as {
    viewer: { workspaces: { nodes: { workspace: { id: string } }[] } };
  };
  const invited = (await ask(
    admin,
    'mutation ($w: ID!, $e: String!) { inviteMember(input: {workspaceId: $w, email: $e, role: VIEWER}) { setupToken } }',
    { w: viewer.viewer.workspaces.nodes[0]!.workspace.id, e: email },
  )) as { inviteMember: { setupToken: string } };
  await page.goto(server.baseUrl);
  await ask(
    page,
    'mutation ($t: String!, $n: String!) { completeSetup(input: {token: $t, password: "a long password", name: $n}) { userId } }',
    { t: invited.inviteMember.setupToken, n: name },
  );
}
