import { find } from '../../document/canonical';
import type { Json, JsonObject } from '../../document/operation';
import { useEditing } from '../../useEditor';
import styles from './MediaInput.module.css';

type Type = 'IMAGE' | 'LOTTIE' | 'VIDEO';

type Props = {
  id: string;
  label: string;
  value: Json | undefined;
  /** The layer or the background that shows it. */
  shows: JsonObject;
  change: (value: Json) => void;
};

const types: Record<string, Type> = { lottie: 'LOTTIE', video: 'VIDEO' };
const words: Record<Type, string> = { IMAGE: 'image', LOTTIE: 'animation', VIDEO: 'video' };

/** A file of the library: how it looks, and another one in its place. */
export function MediaInput({ id, label, value, shows, change }: Props) {
  const { library } = useEditing();
  const type = types[String(shows.kind)] ?? 'IMAGE';
  const asset = find(value, ['mediaAssetId']);
  const path = typeof asset === 'string' ? library.paths[asset.toLowerCase()] : undefined;
  const says = asset === undefined ? `Choose an ${words[type]}`.replace('an video', 'a video') : 'Replace';
  return (
    <button
      id={id}
      type="button"
      className={styles.media}
      aria-label={`${label}: ${says.toLowerCase()}`}
      onClick={() => library.choose(type, (mediaAssetId) => change({ mediaAssetId }))}
    >
      {asset !== undefined && (
        <span className={styles.picture}>
          {path === undefined ? (
            'Not in the library'
          ) : type === 'IMAGE' ? (
            <img src={path} alt="" />
          ) : type === 'VIDEO' ? (
            <video src={path} preload="metadata" muted />
          ) : (
            'Lottie animation'
          )}
        </span>
      )}
      <span className={styles.act}>{says}…</span>
    </button>
  );
}
