/** Gives every rule of the page's styles for what is pressed or has the focus a twin for what is marked as such: a
 * script can't press. What is drawn so is what ships, whatever the renderer's styles say. */
export function looksIn(sheets: Iterable<CSSStyleSheet>): string {
  return [...sheets].flatMap((sheet) => [...sheet.cssRules].map(twin)).join('\n');
}

const pseudo = /:(active|focus-visible|focus)(?![-\w])/g;

function twin(rule: CSSRule): string {
  if ('selectorText' in rule) {
    const { selectorText, style } = rule as CSSStyleRule;
    const marked = selectorText
      .split(/,(?![^(]*\))/)
      .flatMap((one) =>
        one.search(pseudo) < 0 ? [] : [one.replace(pseudo, (_, name) => marks[name as keyof typeof marks])],
      );
    return marked.length > 0 ? `${marked.join()}{${style.cssText}}` : '';
  }
  if (!('conditionText' in rule)) return '';
  const inside = [...(rule as CSSMediaRule).cssRules].map(twin).join('');
  return inside === '' ? '' : `@media ${(rule as CSSMediaRule).conditionText}{${inside}}`;
}

const marks = {
  active: '[data-forced=pressed]',
  focus: '[data-forced=focused]',
  'focus-visible': '[data-forced=focused]',
};

let added: HTMLStyleElement | undefined;

/** Marks the element that a layer is pressed at, or that has its focus; takes the mark off any other. */
export function mark(document: Document, layer: string | undefined, look: 'pressed' | 'focused' | null) {
  for (const element of document.querySelectorAll('[data-forced]')) element.removeAttribute('data-forced');
  if (layer === undefined || !look) return;
  added?.remove();
  const style = document.createElement('style');
  style.textContent = looksIn(document.styleSheets);
  document.head.append(style);
  added = style;
  const element = document.querySelector(`[data-layer="${CSS.escape(layer)}"]`);
  const at = element?.closest('.svc-press') ?? element?.querySelector('.svc-field, input, button') ?? element;
  at?.setAttribute('data-forced', look);
}
