import styles from './Media.module.css';
import type { Asset } from './queries';
import { useFont } from './useFont';

/** A file as it looks. */
export function Preview({ asset, plays = false }: { asset: Asset; plays?: boolean }) {
  const { type, path, contentType, name } = asset;
  switch (type) {
    case 'IMAGE':
      return <img src={path} alt={plays ? name : ''} loading="lazy" />;
    case 'VIDEO':
      // biome-ignore lint/a11y/useMediaCaption: a file of the library has no captions of its own
      return <video src={path} preload="metadata" controls={plays} aria-label={name} />;
    case 'FONT':
      return <Letters path={path} name={name} />;
    case 'LOTTIE':
      return <span>{contentType.includes('json') ? 'Lottie animation' : contentType}</span>;
  }
}

/** Words in a font of the library, once it is loaded. */
export function Letters({ path, name, text = 'Aa Bb 12' }: { path: string; name: string; text?: string }) {
  const family = useFont(path);
  return (
    <span className={styles.letters} style={family ? { fontFamily: family } : undefined} title={name}>
      {text}
    </span>
  );
}
