import type { EventProperties } from './analytics/limits';
import type { FlowTerminalAnswerMap } from './flow/answers';
import type { SdkAttributeValue } from './flow/responses';

/**
 * The types of an app, which it declares in one place:
 *
 * ```ts
 * declare module '@svc/core' {
 *   interface SvcTypes {
 *     attributes: { plan: 'free' | 'pro'; seats?: number };
 *     customProperties: { firstName: string };
 *     answers: { goal: 'rest' | 'focus'; seats: number };
 *     events: { plan_opened: { plan: 'free' | 'pro' }; signed_out: undefined };
 *   }
 * }
 * ```
 *
 * From there on `sdkAttributes` and `customProperties` of the config, `answers` of a run's snapshot, and names and
 * properties of `logEvent` and `track` are held to it. `undefined` is for events without properties.
 */
// biome-ignore lint/suspicious/noEmptyInterface: apps add to it
export interface SvcTypes {}

type Registered<Key extends string, Otherwise> = SvcTypes extends Record<Key, infer Declared> ? Declared : Otherwise;

/** Values that decisions and conditional layers may read. */
export type AppAttributes = Registered<'attributes', Record<string, SdkAttributeValue>>;

/** Values for `{{ custom.key }}` in texts. */
export type AppCustomProperties = Registered<'customProperties', Record<string, string | number | boolean>>;

/** Answers of a run by field key. What a person was not asked is absent, what they skipped is null. */
export type AppAnswers =
  SvcTypes extends Record<'answers', infer Declared>
    ? { readonly [Key in keyof Declared]?: Declared[Key] | null }
    : FlowTerminalAnswerMap;

/** Events of `logEvent` and `track` by their names. */
export type AppEvents = Registered<'events', Record<string, EventProperties | undefined>>;

/** Names of {@link AppEvents}. */
export type AppEventName = keyof AppEvents & string;

/** What follows the name of an event: its properties, which may be left out unless some are required. */
export type AppEventArguments<Name extends AppEventName> =
  Record<never, never> extends AppEvents[Name]
    ? [properties?: AppEvents[Name]]
    : undefined extends AppEvents[Name]
      ? [properties?: AppEvents[Name]]
      : [properties: AppEvents[Name]];
