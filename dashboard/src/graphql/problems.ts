import { shareToken } from '../share/link';

/** One thing that is wrong with a manifest or a definition. */
export type Finding = {
  severity: 'error' | 'warning';
  code: string;
  /** JSON pointer (RFC 6901) of the value. */
  pointer: string;
  message: string;
  /** How it is fixed, where the message does not say it. */
  hint?: string;
  stepId?: string;
  layerId?: string;
};

/** One error of an answer (docs/graphql.md, "Errors"). */
export type Problem = {
  code: string;
  message: string;
  /** Path of the field that failed, by dots. */
  path?: string;
  /** The input that is wrong. */
  field?: string;
  /** Seconds. */
  retryAfter?: number;
  requestId?: string;
  /** What is wrong with the document that was sent. */
  findings?: readonly Finding[];
};

/** The server answered, and did nothing of what was asked. */
export class Refused extends Error {
  constructor(readonly problems: readonly Problem[]) {
    super(problems.map(({ message }) => message).join('; ') || 'the server refused');
  }

  get code(): string {
    return this.problems[0]?.code ?? 'internal';
  }
}

/** What is wrong with the document that was sent, as the server refused it. */
export const findingsOf = (error: unknown): readonly Finding[] =>
  error instanceof Refused ? error.problems.flatMap(({ findings }) => findings ?? []) : [];

/** Whether nobody is signed in (any more). */
export const isSignedOut = (error: unknown): boolean => error instanceof Refused && error.code === 'unauthenticated';

/** Whether a server that has just started, or that is overrun, will answer what it could not. */
const passes = ({ code }: Problem): boolean => /(^|_)unavailable$/.test(code);

/** Whether a refusal is one of a server that will answer the same question later. */
export const willPass = ({ problems }: Refused): boolean => problems.some(passes);

/** How long to wait before a question that could not be answered is asked again, in milliseconds; undefined for what
 * stays as it is. The pause doubles with each time in a row, to a minute at most unless the server asks for more.
 * `jitter`, from 0 to 1, adds up to half of it, so that those who were refused together do not come back together. */
export function againAfter(problems: readonly Problem[], inRow = 1, jitter = 0): number | undefined {
  const passing = problems.filter(passes);
  if (passing.length === 0) return undefined;
  const pause = Math.min(40_000, 5_000 * 2 ** (inRow - 1)) * (1 + jitter / 2);
  return Math.max(pause, ...passing.map(({ retryAfter }) => 1000 * (retryAfter ?? 0)));
}

/** The problems at or below a path of the answer, and those above it, which took it with them. */
export function problemsAt(problems: readonly Problem[], path: string): readonly Problem[] {
  return problems.filter(
    (problem) => problem.path && (`${problem.path}.`.startsWith(`${path}.`) || path.startsWith(`${problem.path}.`)),
  );
}

/** What happened, and what to do, in words for the reader. */
export function explain(error: unknown): { title: string; detail: string } {
  if (error instanceof Refused) {
    const [problem] = error.problems;
    switch (problem?.code) {
      case 'forbidden':
        if (shareToken)
          return {
            title: 'Not shared',
            detail: 'This link does not show it, or needs its password again: reload the page.',
          };
        return {
          title: 'Not allowed',
          detail: 'Your role does not allow this. An administrator can change your role.',
        };
      case 'not_found':
        return { title: 'Not found', detail: 'It was removed, or the address is wrong.' };
      case 'product_analytics_unavailable':
      case 'unavailable':
        return { title: 'Reports cannot be answered now', detail: 'Nothing is lost. Try again in a moment.' };
      case 'rate_limited':
        return {
          title: 'Too many requests',
          detail: `Try again in ${problem.retryAfter ?? 60} seconds.`,
        };
      case 'sign_in_again':
        return { title: 'Sign in again', detail: 'Your last sign-in is more than 15 minutes ago.' };
      case 'internal':
        return {
          title: 'The server failed',
          detail: `See request ${problem.requestId ?? 'unknown'} in the server’s log.`,
        };
      default:
        return { title: 'This was refused', detail: sentence(error.message) };
    }
  }
  return { title: 'The server does not answer', detail: 'Nothing is lost. The page tries again by itself.' };
}

/** Messages of the server begin small and have no full stop, as errors do that are put together. Names stay as they are. */
const sentence = (message: string) =>
  `${message.replace(/^[a-z]+(?=[ ,])/, (word) => word.charAt(0).toUpperCase() + word.slice(1)).replace(/[.!?]$/, '')}.`;
