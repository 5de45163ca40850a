import type { Page } from 'playwright-core';
import { createElement } from 'react';
import { renderToString } from 'react-dom/server';
import { inject } from 'vitest';
import { HostApp, type HostOptions, testServiceOf } from './page/host-app';

/** The nonce of pages with a policy. */
export const NONCE = 'c2VjcmV0';
const POLICY = `style-src 'self' 'nonce-${NONCE}'`;

/** The page itself: names of its modules begin as its path does. */
const isHost = ({ pathname }: URL) => pathname === '/host';

export interface HostPage {
  /** Renders the app into the page first, as a server does. */
  server?: boolean;
  /** Serves the page with a policy that blocks inline styles. */
  policy?: boolean;
  /** Of the address, with its question mark. */
  query?: string;
  /** Selector of what the page waits for. Default: anything of the SDK. */
  wait?: string;
  /** Leaves the script out: what people see before it has come. */
  script?: boolean;
}

/** Opens a host's page. Violations of its policy stand in `window.violations`. */
export async function openHost(
  page: Page,
  options: HostOptions,
  { server, policy, script = true, wait = '.svc-screen', query = '' }: HostPage = {},
) {
  const app = createElement(HostApp, { options, service: testServiceOf(options) });
  const data = JSON.stringify(options).replace(/</g, '\\u003c');
  const body = `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>Host</title>
<style nonce="${NONCE}">html,body,#root{margin:0;height:100%}</style>
<script>window.violations=[];addEventListener('securitypolicyviolation',(event)=>violations.push(event.violatedDirective+' '+event.sourceFile+' '+event.sample))</script>
</head><body><div id="root">${server ? renderToString(app) : ''}</div>
<script type="application/json" id="options">${data}</script>
${script ? '<script type="module" src="/hydrate.js"></script>' : ''}</body></html>`;
  const url = new URL('/host', inject('pageUrl')).href;
  await page.unroute(isHost);
  await page.route(isHost, (route) =>
    route.fulfill({
      contentType: 'text/html',
      body,
      headers: policy ? { 'content-security-policy': POLICY } : {},
    }),
  );
  await page.goto(url + query);
  await page.waitForSelector(wait);
}
