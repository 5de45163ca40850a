import type { Platform } from '../host/platform';

type Call = 'logEvent' | 'track';

/** Names that are remembered; apps have far fewer. */
const MAX_NAMES = 500;

/** Warns developers who record one name by both calls: only one of them is what they are looking for. */
export class EventNames {
  private readonly calls = new Map<string, Call | 'both'>();

  constructor(private readonly platform: Pick<Platform, 'console' | 'developmentBuild'>) {}

  note(name: string, call: Call): void {
    if (!this.platform.developmentBuild || this.calls.size >= MAX_NAMES) return;
    const before = this.calls.get(name);
    if (before === undefined) this.calls.set(name, call);
    if (before === undefined || before === call || before === 'both') return;
    this.calls.set(name, 'both');
    this.platform.console.warn(`[svc] "${name}" is recorded by logEvent (reports) and by track`);
  }
}
