import type { Making } from '../../document/commands/insert';
import type { Json, JsonObject } from '../../document/operation';

/** Layers of which blocks are made, each with an id of its own. Colors are those of the theme. */
export function layersFor(make: Making) {
  const layer = (kind: string, properties: JsonObject): JsonObject => ({ id: make.newId('lyr'), kind, ...properties });
  const wide = { width: 'full', height: 'auto' };
  /** As much above and below the words of what is tapped that it is 44 px high at least. */
  const tapped = (sides: number, ends = 14) => ({ t: ends, r: sides, b: ends, l: sides });

  const text = (words: string, style: JsonObject = {}) =>
    layer('text', { text: { default: words }, style: { ...wide, fontSize: 15, ...style } });
  const headline = (words: string, style: JsonObject = {}) =>
    text(words, { fontSize: 24, fontWeight: 700, lineHeight: 1.2, ...style });
  const small = (words: string, style: JsonObject = {}) => text(words, { fontSize: 13, opacity: 0.7, ...style });
  const icon = (iconName: string, size = 20, style: JsonObject = {}) =>
    layer('icon', { family: 'ionicons', iconName, style: { width: size, height: size, ...style } });
  const column = (children: readonly Json[], style: JsonObject = {}, more: JsonObject = {}) =>
    layer('stack', { direction: 'vertical', gap: 8, children, style: { ...wide, ...style }, ...more });
  const row = (children: readonly Json[], style: JsonObject = {}, more: JsonObject = {}) =>
    layer('stack', {
      ...{ direction: 'horizontal', gap: 12, align: 'center', children },
      style: { ...wide, ...style },
      ...more,
    });

  /** A surface a little darker than the screen, or lighter in the dark. */
  const surface = { background: make.color('foreground'), backgroundOpacity: 0.06, radius: 16 };
  const card = (children: readonly Json[], style: JsonObject = {}, more: JsonObject = {}) =>
    column(children, { ...surface, padding: { t: 16, r: 16, b: 16, l: 16 }, ...style }, more);
  /** A button in the theme's own color. */
  const primary = (words: string, action: JsonObject) =>
    layer('button', {
      ...{ variant: 'primary', action },
      style: { ...wide, background: make.color('primary'), radius: 14, padding: tapped(16, 16) },
      children: [text(words, { align: 'center', fontWeight: 600, color: make.color('primaryForeground') })],
    });
  const quiet = (words: string, action: JsonObject, style: JsonObject = {}) =>
    layer('button', {
      ...{ variant: 'ghost', action, style: { ...wide, padding: tapped(16), ...style } },
      children: [text(words, { align: 'center', width: 'auto' })],
    });
  /** An option of a question: a card that is outlined when it is chosen. */
  const option = (children: readonly Json[]) =>
    row(
      children,
      { ...surface, padding: { t: 14, r: 16, b: 14, l: 16 }, border: { width: 2, color: 'transparent' } },
      { selectedStyle: { border: { width: 2, color: make.color('primary') } } },
    );
  /** A word or two that stand out. */
  const badge = (words: string): JsonObject =>
    column(
      [text(words, { width: 'auto', fontSize: 11, fontWeight: 700, color: make.color('primaryForeground') })],
      { width: 'auto', background: make.color('primary'), radius: 10, padding: { t: 3, r: 8, b: 3, l: 8 } },
      { name: 'Badge' },
    );
  const choice = (kind: string, key: string, options: readonly JsonObject[]) =>
    layer(kind, {
      ...{ fieldKey: make.key(key), gap: 10, style: wide, branching: { enabled: false, conditions: [] } },
      optionBindings: options.map(({ id }, at) => ({ optionId: `option_${at + 1}`, rootLayerId: id! })),
      children: options,
    });
  /** Buys in the flow's paywall where it has one, else goes on. */
  const buy: JsonObject = make.paywall ? { kind: 'go_to_step', screenId: make.paywall } : { kind: 'continue' };

  return {
    ...{ layer, text, headline, small, icon, column, row, card, badge, primary, quiet, option, choice, buy },
    ...{ tapped, key: make.key, color: make.color },
  };
}
