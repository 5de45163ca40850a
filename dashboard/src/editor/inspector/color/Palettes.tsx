import { colorOf, type Palette, palettes } from '../../color';
import { isObject } from '../../document/canonical';
import { nodeOf } from '../../document/document';
import type { Json, NodeId } from '../../document/operation';
import { useEditing, useEditorValue } from '../../useEditor';
import { type Behind, behind, painted } from './behind';
import styles from './Color.module.css';
import { ratioInWords, readable, worst } from './contrast';
import { hexOf, hsvOf, type Rgba } from './hsv';
import { type Needed, neededBy } from './needed';

type Props = {
  node: NodeId;
  path: readonly string[];
  value: Json | undefined;
  /** The palette whose color is chosen; where both have the same it is both. */
  side: Palette;
  choose: (side: Palette) => void;
  change: (color: string, side: Palette) => void;
};

type Seen = {
  side: Palette;
  needed: Needed | undefined;
  below: Behind | undefined;
  colors: Rgba[];
  ratio: number | undefined;
};

/** A color in light and dark mode, side by side: on what is behind it, with how well it is told from that. */
export function Palettes({ node, path, value, side, choose, change }: Props) {
  const seen = useSeen(node, path, value);
  const differs = isObject(value);
  const below = seen.find((one) => one.side === side)!;
  return (
    <>
      <div className={styles.palettes}>
        {seen.map(({ side: one, needed, below, colors, ratio }) => (
          <button
            key={one}
            type="button"
            disabled={!differs}
            aria-pressed={differs ? one === side : undefined}
            onClick={() => choose(one)}
          >
            <span style={{ background: cssOf(needed && below && 'colors' in below ? below.colors : colors) }}>
              {needed && colors[0] && <b style={{ color: hexOf(hsvOf(colors[0])) }}>Aa</b>}
            </span>
            {one === 'light' ? 'Light' : 'Dark'}
            {needed && ratio !== undefined && (
              <small data-low={ratio < needed.least || undefined}>
                {ratioInWords(ratio)} {ratio < needed.least ? 'below AA' : 'AA'}
              </small>
            )}
          </button>
        ))}
      </div>
      <Verdict {...below} use={(color) => change(color, side)} />
    </>
  );
}

/** The contrast ratio, what AA asks for, and the nearest color that reaches it. */
function Verdict({ needed, below, ratio, colors, use }: Seen & { use: (color: string) => void }) {
  if (!needed || !below || colors.length === 0) return null;
  if ('why' in below) return <p className={styles.verdict}>Contrast can’t be computed: {below.why}</p>;
  if (ratio === undefined) return null;
  const near =
    ratio < needed.least && colors.length === 1 ? readable(colors[0]!, below.colors, needed.least) : undefined;
  return (
    <p className={styles.verdict} data-low={ratio < needed.least || undefined}>
      Contrast {ratioInWords(ratio)} : 1{below.colors.length > 1 && ' at its worst'}. AA needs {needed.least} : 1{' '}
      {needed.as}.
      {near && (
        <button type="button" onClick={() => use(near)}>
          Use {near}
        </button>
      )}
    </p>
  );
}

function useSeen(id: NodeId, path: readonly string[], value: Json | undefined): Seen[] {
  const { library } = useEditing();
  const document = useEditorValue(({ document }) => document);
  const node = nodeOf(document, id);
  if (!node) return [];
  const needed = neededBy(node.kind, path, node.object);
  const chosen =
    path[0] === 'selectedStyle' && isObject(node.object.selectedStyle) ? node.object.selectedStyle : undefined;
  return palettes.map((side) => {
    const look = { palette: side, theme: document.flow.theme, branding: library.branding };
    const colors = painted(colorOf(value, side) || undefined, look) ?? [];
    const below = needed && behind(node, needed.own, look, chosen);
    const ratio = below && 'colors' in below && colors.length > 0 ? worst(colors, below.colors) : undefined;
    return { side, needed, below, colors, ratio };
  });
}

const cssOf = (colors: readonly Rgba[]) =>
  colors.length > 1
    ? `linear-gradient(90deg, ${colors.map((one) => hexOf(hsvOf(one))).join()})`
    : colors[0] && hexOf(hsvOf(colors[0]));
