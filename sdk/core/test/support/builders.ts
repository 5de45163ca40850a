import type { DecisionNode, ExternalSurfaceNode, FlowManifest, FlowTarget, Layer, Screen } from '../../src/index';

/** A screen whose body holds these layers. */
export function screen(id: string, layers: Layer[], next: FlowTarget = null): Screen {
  const body = { id: `lyr_${id}_body`, kind: 'stack' as const, direction: 'vertical' as const, children: layers };
  return { id, name: id, regions: { body }, next: { default: next } };
}

export function manifest(parts: {
  screens: Screen[];
  entry?: string | null;
  decisions?: DecisionNode[];
  surfaces?: ExternalSurfaceNode[];
  locales?: string[];
}): FlowManifest {
  return {
    flowId: 'a0000000-0000-4000-8000-0000000000ff',
    schemaVersion: 7,
    version: 1,
    defaultLocale: 'en',
    locales: parts.locales ?? ['en'],
    entryScreenId: parts.entry === undefined ? (parts.screens[0]?.id ?? null) : parts.entry,
    screens: parts.screens,
    decisionNodes: parts.decisions ?? [],
    externalSurfaceNodes: parts.surfaces ?? [],
  };
}

export function text(id: string, value: string): Layer {
  return { id, kind: 'text', text: { default: value } };
}

export function button(id: string, action: Extract<Layer, { kind: 'button' }>['action']): Layer {
  return { id, kind: 'button', variant: 'primary', action, children: [] };
}

export function textInput(fieldKey: string, extra: Partial<Extract<Layer, { kind: 'text_input' }>> = {}): Layer {
  return { id: `lyr_${fieldKey}`, kind: 'text_input', fieldKey, classification: 'safe', ...extra };
}

export function checkbox(fieldKey: string, blocking = false): Layer {
  return { id: `lyr_${fieldKey}`, kind: 'checkbox', fieldKey, blocking };
}
