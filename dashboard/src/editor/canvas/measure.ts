import type { NodeId } from '../document/operation';
import type { Box, Point } from './board';
import type { Layout } from './handles';
import type { LayerBox } from './hit';

/** Reads boxes from the frame. It lies under the canvas, as large as that, so its pixels are the canvas's. */
export class Measure {
  constructor(private readonly frame: Document) {}

  private place(screen: NodeId): Element | null {
    return this.frame.querySelector(`[data-place="${CSS.escape(screen)}"]`);
  }

  /** The screen at a point. */
  screenAt(point: Point, screens: readonly NodeId[]): NodeId | undefined {
    return screens.find((id) => {
      const box = this.screen(id);
      return box && point.x >= box.x && point.x < box.x + box.width && point.y >= box.y && point.y < box.y + box.height;
    });
  }

  screen(id: NodeId): Box | undefined {
    return this.place(id)?.getBoundingClientRect();
  }

  /** Every layer of a screen, in the order of the document. */
  layers(screen: NodeId): LayerBox[] {
    return [...(this.place(screen)?.querySelectorAll<HTMLElement>('[data-layer]') ?? [])].flatMap((element) => {
      const { x, y, width, height } = element.getBoundingClientRect();
      return width > 0 || height > 0 ? [{ id: element.dataset.layer!, x, y, width, height }] : [];
    });
  }

  element(layer: NodeId): HTMLElement | undefined {
    return this.frame.querySelector<HTMLElement>(`[data-layer="${CSS.escape(layer)}"]`) ?? undefined;
  }

  /** A layer's box; that around what it shows when it has no element of its own, as conditionals. */
  layer(id: NodeId, inside: readonly NodeId[] = []): Box | undefined {
    for (const one of [id, ...inside]) {
      const box = this.element(one)?.getBoundingClientRect();
      if (box && (box.width > 0 || box.height > 0)) return box;
    }
    return undefined;
  }

  /** How a layer's element is laid out, in its own pixels. */
  layout(id: NodeId): Layout | undefined {
    const element = this.element(id);
    const style = element && this.frame.defaultView?.getComputedStyle(element);
    if (!style) return undefined;
    const pixels = (value: string) => Number.parseFloat(value) || 0;
    const padding = {
      t: pixels(style.paddingTop),
      r: pixels(style.paddingRight),
      b: pixels(style.paddingBottom),
      l: pixels(style.paddingLeft),
    };
    const scale = element.getBoundingClientRect().width / (element.offsetWidth || 1) || 1;
    const range = this.frame.createRange();
    range.selectNodeContents(element);
    const content = range.getBoundingClientRect();
    return {
      padding,
      radius: pixels(style.borderTopLeftRadius),
      hug: {
        width: content.width / scale + padding.l + padding.r,
        height: content.height / scale + padding.t + padding.b,
      },
      across: style.display === 'grid' || style.flexDirection.startsWith('row'),
      rightToLeft: style.direction === 'rtl',
    };
  }

  /** Scrolls what a point is over by some pixels of the canvas; false where there is nothing to scroll. */
  scroll(screen: NodeId, by: number): boolean {
    const body = this.place(screen)?.querySelector('.svc-body');
    if (!body) return false;
    const before = body.scrollTop;
    body.scrollTop += by;
    return body.scrollTop !== before;
  }
}
