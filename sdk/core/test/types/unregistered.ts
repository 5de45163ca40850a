// Compiled, never run: without declared types everything that the service takes is allowed.
import type { AppEventArguments, AppEventName, FlowTerminalSnapshot, SvcConfig } from '../../src/index';

const publishableKey = 'ob_pk_test_k';
export const anything: SvcConfig = {
  publishableKey,
  sdkAttributes: { plan: 'gold', seats: 3, beta: true },
  customProperties: { firstName: 'Ada', visits: 3 },
};
// @ts-expect-error decisions read plain values only
export const nested: SvcConfig = { publishableKey, sdkAttributes: { plan: { name: 'gold' } } };

export function read({ answers }: FlowTerminalSnapshot): unknown {
  return [answers.goal, answers['permission:notifications']];
}

declare function log<Name extends AppEventName>(name: Name, ...rest: AppEventArguments<Name>): void;

export function record(): void {
  log('anything');
  log('anything', { plan: 'gold', tags: ['a'] });
  // @ts-expect-error a name is a text
  log(7);
}
