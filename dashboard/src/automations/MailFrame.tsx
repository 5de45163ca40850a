import { useEffect, useRef, useState } from 'react';
import styles from './EmailPreview.module.css';

/** An email in a frame that runs no code and whose document alone may have styles of its own. */
export function MailFrame({ html }: { html: string }) {
  const frame = useRef<HTMLIFrameElement>(null);
  const [loaded, setLoaded] = useState(false);
  useEffect(() => {
    const page = loaded && frame.current?.contentDocument?.documentElement;
    if (!page || !frame.current) return;
    page.innerHTML = html;
    frame.current.height = String(page.scrollHeight);
  }, [html, loaded]);
  return (
    <iframe
      ref={frame}
      title="The email"
      className={styles.mail}
      sandbox="allow-same-origin"
      src="/mail.html"
      onLoad={() => setLoaded(true)}
    />
  );
}
