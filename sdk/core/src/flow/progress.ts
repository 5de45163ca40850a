import type { CounterLayer, FlowManifest, LoaderLayer } from '../manifest/types';

/** Filled share of a progress layer, 0 to 1: the screen's place in the document, whatever the path was. */
export function flowProgress(manifest: FlowManifest, screenId: string | null): number {
  const { screens } = manifest;
  return (screens.findIndex(({ id }) => id === screenId) + 1) / screens.length || 0; // without screens it is NaN
}

/** Filled share of a loader, 0 to 1, this many milliseconds after its screen appeared. */
export function loaderProgress(layer: LoaderLayer, elapsedMs: number): number {
  const { fillDelayMs = 0, durationMs = 2000, targetPercent = 100 } = layer;
  const local = elapsedMs - fillDelayMs;
  if (local < 0) return 0;
  return (durationMs <= 0 ? 1 : Math.min(1, local / durationMs)) * (targetPercent / 100);
}

/** When a loader is done, in milliseconds after its screen appeared. */
export function loaderEndMs(layer: LoaderLayer): number {
  return (layer.fillDelayMs ?? 0) + (layer.durationMs ?? 2000);
}

/** How long a counter counts, in milliseconds, without its delay. */
export function counterDurationMs(layer: CounterLayer): number {
  if (layer.displayKind === 'time') return Math.round(Math.abs(layer.endValue - layer.startValue) * 1000);
  return layer.durationMs ?? 3000;
}

/** What a counter shows this many milliseconds after its screen appeared. */
export function counterText(layer: CounterLayer, elapsedMs: number): string {
  const { startValue, endValue, delayMs = 0 } = layer;
  const duration = counterDurationMs(layer);
  const local = elapsedMs - delayMs;
  const share = local < 0 ? 0 : duration <= 0 ? 1 : Math.min(1, local / duration);
  const value = share === 1 ? endValue : startValue + (endValue - startValue) * share;
  return layer.displayKind === 'time' ? timeText(value, layer.timeFormat) : numberText(value, layer.decimalPlaces ?? 0);
}

function numberText(value: number, places: number): string {
  const text = value.toFixed(places);
  const trimmed = places > 0 ? text.replace(/\.?0+$/, '') : text;
  return trimmed === '-0' ? '0' : trimmed;
}

const twoDigits = (n: number): string => String(n).padStart(2, '0');

function timeText(value: number, format: CounterLayer['timeFormat']): string {
  const total = Math.max(0, Math.floor(value));
  const seconds = twoDigits(total % 60);
  const minutes = Math.floor(total / 60);
  if (format !== 'hh_mm_ss' && format !== 'dd_hh_mm_ss') return `${minutes}:${seconds}`;
  const hours = Math.floor(minutes / 60);
  if (format === 'hh_mm_ss') return `${hours}:${twoDigits(minutes % 60)}:${seconds}`;
  return `${Math.floor(hours / 24)}:${twoDigits(hours % 24)}:${twoDigits(minutes % 60)}:${seconds}`;
}
