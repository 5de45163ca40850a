import { DEFAULT_FOREGROUND, type Palette } from '@svc/core/internal';
import type { ComponentPropsWithoutRef, CSSProperties, ReactNode, Ref } from 'react';
import { useOnlyClass } from '../style/each-palette';
import { StyleElement, StyleScope, useStyleProps } from '../style/server-sheet';
import { STYLESHEET } from '../style/stylesheet';

interface FlowRootProps extends Omit<ComponentPropsWithoutRef<'div'>, 'style' | 'className' | 'nonce'> {
  palette: Palette;
  fontFamily: string;
  /** Rules beside those of every flow. */
  rules?: string;
  css?: CSSProperties;
  /** Of the host, for the box that the flow fills. */
  className?: string | undefined;
  style?: CSSProperties | undefined;
  nonce?: string | undefined;
  rootRef?: Ref<HTMLDivElement>;
  children: ReactNode;
}

/**
 * The two boxes around everything that the SDK draws: the outer one is the host's to dress, the inner one keeps the
 * page's styles out.
 */
export function FlowRoot({ nonce, ...props }: FlowRootProps): ReactNode {
  return (
    <StyleScope nonce={nonce}>
      <Boxes {...props} />
    </StyleScope>
  );
}

function Boxes({ palette, fontFamily, rules = '', css, className, style, rootRef, children, ...rest }: FlowRootProps) {
  const styleProps = useStyleProps();
  const only = useOnlyClass();
  const inner = { fontFamily, color: DEFAULT_FOREGROUND[palette], colorScheme: palette, ...css };
  return (
    <div {...styleProps({ ...style }, ['svc-flow', only, className].filter(Boolean).join(' '))}>
      <div ref={rootRef} {...rest} {...styleProps(inner, 'svc-screen')}>
        <StyleElement rules={STYLESHEET + rules} />
        {children}
      </div>
    </div>
  );
}
