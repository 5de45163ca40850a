import type { FunnelNextKind } from '../../graphql/schema.gen';

/** A step by its name; one of a condition that nobody named, by its place. */
export const stepName = ({ name }: { name: string }, place: number): string => name || `Step ${place + 1}`;

const kinds: Record<FunnelNextKind, string> = { PAGE_VIEW: 'Viewed', SCREEN_VIEW: 'Viewed', EVENT: '' };

export const nextName = ({ kind, name }: { kind: FunnelNextKind; name: string }): string =>
  `${kinds[kind]} ${name || '(none)'}`.trim();
