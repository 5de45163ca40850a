import { useEffect, useRef, useState } from 'react';
import { ready, type Shown } from '../../preview/shown';
import styles from './ScreenFrame.module.css';

/** The phone that screens are drawn for, in CSS pixels. */
const phone = { width: 390, height: 844 };

/** A screen as an app shows it, drawn by the SDK in a document of its own, as small as `width` says. */
export function ScreenFrame({ shown, name, width }: { shown: Shown | undefined; name: string; width: number }) {
  const frame = useRef<HTMLIFrameElement>(null);
  const [isReady, setReady] = useState(false);
  useEffect(() => {
    const listen = ({ origin, source, data }: MessageEvent) => {
      if (origin === location.origin && source === frame.current?.contentWindow && data === ready) setReady(true);
    };
    addEventListener('message', listen);
    return () => removeEventListener('message', listen);
  }, []);
  useEffect(() => {
    if (isReady && shown) frame.current?.contentWindow?.postMessage(shown, location.origin);
  }, [isReady, shown]);
  const scale = width / phone.width;
  return (
    <div className={styles.phone} style={{ width, height: phone.height * scale }}>
      <iframe
        ref={frame}
        title={name}
        src="/preview.html"
        loading="lazy"
        tabIndex={-1}
        inert
        {...phone}
        style={{ transform: `scale(${scale})` }}
      />
    </div>
  );
}
