import * as v from 'valibot';

/** The last five are those of RFC 6749 §4.1.2.1 and RFC 8707 §2. */
const problems = [
  'client',
  'address',
  'invalid_request',
  'unsupported_response_type',
  'invalid_target',
  'invalid_scope',
  'server_error',
] as const;

export type ConnectProblem = (typeof problems)[number];

export const connectSearch = v.object({
  /** What the program asks for, as the server sealed it. */
  request: v.optional(v.fallback(v.string(), ''), ''),
  /** Why the server did not take what the program asked for. */
  problem: v.optional(v.fallback(v.optional(v.picklist(problems)), undefined)),
});
