import { readablePath } from './readable-path';

/** Longest event name in UTF-16 code units. */
export const MAX_EVENT_NAME_LENGTH = 120;
/** Longest page or screen name in UTF-16 code units; longer ones are clipped. */
export const MAX_VIEW_NAME_LENGTH = 200;
/** Largest properties in UTF-16 code units of their JSON; larger ones are left out and the event is kept. */
export const MAX_PROPERTIES_LENGTH = 32_768;
/** Deepest nesting of properties that the service keeps. */
export const MAX_PROPERTIES_DEPTH = 8;

export type EventProperties = Record<string, unknown>;

function hasControlCharacter(text: string): boolean {
  for (let i = 0; i < text.length; i += 1) {
    const unit = text.charCodeAt(i);
    if (unit < 0x20 || (unit >= 0x7f && unit < 0xa0)) return true;
  }
  return false;
}

/** The trimmed name; null when it is blank, too long or has control characters. */
export function cleanEventName(name: unknown): string | null {
  if (typeof name !== 'string') return null;
  const trimmed = name.trim();
  const usable = trimmed !== '' && trimmed.length <= MAX_EVENT_NAME_LENGTH && !hasControlCharacter(trimmed);
  return usable ? trimmed : null;
}

/** The trimmed, readable and clipped name of a page or screen; null when it is blank. */
export function cleanViewName(name: unknown): string | null {
  if (typeof name !== 'string') return null;
  const trimmed = name.trim();
  return trimmed === '' ? null : readablePath(trimmed, MAX_VIEW_NAME_LENGTH);
}

function depth(value: unknown): number {
  if (value === null || typeof value !== 'object') return 0;
  return 1 + Math.max(0, ...Object.values(value).map(depth));
}

/** Length of a value's JSON in UTF-16 code units; null when it has none (cycles, big integers, functions). */
export function jsonLength(value: unknown): number | null {
  try {
    return JSON.stringify(value)?.length ?? null;
  } catch {
    return null;
  }
}

/** The properties as they may be sent, or why they are left out. */
export function cleanProperties(properties: unknown): { properties?: EventProperties; problem?: string } {
  if (properties === undefined || properties === null) return {};
  if (typeof properties !== 'object' || Array.isArray(properties)) return { problem: 'properties must be an object' };
  const length = jsonLength(properties);
  if (length === null) return { problem: 'properties cannot be written as JSON' };
  if (length > MAX_PROPERTIES_LENGTH)
    return { problem: `properties have ${length} characters, at most ${MAX_PROPERTIES_LENGTH} are kept` };
  if (depth(properties) > MAX_PROPERTIES_DEPTH)
    return { problem: `properties are nested deeper than ${MAX_PROPERTIES_DEPTH}` };
  return { properties: properties as EventProperties };
}
