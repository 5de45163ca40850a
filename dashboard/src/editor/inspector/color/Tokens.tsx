import { type ColorToken, tokensOf } from '../../color';
import { useEditing, useEditorValue } from '../../useEditor';
import styles from './Color.module.css';

type Props = { color: string; gradients: boolean; change: (color: string) => void };

/** The colors that have names: those of the theme, then those of the branding. */
export function Tokens({ color, gradients, change }: Props) {
  const { library } = useEditing();
  const theme = useEditorValue(({ document }) => document.flow.theme);
  const { named, brand } = tokensOf(theme, library.branding, gradients);
  const button = ({ value, name, css }: ColorToken, short = false) => (
    <button
      key={name + value}
      type="button"
      aria-pressed={color === value}
      aria-label={short ? name : undefined}
      title={short ? name : undefined}
      onClick={() => change(value)}
    >
      <span className={styles.dot} style={{ background: css }} />
      {!short && name}
    </button>
  );
  return (
    <>
      {named.length > 0 && <span className={styles.tokens}>{named.map((one) => button(one))}</span>}
      {brand.length > 0 && (
        <fieldset className={styles.brand} aria-label="Branding">
          {brand.map((one) => button(one, true))}
        </fieldset>
      )}
    </>
  );
}
