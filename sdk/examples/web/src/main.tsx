import service from 'virtual:svc-dev';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { App } from './app';

const root = createRoot(document.getElementById('root') as HTMLElement);
root.render(
  <StrictMode>
    {service ? (
      <App service={service} />
    ) : (
      <p className="hint">
        No local service: start one with <code>svc dev</code>, then restart this server.
      </p>
    )}
  </StrictMode>,
);
