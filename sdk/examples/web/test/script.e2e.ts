import { createHash } from 'node:crypto';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, expect, inject, it } from 'vitest';
import { openBrowser } from './browser';

const { baseUrl } = inject('setup');

/** An event as a page sent it. */
interface Sent {
  name: string;
  eventId: string;
  screenName?: string;
  identity: { appUserId: string; sessionId: string };
  context: { attribution?: Record<string, unknown> };
  properties?: Record<string, unknown>;
}

let browser: Browser;
let context: BrowserContext;
let site: Server;
let origin: string;
let key: string;
let channel: string;
/** The pages of a site of somebody else, by path. */
let pages: Record<string, { body: string; headers?: Record<string, string>; status?: number }>;

beforeAll(async () => {
  browser = await openBrowser();
  const service = await (await fetch(`${baseUrl}/example/service.json`)).json();
  key = service.publishableKey;
  channel = service.channels.find(({ name }: { name: string }) => name === 'Paywall').id;
  site = createServer((request, response) => {
    const path = new URL(request.url ?? '/', 'http://site').pathname;
    const page = pages[path] ?? { status: 404, body: pages['/']?.body ?? '' };
    response.writeHead(page.status ?? 200, { 'content-type': 'text/html; charset=utf-8', ...page.headers });
    response.end(`<!doctype html><html lang="en"><title>${path}</title><body>${page.body}</body></html>`);
  });
  await new Promise<void>((resolve) => site.listen(0, '127.0.0.1', resolve));
  origin = `http://localhost:${(site.address() as AddressInfo).port}`;
});
afterAll(async () => {
  await browser?.close();
  site?.close();
});
beforeEach(async () => {
  context = await browser.newContext();
  pages = {};
});
afterEach(() => context.close());

const line = (attributes = '') => `<script defer src="${baseUrl}/svc.js" data-key="${key}" ${attributes}></script>`;

/** A page whose product events are noted as they are acknowledged. */
async function open(path: string, sent: Sent[] = []): Promise<{ page: Page; sent: Sent[]; names(): string[] }> {
  const page = await context.newPage();
  page.on('response', (response) => {
    const request = response.request();
    if (!request.url().includes('/v1/sdk/analytics/events') || request.method() !== 'POST') return;
    if (response.status() === 200) sent.push(...JSON.parse(request.postData() ?? '{}').events);
  });
  await page.goto(origin + path);
  return { page, sent, names: () => sent.map(({ name }) => name) };
}

async function until(check: () => boolean): Promise<void> {
  await expect.poll(check, { timeout: 10_000, interval: 50 }).toBe(true);
}

it('counts pages, sessions and where visitors come from, and keeps no cookie', async () => {
  pages['/'] = { body: `${line()}<a href="/next">next</a>` };
  pages['/next'] = { body: line() };
  const { page, sent, names } = await open('/?utm_source=news&utm_campaign=spring');
  await until(() => sent.length === 3);
  expect(names()).toEqual(['session_start', 'first_visit', 'page_view']);
  expect(sent[0]?.context.attribution).toMatchObject({
    'acquisition.source': 'news',
    'acquisition.campaign': 'spring',
    'link.ext.landing_url': `${origin}/`,
  });
  await page.getByText('next').click();
  await until(() => sent.length === 4);
  expect(sent[3]).toMatchObject({ name: 'page_view', screenName: '/next', identity: sent[0]?.identity });
  expect(sent[3]?.context.attribution).toEqual(sent[0]?.context.attribution);
  expect(await context.cookies()).toEqual([]);
});

it('counts a page that changes its address before the browser is idle, with where the visitor came from', async () => {
  pages['/'] = {
    body: `${line()}<script>addEventListener('DOMContentLoaded', () => history.replaceState(null, '', '/clean'))</script>`,
  };
  const { sent } = await open('/?utm_source=news');
  await until(() => sent.length === 4);
  expect(sent.slice(2).map(({ screenName }) => screenName)).toEqual(['/', '/clean']);
  expect(sent[0]?.context.attribution).toMatchObject({ 'acquisition.source': 'news' });
});

it('counts a page that is left before the browser is idle', async () => {
  const script = await (await fetch(`${baseUrl}/svc.js`)).text();
  const pagesSent: string[] = [];
  // The site is its own server: what a page sends while it goes away is seen nowhere else.
  const own = createServer(async (request, response) => {
    let body = '';
    for await (const part of request) body += part;
    for (const [, name] of body.matchAll(/"screenName":"([^"]*)"/g)) pagesSent.push(name ?? '');
    const leaves = request.url === '/' ? `<script>location.assign('/next')</script>` : '';
    const tag = `<script src="/svc.js" data-key="${key}"></script>`;
    response.setHeader('content-type', request.url === '/svc.js' ? 'text/javascript' : 'text/html');
    response.end(request.url === '/svc.js' ? script : `<!doctype html>${tag}${leaves}`);
  });
  await new Promise<void>((resolve) => own.listen(0, '127.0.0.1', resolve));
  const page = await context.newPage();
  await page.goto(`http://localhost:${(own.address() as AddressInfo).port}/`);
  await until(() => pagesSent.length === 2);
  expect(pagesSent).toEqual(['/', '/next']);
  own.close();
});

it('follows single-page apps by history and by hash', async () => {
  pages['/'] = { body: line() };
  const { page, sent } = await open('/');
  await page.evaluate(() => history.pushState(null, '', '/a'));
  await page.evaluate(() => history.replaceState(null, '', '/a?sort=1'));
  await page.evaluate(() => history.pushState(null, '', '/b#/inside/one'));
  await page.evaluate(() => {
    location.hash = '/inside/two';
  });
  const views = () => sent.filter(({ name }) => name === 'page_view').map(({ screenName }) => screenName);
  await until(() => views().length === 4);
  expect(views()).toEqual(['/', '/a', '/inside/one', '/inside/two']);
});

it('records what is marked, links, files and forms, and pages that are not there', async () => {
  pages['/'] = {
    body: `${line()}
      <button data-svc-event="Plan chosen" data-svc-plan="yearly" data-svc-seats-left="3">Choose</button>
      <a id="out" href="http://127.0.0.1:9/elsewhere?secret=1">out</a> <a id="file" href="/price-list.pdf?x=1">file</a>
      <form id="contact"><input name="email" value="ada@example.com"><button>Send</button></form>
      <form data-svc-event="Newsletter"><button>Subscribe</button></form>`,
  };
  const { page, sent } = await open('/gone');
  await page.evaluate(() => {
    addEventListener('click', (event) => event.preventDefault());
    addEventListener('submit', (event) => event.preventDefault());
    for (const form of document.forms)
      form
        .querySelector('button')
        ?.addEventListener('click', () => form.dispatchEvent(new SubmitEvent('submit', { bubbles: true })));
  });
  for (const name of ['Choose', 'Send', 'Subscribe']) await page.getByRole('button', { name }).click();
  await page.locator('#out').click();
  await page.locator('#file').click();
  const own = () => sent.filter(({ name }) => !/^(session|first|page_view)/.test(name));
  await until(() => own().length === 6);
  expect(Object.fromEntries(own().map(({ name, properties }) => [name, properties]))).toEqual({
    page_not_found: { path: '/gone' },
    'Plan chosen': { plan: 'yearly', seats_left: '3' },
    form_submit: { form: 'contact' },
    Newsletter: {},
    outbound_link: { url: 'http://127.0.0.1:9/elsewhere' },
    file_download: { url: `${origin}/price-list.pdf` },
  });
  expect(JSON.stringify(sent)).not.toContain('ada@example.com');
});

it('counts the pages of frames, also of one that the page around it keeps from storage', async () => {
  pages['/framed'] = { body: line() };
  pages['/sandboxed'] = { body: line() };
  const elsewhere = origin.replace('localhost', '127.0.0.1');
  pages['/'] = {
    body: `<iframe src="${elsewhere}/framed"></iframe><iframe sandbox="allow-scripts" src="/sandboxed"></iframe>`,
  };
  const { page, sent } = await open('/');
  const errors: Error[] = [];
  page.on('pageerror', (error) => errors.push(error));
  const views = () => sent.filter(({ name }) => name === 'page_view').map(({ screenName }) => screenName);
  await until(() => views().length === 2);
  expect(views().sort()).toEqual(['/framed', '/sandboxed']);
  expect(errors).toEqual([]);
});

it('waits for consent, and forgets with a denial', async () => {
  pages['/'] = { body: line('data-consent="pending"') };
  const { page, sent, names } = await open('/?utm_source=news');
  await page.evaluate(() => (window as never as { svc: (...call: unknown[]) => void }).svc('event', 'Too early'));
  await page.waitForTimeout(1_500); // longer than events wait for others
  expect(sent).toEqual([]);
  expect(await page.evaluate(() => Object.keys(localStorage).length + Object.keys(sessionStorage).length)).toBe(0);
  await page.evaluate(() => (window as never as { svc: (...call: unknown[]) => void }).svc('consent', 'granted'));
  await until(() => sent.length === 2);
  expect(names()).toEqual(['session_start', 'first_visit']);
  expect(sent[0]?.context.attribution).toMatchObject({ 'acquisition.source': 'news' });
  await page.evaluate(() => {
    const { svc } = window as never as { svc: (...call: unknown[]) => void };
    svc('event', 'Unsent');
    svc('consent', 'denied');
    svc('event', 'Denied');
  });
  expect(await page.evaluate(() => Object.keys(localStorage).length + Object.keys(sessionStorage).length)).toBe(0);
  await page.waitForTimeout(1_500);
  expect(names()).toEqual(['session_start', 'first_visit']);
});

it('loses nothing while the network is away', async () => {
  pages['/'] = { body: line() };
  const { page, sent, names } = await open('/');
  await until(() => sent.length === 3);
  await context.setOffline(true);
  await page.evaluate(() => (window as never as { svc: (...call: unknown[]) => void }).svc('event', 'Offline'));
  await page.close();
  await context.setOffline(false);
  await open('/', sent);
  await until(() => names().includes('Offline'));
  expect(names().filter((name) => name === 'Offline').length).toBe(1);
});

it('runs under a strict policy, by its checksum, and takes calls from before it was there', async () => {
  const script = await (await fetch(`${baseUrl}/svc.js`)).text();
  const integrity = `sha384-${createHash('sha384').update(script).digest('base64')}`;
  const early = "window.svc=window.svc||function(){(svc.q=svc.q||[]).push(arguments)};svc('event','Early',{a:1})";
  const hash = createHash('sha256').update(early).digest('base64');
  pages['/'] = {
    headers: {
      'content-security-policy': `default-src 'none'; script-src ${baseUrl} 'sha256-${hash}'; connect-src ${baseUrl}`,
    },
    body: `<script>${early}</script>${line(`integrity="${integrity}" crossorigin`)}`,
  };
  const { sent } = await open('/');
  await until(() => sent.length === 4);
  expect(sent[3]).toMatchObject({ name: 'Early', properties: { a: 1 } });
});

it('shows flows where they stand and above the page, and loads their renderer only then', async () => {
  pages['/'] = { body: line() };
  pages['/inline'] = { body: `${line()}<svc-flow channel="${channel}" style="display:block;height:700px"></svc-flow>` };
  pages['/above'] = { body: line(`data-flow="${channel}"`) };
  const plain = await open('/');
  const loaded: string[] = [];
  plain.page.on('request', (request) => loaded.push(request.url()));
  await plain.page.reload();
  await until(() => loaded.length > 1);
  expect(loaded.filter((url) => url.includes('/sdk/flow/'))).toEqual([]);

  const inline = await open('/inline');
  await inline.page.getByRole('button', { name: 'Start my free week' }).waitFor();
  const above = await open('/above');
  const dialog = above.page.getByRole('dialog');
  await dialog.getByRole('button', { name: 'Start my free week' }).waitFor();
  await until(() => above.sent.length > 0);
  expect(above.sent.filter(({ name }) => name === 'page_view').length).toBe(1);
});
