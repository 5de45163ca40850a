import type { FlowText } from './texts';

/** Where a text stands, in words. */
export const placeOf = ({ screen, layer, part }: FlowText) => `${screen.name} › ${clip(layer)}${part && `: ${part}`}`;

/** The beginning of a long text. */
export function clip(text: string): string {
  const points = [...text.slice(0, 200)];
  return points.length <= 60 ? text : `${points.slice(0, 60).join('')}…`;
}
