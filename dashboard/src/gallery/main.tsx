import '../app/theme/tokens.css'; // first: it orders the layers
import '@mantine/core/styles.layer.css';
import '../app/theme/mantine.css';
import { MantineProvider } from '@mantine/core';
import { createMemoryHistory, createRootRoute, createRouter, RouterProvider } from '@tanstack/react-router';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { theme } from '../app/theme/theme';
import { Gallery } from './Gallery';
import styles from './Gallery.module.css';

const scheme = new URLSearchParams(location.search).get('scheme');

/** Every component in the colors of both themes, side by side, or in those of one. Only `npm run dev` serves this page,
 * at /ui. */
function Page() {
  if (scheme !== 'light' && scheme !== 'dark') {
    return (
      <main className={styles.themes}>
        <iframe src="?scheme=light" title="Light" />
        <iframe src="?scheme=dark" title="Dark" />
      </main>
    );
  }
  return (
    <MantineProvider theme={theme} forceColorScheme={scheme}>
      <main className={styles.theme}>
        <h1>Components</h1>
        <Gallery />
      </main>
    </MantineProvider>
  );
}

const router = createRouter({
  routeTree: createRootRoute({ component: Page }),
  history: createMemoryHistory(),
});

createRoot(document.getElementById('root')!).render(
  <StrictMode>
    <RouterProvider router={router} />
  </StrictMode>,
);
