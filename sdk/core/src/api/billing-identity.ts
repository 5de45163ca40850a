import type { SdkLogger } from '../host/log';
import type { Platform } from '../host/platform';
import { type ApiConnection, apiError, send } from './http';

/** Links a person to an id of a billing provider. A failure is logged, never thrown. */
export function sendBillingIdentity(
  platform: Platform,
  connection: ApiConnection,
  link: { appUserId: string; provider: 'revenuecat' | 'superwall'; externalId: string },
  logger: SdkLogger,
): void {
  send(platform, connection, { path: '/v1/sdk/billing-identities', body: JSON.stringify(link) })
    .then((response) => {
      if (response.status >= 300) logger.warn('billing identity was refused', apiError(response).message);
    })
    .catch((error: unknown) => logger.warn('billing identity could not be sent', error));
}
