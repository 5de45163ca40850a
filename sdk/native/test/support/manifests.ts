import type { FlowManifest, FlowTarget, Layer, Screen, StackLayer } from '@svc/core';

/** A screen whose body holds these layers. */
export function screen(
  id: string,
  children: Layer[],
  extra: Partial<Screen> & { body?: Partial<StackLayer> } = {},
): Screen {
  const { body, ...rest } = extra;
  const root: StackLayer = { id: `lyr_${id}_body`, kind: 'stack', direction: 'vertical', children, ...body };
  return { id, name: id, regions: { body: root }, next: { default: null }, ...rest };
}

export function manifest(screens: Screen[], extra: Partial<FlowManifest> = {}): FlowManifest {
  return {
    flowId: 'a0000000-0000-4000-8000-0000000000ff',
    schemaVersion: 7,
    version: 1,
    defaultLocale: 'en',
    locales: ['en'],
    entryScreenId: screens[0]?.id ?? null,
    screens,
    ...extra,
  };
}

export function text(id: string, words: string, style?: Extract<Layer, { kind: 'text' }>['style']): Layer {
  return { id, kind: 'text', text: { default: words }, ...(style ? { style } : {}) };
}

export function button(id: string, action: Extract<Layer, { kind: 'button' }>['action'], words = id): Layer {
  return { id, kind: 'button', variant: 'primary', action, children: [text(`${id}_t`, words)] };
}

/** A screen that ends the flow wherever it leads. */
export function lastScreen(id: string, next: FlowTarget = null): Screen {
  return screen(id, [text(`lyr_${id}_t`, `at ${id}`)], { next: { default: next } });
}
