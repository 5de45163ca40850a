import type { NodeId } from '../../document/operation';
import type { Around, Drawn, Edges } from './fits';

/** Words of a layer as they are drawn. */
export type Read = Drawn & { layer: NodeId; said: string };

/** Reads all words of a screen that are seen, as the renderer has drawn them: text, and what fields say while they are
 * empty. */
export function readWords(screen: HTMLElement): Read[] {
  const view = screen.ownerDocument.defaultView!;
  const out: Read[] = [];
  const walker = screen.ownerDocument.createTreeWalker(screen, NodeFilter.SHOW_TEXT);
  for (let node = walker.nextNode() as Text | null; node; node = walker.nextNode() as Text | null) {
    const element = node.parentElement!;
    if (!node.data.trim() || element.closest('style, script, select, svg, .svc-hidden')) continue;
    const read = readText(node, element, screen, view);
    if (read) out.push(read);
  }
  for (const input of screen.querySelectorAll<HTMLInputElement>('input[placeholder]')) {
    const read = readPlaceholder(input, screen, view);
    if (read) out.push(read);
  }
  return out;
}

function readText(node: Text, element: HTMLElement, screen: HTMLElement, view: Window): Read | undefined {
  const layer = element.closest<HTMLElement>('[data-layer]')?.dataset.layer;
  const style = view.getComputedStyle(element);
  if (!layer || style.visibility === 'hidden') return undefined;
  // Word by word: the space at the end of a line hangs over its edge, and is not seen.
  const range = node.ownerDocument.createRange();
  const rects = [...node.data.matchAll(/\S+/g)].flatMap(({ 0: word, index }) => {
    range.setStart(node, index);
    range.setEnd(node, index + word.length);
    return [...range.getClientRects()].filter(({ width }) => width > 0);
  });
  if (rects.length === 0) return undefined;
  const lines = linesOf(rects);
  const [box, isBlock] = [element.getBoundingClientRect(), style.display !== 'inline'];
  // Letters are higher than their lines where those are close: what counts is the lines.
  const height = (number(style.lineHeight) || 1.2 * number(style.fontSize)) * lines;
  const padding = number(style.paddingTop) + number(style.borderTopWidth);
  const top = isBlock ? box.top + padding : Math.min(...rects.map((rect) => rect.top));
  const words: Edges = {
    left: Math.min(...rects.map(({ left }) => left)),
    right: Math.max(...rects.map(({ right }) => right)),
    top,
    bottom: isBlock ? top + height : Math.max(...rects.map(({ bottom }) => bottom)),
  };
  const around = aroundOf(element, screen, view);
  if (!around) return undefined;
  return {
    layer,
    said: node.data.trim(),
    words,
    lines,
    around,
    inButton: element.closest('button, a') !== null,
    breaks: lines > 1 ? breaksIn(node) : [],
  };
}

function readPlaceholder(input: HTMLInputElement, screen: HTMLElement, view: Window): Read | undefined {
  const layer = input.closest<HTMLElement>('[data-layer]')?.dataset.layer;
  const around = aroundOf(input, screen, view);
  if (!layer || !around || input.value !== '' || input.placeholder.trim() === '') return undefined;
  const { left, top, right, bottom } = input.getBoundingClientRect();
  const style = view.getComputedStyle(input);
  const [before, after] = [style.paddingLeft, style.paddingRight].map(number) as [number, number];
  const width = widthOf(input.placeholder, style, input.ownerDocument);
  const words = { left: left + before, right: left + before + width, top, bottom };
  const field = { box: { left, top, right: right - after, bottom }, cutsX: true, cutsY: false, ...still };
  return { layer, said: input.placeholder, words, lines: 1, around: [field], inButton: false, breaks: [] };
}

const still = { scrollsX: false, scrollsY: false, free: false };

/** The boxes around words up to the screen; undefined where one of them is turned, whose edges are not those of its box. */
function aroundOf(element: HTMLElement, screen: HTMLElement, view: Window): Around[] | undefined {
  const out: Around[] = [];
  for (let at: HTMLElement | null = element; at; at = at === screen ? null : at.parentElement) {
    const style = view.getComputedStyle(at);
    if (isTurned(style)) return undefined;
    if (style.display === 'contents' || (style.display === 'inline' && at !== screen)) continue;
    const { left, top, right, bottom } = at.getBoundingClientRect();
    const [cutsX, cutsY] = [style.overflowX !== 'visible', style.overflowY !== 'visible'];
    const [scrollsX, scrollsY] = [/auto|scroll/.test(style.overflowX), /auto|scroll/.test(style.overflowY)];
    const free = style.position === 'absolute' || style.position === 'fixed';
    out.push({ box: { left, top, right, bottom }, cutsX, cutsY, scrollsX, scrollsY, free });
  }
  return out;
}

function isTurned({ transform, rotate }: CSSStyleDeclaration): boolean {
  const { b, c } = new DOMMatrixReadOnly(transform);
  return Math.abs(b) + Math.abs(c) > 0.001 || (rotate !== '' && number(rotate === 'none' ? '' : rotate) % 360 !== 0);
}

/** Lines by where they stand: parts of one line have one middle, whatever their direction. */
function linesOf(rects: readonly DOMRect[]): number {
  const middles = rects.map(({ top, height }) => top + height / 2).toSorted((a, b) => a - b);
  return middles.filter((middle, at) => at === 0 || middle - middles[at - 1]! > rects[0]!.height / 3).length;
}

/** What is longer is no word: that it is broken is read from its beginning. */
const longestWord = 200;

/** Words, by the spaces between them, that begin in one line and go on in another. */
function breaksIn(node: Text): [string, string][] {
  const range = node.ownerDocument.createRange();
  const topAt = (from: number, to: number) => {
    range.setStart(node, from);
    range.setEnd(node, to);
    return range.getBoundingClientRect();
  };
  const out: [string, string][] = [];
  for (const { 0: word, index } of node.data.matchAll(/\S+/g)) {
    const [first, whole] = [topAt(index, index + 1), topAt(index, index + word.length)];
    if (whole.height < first.height * 1.5) continue;
    let line = first;
    for (let at = 1; at < Math.min(word.length, longestWord); at++) {
      const next = topAt(index + at, index + at + 1);
      if (next.height === 0 || next.top - line.top < first.height / 2) continue;
      out.push([word.slice(0, at), word.slice(at)]);
      line = next;
    }
  }
  return out;
}

let context: CanvasRenderingContext2D | null | undefined;

function widthOf(
  words: string,
  { fontStyle, fontWeight, fontSize, fontFamily }: CSSStyleDeclaration,
  document: Document,
) {
  context ??= document.createElement('canvas').getContext('2d');
  if (!context) return 0;
  context.font = `${fontStyle} ${fontWeight} ${fontSize} ${fontFamily}`;
  return context.measureText(words).width;
}

const number = (css: string) => Number.parseFloat(css) || 0;
