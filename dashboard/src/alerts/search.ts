import * as v from 'valibot';

export const alertsSearch = v.object({
  /** The alert that is shown. */
  alert: v.optional(v.fallback(v.optional(v.pipe(v.string(), v.maxLength(36))), undefined)),
});
