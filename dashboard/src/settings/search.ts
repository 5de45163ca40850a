import * as v from 'valibot';

export const tabs = [
  'keys',
  'people',
  'notifications',
  'reports',
  'plan',
  'money',
  'data',
  'import',
  'export',
  'sql',
  'history',
] as const;

export const settingsSearch = v.object({
  /** The part that is open; the keys unless it says another. */
  tab: v.optional(v.fallback(v.optional(v.picklist(tabs)), undefined)),
  /** Whose rows of the history are shown, and of what. */
  who: v.optional(v.fallback(v.optional(v.pipe(v.string(), v.maxLength(64))), undefined)),
  what: v.optional(v.fallback(v.optional(v.pipe(v.string(), v.maxLength(64))), undefined)),
});
