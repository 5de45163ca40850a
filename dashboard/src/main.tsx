import './app/theme/tokens.css'; // first: it orders the layers
import '@mantine/core/styles.layer.css';
import './app/theme/mantine.css';
import { DirectionProvider, MantineProvider } from '@mantine/core';
import { QueryClientProvider } from '@tanstack/react-query';
import { RouterProvider } from '@tanstack/react-router';
import { setNonce } from 'get-nonce';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { router } from './app/router';
import { theme } from './app/theme/theme';
import { queryClient } from './graphql/query';
import { embed } from './share/link';

// The content policy allows styles of this page only: those that libraries add carry its nonce.
const nonce = document.querySelector<HTMLMetaElement>('meta[name=csp-nonce]')?.content ?? '';
if (nonce) setNonce(nonce);

createRoot(document.getElementById('root')!).render(
  <StrictMode>
    <DirectionProvider>
      <MantineProvider
        theme={theme}
        defaultColorScheme="auto"
        forceColorScheme={embed.theme}
        getStyleNonce={() => nonce}
      >
        <QueryClientProvider client={queryClient}>
          <RouterProvider router={router} />
        </QueryClientProvider>
      </MantineProvider>
    </DirectionProvider>
  </StrictMode>,
);
