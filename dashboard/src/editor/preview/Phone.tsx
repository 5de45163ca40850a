import { type RefObject, useLayoutEffect, useRef, useState } from 'react';
import styles from './Preview.module.css';

type Size = { width: number; height: number };
type Props = { frame: RefObject<HTMLIFrameElement | null>; onLoad: () => void; size: Size };

/** The document in which the flow runs, as large as a device and as small as there is room for. It may run scripts of this
 * server, and neither open a window nor lead this one anywhere. */
export function Phone({ frame, onLoad, size }: Props) {
  const stage = useRef<HTMLDivElement>(null);
  const [room, setRoom] = useState<Size>();
  useLayoutEffect(() => {
    const observer = new ResizeObserver(([entry]) => setRoom(entry!.contentRect));
    observer.observe(stage.current!);
    return () => observer.disconnect();
  }, []);
  const scale = room ? Math.min(1, room.width / size.width, room.height / size.height) : 0;
  return (
    <div ref={stage} className={styles.stage}>
      <div
        className={styles.phone}
        data-wide={size.width > 500 || undefined}
        style={{ width: size.width * scale, height: size.height * scale }}
      >
        <iframe
          ref={frame}
          title="The flow, running"
          src="/run.html"
          sandbox="allow-scripts allow-same-origin allow-forms"
          onLoad={onLoad}
          {...size}
          style={{ transform: `scale(${scale})` }}
        />
      </div>
    </div>
  );
}
