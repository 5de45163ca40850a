import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { App } from './app';
import { loadService } from './service';
import './style.css';

const root = createRoot(document.getElementById('root') as HTMLElement);
const service = await loadService();
root.render(
  <StrictMode>
    {service ? (
      <App service={service} />
    ) : (
      <p className="hint">
        No local service: start one with <code>svc dev</code>, then reload this page.
      </p>
    )}
  </StrictMode>,
);
