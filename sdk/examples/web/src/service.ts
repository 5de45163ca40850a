/** What the page knows of the local service. */
export interface DevService {
  baseUrl: string;
  /** Name of the app. */
  app: string;
  publishableKey: string;
  channels: { id: string; name: string; state: 'pinned' | 'experiment' | 'unassigned' | 'archived' }[];
  /** Stands in for a payment page; absent when `svc dev` serves no example. */
  checkoutUrl?: string;
}

/** Asks whoever serves the page: `svc dev`, or Vite, which reads `dev.json`. Null when no service runs. */
export async function loadService(): Promise<DevService | null> {
  const response = await fetch(`${import.meta.env.BASE_URL}service.json`, { cache: 'no-store' });
  return response.ok ? ((await response.json()) as DevService) : null;
}

/** Where a payment link of the demo is really paid: at the service, which confirms the purchase itself. */
export function checkoutOf(service: DevService, link: string, locale: string): string {
  if (!service.checkoutUrl) return link;
  const checkout = new URL(service.checkoutUrl);
  const { searchParams } = new URL(link);
  checkout.search = new URLSearchParams({
    client_reference_id: searchParams.get('client_reference_id') ?? '',
    return: window.location.href,
    locale,
  }).toString();
  return checkout.href;
}
