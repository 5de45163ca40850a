import styles from '../add/Add.module.css';
import { topOf } from '../document/components/differences';
import type { Found } from '../document/document';
import { childrenOf } from '../document/document';
import type { JsonObject } from '../document/operation';

type Bar = { x: number; y: number; width: number; height: number; tone?: 'strong' | 'field' };

/** The most that a picture of 48 × 36 shows of. */
const most = 5;

/** A small drawing of layers: what is below or beside what, text as lines, buttons strong, pictures as fields. */
export function Picture({ tree }: { tree: JsonObject }) {
  return (
    <svg className={styles.drawing} width={48} height={36} viewBox="0 0 48 36" aria-hidden="true">
      {barsOf(topOf(tree), { x: 6, y: 5, width: 36, height: 26 }).map(({ tone, ...bar }) => (
        <rect key={`${bar.x} ${bar.y} ${bar.width}`} {...bar} rx={Math.min(1.5, bar.height / 2)} data-tone={tone} />
      ))}
    </svg>
  );
}

function barsOf(node: Found, box: Bar): Bar[] {
  const inside = childrenOf(node).filter(({ slot }) => slot === 'children' || slot === 'slides');
  if (node.kind === 'button' || node.kind === 'back_button')
    return [
      {
        ...box,
        y: box.y + box.height / 2 - Math.min(box.height, 8) / 2,
        height: Math.min(box.height, 8),
        tone: 'strong',
      },
    ];
  if (/^(image|video|lottie|icon)$/.test(node.kind) || box.height < 4 || box.width < 4)
    return [{ ...box, tone: 'field' }];
  if (inside.length === 0) {
    const height = Math.min(box.height, 3);
    return [{ ...box, y: box.y + (box.height - height) / 2, height, width: box.width * 0.8 }];
  }
  const shown = inside.slice(0, most);
  const across = node.object.direction === 'horizontal' || node.kind === 'carousel';
  const [length, gap] = [across ? box.width : box.height, 2];
  const each = (length - gap * (shown.length - 1)) / shown.length;
  return shown.flatMap((child, at) => {
    const from = at * (each + gap);
    return barsOf(child, across ? { ...box, x: box.x + from, width: each } : { ...box, y: box.y + from, height: each });
  });
}
