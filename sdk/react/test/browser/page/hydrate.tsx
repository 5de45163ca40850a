import { StrictMode } from 'react';
import { createRoot, hydrateRoot } from 'react-dom/client';
import { HostApp, type HostOptions, testServiceOf } from './host-app';

// The page of a host: what a server rendered stands in #root, and what it was rendered from in #options.
const options = JSON.parse(document.getElementById('options')?.textContent ?? '{}') as HostOptions;
const root = document.getElementById('root') as HTMLElement;
const service = testServiceOf(options);
const app = (
  <StrictMode>
    <HostApp options={options} service={service} />
  </StrictMode>
);
Object.assign(window, { service });
if (root.hasChildNodes()) hydrateRoot(root, app, { onRecoverableError: (error) => console.error(String(error)) });
else createRoot(root).render(app);
