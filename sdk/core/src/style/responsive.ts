import type { BackgroundFill, Breakpoint, ContainerStyle, ContainerStyleBreakpoints } from '../manifest/types';

/** Widths in px from which a breakpoint holds, ascending (manifest.md §3.5). */
export const BREAKPOINT_MIN_WIDTHS: readonly (readonly [Breakpoint, number])[] = [
  ['sm', 640],
  ['md', 768],
  ['lg', 1024],
  ['xl', 1280],
  ['2xl', 1536],
];
/** Width in px that counts while the real one is unknown. */
export const FALLBACK_VIEWPORT_WIDTH = 390;

type Patches<T> = Partial<Record<Breakpoint, T>> | undefined;

/** Breakpoints that hold at this width in px, narrowest first. */
export function activeBreakpoints(width: number): Breakpoint[] {
  return BREAKPOINT_MIN_WIDTHS.filter(([, min]) => width >= min).map(([name]) => name);
}

function isPlainObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** A copy of `base` with the patch over it: objects merge, everything else replaces, undefined is ignored. */
export function mergeStyle<T extends object>(base: T | undefined, patch: Partial<T> | undefined): T {
  const merged: Record<string, unknown> = { ...(base as Record<string, unknown> | undefined) };
  for (const [key, value] of Object.entries(patch ?? {})) {
    if (value === undefined) continue;
    const old = merged[key];
    merged[key] = isPlainObject(old) && isPlainObject(value) ? mergeStyle(old, value) : value;
  }
  return merged as T;
}

/** The style that holds at this width: the base, then every active patch. */
export function responsiveStyle<T extends object>(base: T | undefined, patches: Patches<T>, width: number): T {
  if (!patches) return base ?? ({} as T);
  return activeBreakpoints(width).reduce<T>((style, name) => mergeStyle(style, patches[name]), base ?? ({} as T));
}

/**
 * A layer's layout fields (gap, direction, …) at this width. Only scalars, so patches simply replace.
 */
export function responsiveLayout<T extends object>(base: T, patches: Patches<Partial<T>>, width: number): T {
  let layout = base;
  for (const name of activeBreakpoints(width)) layout = { ...layout, ...defined(patches?.[name]) };
  return layout;
}

function defined<T extends object>(patch: T | undefined): Partial<T> {
  return Object.fromEntries(Object.entries(patch ?? {}).filter(([, value]) => value !== undefined)) as Partial<T>;
}

/** A screen's container at this width. Padding and margin are replaced whole; a fill patch needs a fill. */
export function responsiveContainer(
  base: ContainerStyle | undefined,
  patches: ContainerStyleBreakpoints | undefined,
  width: number,
): ContainerStyle {
  let container: ContainerStyle = { ...base };
  for (const name of activeBreakpoints(width)) {
    const { backgroundFillPatch, ...rest } = patches?.[name] ?? {};
    container = { ...container, ...defined(rest) };
    if (container.backgroundFill && backgroundFillPatch) {
      container.backgroundFill = mergeStyle<BackgroundFill>(
        container.backgroundFill,
        backgroundFillPatch as Partial<BackgroundFill>,
      );
    }
  }
  return container;
}
