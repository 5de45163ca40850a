import { describe, expect, it } from 'vitest';
import { CheckoutAttempts } from '../../src/api/checkout';
import { CHANNEL, createClient } from '../support/client';

describe('payments by link', () => {
  const checkoutOf = ({ client, platform }: Pick<ReturnType<typeof createClient>, 'client' | 'platform'>) =>
    new CheckoutAttempts(platform, client.connection);
  const attempt = (statuses: string[]) =>
    createClient({
      respond: (request) => {
        if (request.url.endsWith('/cancel')) return { status: 200, body: { attemptId: 'a', status: 'cancelled' } };
        if (request.init.method === 'POST') return { status: 200, body: { attemptId: 'a', expiresAt: 'T' } };
        return { status: 200, body: { attemptId: 'a', status: statuses.shift() ?? 'pending' } };
      },
    });

  it.each([
    [['pending', 'confirmed'], 'purchase_completed', 2],
    [['expired'], 'purchase_cancelled', 1],
    [[], 'purchase_completed', 11],
  ])('a success return with %j is %s', async (statuses, outcome, asked) => {
    const { client, platform } = attempt([...statuses]);
    const pending = checkoutOf({ client, platform }).outcomeOfSuccessReturn(CHANNEL, 'a');
    await platform.clock.advance(20_000);
    expect(await pending).toBe(outcome);
    expect(platform.requests).toHaveLength(asked);
    expect(platform.requests.every((request) => !request.url.endsWith('/cancel'))).toBe(true);
  });

  it('a plain return cancels what is pending', async () => {
    const { client, platform } = attempt(['pending']);
    expect(await checkoutOf({ client, platform }).outcomeOfPlainReturn(CHANNEL, 'a')).toBe('purchase_cancelled');
    expect(platform.requests[1]?.url).toMatch(/checkout-attempts\/a\/cancel$/);
    expect(platform.requests[1]?.init.headers['x-svc-channel']).toBe(CHANNEL);
    expect(await checkoutOf(attempt(['confirmed'])).outcomeOfPlainReturn(CHANNEL, 'a')).toBe('purchase_completed');
    const broken = createClient({ respond: () => ({ status: 500 }) });
    expect(await checkoutOf(broken).outcomeOfPlainReturn(CHANNEL, 'a')).toBe('failed');
  });
});
