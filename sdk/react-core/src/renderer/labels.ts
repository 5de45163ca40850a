import type { Layer, LayerKind, Screen } from '@svc/core';
import { allScreenLayers, childLayers, firstText, localize, type TextLocale } from '@svc/core/internal';

/** The layer that holds another one, on this screen. */
function parentOf(screen: Screen, id: string): Layer | undefined {
  return allScreenLayers(screen).find((layer) => childLayers(layer).some((child) => child.id === id));
}

/** The text that stands nearest to a layer without words of its own: beside it, else further up. */
function nearbyText(screen: Screen, id: string, locale: TextLocale): string | undefined {
  let parent = parentOf(screen, id);
  while (parent) {
    const text = firstText(parent, locale);
    if (text) return text;
    parent = parentOf(screen, parent.id);
  }
  return undefined;
}

/** Inputs whose children are the control itself: options, steps and their signs name nothing. */
const OWN_CHILDREN: ReadonlySet<LayerKind> = new Set(['single_choice', 'multiple_choice', 'number_stepper']);

/**
 * Accessible name of an input: its placeholder, the text drawn above it, its name for authors, the text nearest to
 * it, and if all are missing the field key.
 */
export function inputLabel(
  screen: Screen,
  layer: Layer & { fieldKey: string; placeholder?: Parameters<typeof localize>[0] },
  locale: TextLocale,
): string {
  const above = OWN_CHILDREN.has(layer.kind) ? [] : childLayers(layer);
  for (const child of above) {
    const text = firstText(child, locale);
    if (text) return text;
  }
  const placeholder = layer.placeholder && localize(layer.placeholder, locale);
  return (
    placeholder || layer.name || nearbyText(screen, layer.id, locale) || screenHeading(screen, locale) || layer.fieldKey
  );
}

/** The first text of a screen. */
export function screenHeading(screen: Screen, locale: TextLocale): string | undefined {
  const text = allScreenLayers(screen).find((layer) => layer.kind === 'text');
  return text && firstText(text, locale);
}
