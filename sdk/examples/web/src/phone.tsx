import { type ReactNode, useLayoutEffect, useRef, useState } from 'react';

const HEIGHT = 844;

interface PhoneProps {
  /** Drawn with a frame, and smaller where the window is lower than a phone. */
  framed: boolean;
  palette: 'light' | 'dark';
  direction: 'ltr' | 'rtl';
  children: ReactNode;
}

export function Phone({ framed, palette, direction, children }: PhoneProps) {
  const place = useRef<HTMLDivElement>(null);
  const [scale, setScale] = useState(1);
  useLayoutEffect(() => {
    const box = place.current;
    if (!box) return;
    const observer = new ResizeObserver(() => setScale(Math.min(1, box.clientHeight / HEIGHT)));
    observer.observe(box);
    return () => observer.disconnect();
  }, []);
  return (
    <main className="place" ref={place}>
      <div className={framed ? 'phone' : 'desk'} style={{ ['--scale' as string]: scale }}>
        {framed && (
          <div className="status" aria-hidden="true">
            <span>9:41</span>
            <span className="island" />
            <svg viewBox="0 0 50 14" width="50" height="14" fill="currentColor" aria-hidden="true">
              <path d="M0 9h3v5H0zM5 6h3v8H5zM10 3h3v11h-3zM15 0h3v14h-3z" />
              <rect x="25" y="1" width="21" height="12" rx="4" fill="none" stroke="currentColor" strokeOpacity=".5" />
              <rect x="27" y="3" width="15" height="8" rx="2.500" />
              <path d="M47.500 5v4c1.500-.5 1.500-3.500 0-4z" opacity=".5" />
            </svg>
          </div>
        )}
        <div className="display" data-theme={palette} dir={direction}>
          {children}
        </div>
      </div>
    </main>
  );
}
