/** What the page knows of the local service. */
export interface DevService {
  baseUrl: string;
  /** Name of the app. */
  app: string;
  publishableKey: string;
  channels: { id: string; name: string; state: 'pinned' | 'experiment' | 'unassigned' | 'archived' }[];
}

/** Asks whoever serves the page: `svc dev`, or Vite, which reads `dev.json`. Null when no service runs. */
export async function loadService(): Promise<DevService | null> {
  const response = await fetch(`${import.meta.env.BASE_URL}service.json`, { cache: 'no-store' });
  return response.ok ? ((await response.json()) as DevService) : null;
}
