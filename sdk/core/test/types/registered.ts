// Compiled, never run: an app that declares its types once is held to them everywhere.
import type { AppEventArguments, AppEventName, FlowTerminalSnapshot, SvcConfig } from '../../src/index';

declare module '../../src/types' {
  interface SvcTypes {
    attributes: { plan: 'free' | 'pro'; seats?: number };
    customProperties: { firstName: string };
    answers: { goal: 'rest' | 'focus'; seats: number };
    events: { plan_opened: { plan: 'free' | 'pro' }; searched: { term?: string }; signed_out: undefined };
  }
}

const publishableKey = 'ob_pk_test_k';
export const fine: SvcConfig = {
  publishableKey,
  sdkAttributes: { plan: 'pro', seats: 3 },
  customProperties: { firstName: 'Ada' },
};
// @ts-expect-error no such plan
export const plan: SvcConfig = { publishableKey, sdkAttributes: { plan: 'gold' } };
// @ts-expect-error the plan is missing
export const missing: SvcConfig = { publishableKey, sdkAttributes: { seats: 3 } };
// @ts-expect-error no such attribute
export const unknown: SvcConfig = { publishableKey, sdkAttributes: { plan: 'free', seat: 3 } };
// @ts-expect-error a name is a text
export const custom: SvcConfig = { publishableKey, customProperties: { firstName: 7 } };

export function read({ answers }: FlowTerminalSnapshot): void {
  const goal: 'rest' | 'focus' | null | undefined = answers.goal;
  const seats: number | null | undefined = answers.seats;
  // @ts-expect-error seats are a number
  const text: string | null | undefined = answers.seats;
  // @ts-expect-error nobody asks that
  const other = answers.colour;
  void [goal, seats, text, other];
}

declare function log<Name extends AppEventName>(name: Name, ...rest: AppEventArguments<Name>): void;

export function record(): void {
  log('plan_opened', { plan: 'pro' });
  log('searched');
  log('searched', { term: 'fern' });
  log('signed_out');
  // @ts-expect-error the plan is missing
  log('plan_opened');
  // @ts-expect-error no such plan
  log('plan_opened', { plan: 'gold' });
  // @ts-expect-error nobody declared it
  log('opened_plan');
  // @ts-expect-error it has no properties
  log('signed_out', { why: 'bored' });
}
