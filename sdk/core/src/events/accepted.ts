/** The service's answer to a batch (wire.md §11). */
export interface Accepted {
  accepted: true;
  rejected?: unknown;
  ignored?: unknown;
}

/** Whether an answer is the service's own; proxies and networks that want a sign-in answer 200 as well. */
export function isAccepted(body: unknown): body is Accepted {
  return typeof body === 'object' && body !== null && (body as { accepted?: unknown }).accepted === true;
}
