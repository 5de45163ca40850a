import { DEFAULT_SCREEN_COLOR, type Palette } from '@svc/core';
import type { CSSProperties, ReactNode } from 'react';

export interface ScreenChromeProps {
  theme?: Palette;
  className?: string;
  style?: CSSProperties;
  children?: ReactNode;
}

/** A box of the full height that is offered, for custom flow UIs. */
export function ScreenChrome({ theme = 'light', className, style, children }: ScreenChromeProps) {
  return (
    <div
      className={className}
      style={{
        position: 'relative',
        width: '100%',
        height: '100%',
        minHeight: 0,
        backgroundColor: DEFAULT_SCREEN_COLOR[theme],
        colorScheme: theme,
        ...style,
      }}
    >
      {children}
    </div>
  );
}
