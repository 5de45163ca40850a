import { DEFAULT_SCREEN_COLOR, type Palette } from '@svc/core/internal';
import type { CSSProperties, ReactNode } from 'react';
import { StyleScope, useStyleProps } from '../style/server-sheet';

export interface ScreenChromeProps {
  theme?: Palette;
  className?: string;
  style?: CSSProperties;
  /** As in `Flow`. */
  nonce?: string;
  children?: ReactNode;
}

/** A box of the full height that is offered, for custom flow UIs. */
export function ScreenChrome({ nonce, ...props }: ScreenChromeProps) {
  return (
    <StyleScope nonce={nonce}>
      <Box {...props} />
    </StyleScope>
  );
}

function Box({ theme = 'light', className, style, children }: Omit<ScreenChromeProps, 'nonce'>) {
  const styleProps = useStyleProps();
  const css: CSSProperties = {
    position: 'relative',
    width: '100%',
    height: '100%',
    minHeight: 0,
    backgroundColor: DEFAULT_SCREEN_COLOR[theme],
    colorScheme: theme,
    ...style,
  };
  return <div {...styleProps(css, className)}>{children}</div>;
}
