/** What the page knows of the local service. */
export interface DevService {
  baseUrl: string;
  /** Name of the app. */
  app: string;
  publishableKey: string;
  channels: { id: string; name: string; state: 'pinned' | 'experiment' | 'unassigned' | 'archived' }[];
}
