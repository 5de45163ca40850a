import type { Json, JsonObject } from './document/operation';
import { screensIn } from './screens';

/** Every step of the flow that something can lead to, by name. */
export function stepsIn(flow: JsonObject): { value: string; label: string }[] {
  const named = (steps: Json | undefined, kind: string) =>
    (Array.isArray(steps) ? steps : []).map((step) => {
      const { id, name } = step as { id: string; name?: string };
      return { value: id, label: name || kind };
    });
  return [
    ...named(screensIn(flow), 'Screen'),
    ...named(flow.decisionNodes, 'Decision'),
    ...named(flow.externalSurfaceNodes, 'Paywall'),
  ];
}
