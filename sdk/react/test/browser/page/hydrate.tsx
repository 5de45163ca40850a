import { StrictMode } from 'react';
import { createRoot, hydrateRoot } from 'react-dom/client';
import { HostApp, type HostOptions, testServiceOf } from './host-app';

// The page of a host: what a server rendered stands in #root, and what it was rendered from in #options.
const options = JSON.parse(document.getElementById('options')?.textContent ?? '{}') as HostOptions;
const root = document.getElementById('root') as HTMLElement;
const service = testServiceOf(options);
window.host = { results: [], reports: [], calls: [] };
window.service = service;
const app = (
  <StrictMode>
    <HostApp options={options} service={service} />
  </StrictMode>
);
const start = performance.now();
new MutationObserver((_, observer) => {
  if (!document.querySelector('[data-screen]')) return;
  observer.disconnect();
  // The frame that has the screen is on its way to the display once the next one begins.
  requestAnimationFrame(() =>
    requestAnimationFrame(() => {
      window.firstFlowMs = performance.now() - start;
    }),
  );
}).observe(document.body, { childList: true, subtree: true });
if (root.hasChildNodes()) hydrateRoot(root, app, { onRecoverableError: (error) => console.error(String(error)) });
else createRoot(root).render(app);
