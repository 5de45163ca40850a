import { DEFAULT_SCREEN_COLOR, type Palette, textDirection } from '@svc/core/internal';
import { type Copy, DEFAULT_COPY } from '@svc/react-core';
import type { CSSProperties, ReactNode } from 'react';
import { FlowRoot } from '../renderer/flow-root';
import { useStyleProps } from '../style/server-sheet';
import { SYSTEM_FONT_STACK } from '../style/text-css';

const CENTER: CSSProperties = {
  alignItems: 'center',
  justifyContent: 'center',
  gap: 16,
  minHeight: 120,
  padding: 20,
  textAlign: 'center',
};

/** What the views beside the screens of a flow share. */
export interface FrameProps {
  palette?: Palette | undefined;
  /** Of the words, for their direction. */
  locale?: string | undefined;
  className?: string | undefined;
  style?: CSSProperties | undefined;
  nonce?: string | undefined;
}

interface RoledFrameProps extends FrameProps {
  role: 'status' | 'alert';
  label?: string;
  children: ReactNode;
}

/** Frame of what a flow shows beside its screens; painted like a screen without a background of its own. */
export function Frame({ palette = 'light', locale, role, label, children, ...host }: RoledFrameProps) {
  return (
    <FlowRoot
      {...host}
      palette={palette}
      fontFamily={SYSTEM_FONT_STACK}
      css={{ ...CENTER, backgroundColor: DEFAULT_SCREEN_COLOR[palette] }}
      role={role}
      {...(label === undefined ? {} : { 'aria-label': label })}
      {...(locale === undefined ? {} : { lang: locale, dir: textDirection(locale) })}
    >
      {children}
    </FlowRoot>
  );
}

/** A way out of a view. */
export interface Way {
  label: string;
  run: () => void;
}

interface WaitingProps extends FrameProps {
  copy?: Partial<Copy> | undefined;
  action?: Way | undefined;
}

/** A spinner, with a way out where there is one. */
export function Waiting({ copy, action, ...frame }: WaitingProps) {
  return (
    <Frame {...frame} role="status" label={copy?.loading ?? DEFAULT_COPY.loading}>
      <Spinner />
      {action && <WayButton {...action} />}
    </Frame>
  );
}

function Spinner() {
  return <span aria-hidden="true" {...useStyleProps()({ fontSize: 28 }, 'svc-spinner')} />;
}

/** A button of the SDK itself. */
export function WayButton({ label, run, css }: Way & { css?: CSSProperties }) {
  const styleProps = useStyleProps();
  return (
    <button type="button" onClick={run} {...styleProps({ minHeight: 44, padding: '10px 14px', ...css }, 'svc-press')}>
      {label}
    </button>
  );
}
