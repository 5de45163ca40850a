import { DEFAULT_FOREGROUND, type Palette } from '@svc/core';
import { DEFAULT_COPY } from '@svc/react-core';
import type { CSSProperties } from 'react';
import { STYLESHEET } from '../style/stylesheet';
import { SYSTEM_FONT_STACK } from '../style/text-css';

const CENTER: CSSProperties = { alignItems: 'center', justifyContent: 'center', gap: 16, minHeight: 120 };

/** Frame of what a flow shows beside its screens. */
export function Frame({
  palette = 'light',
  role,
  label,
  children,
}: {
  palette?: Palette | undefined;
  role: 'status' | 'alert';
  label?: string;
  children: React.ReactNode;
}) {
  return (
    // biome-ignore lint/a11y/useAriaPropsSupportedByRole: both roles take a label
    <div
      className="svc-screen"
      role={role}
      aria-label={label}
      style={{ ...CENTER, fontFamily: SYSTEM_FONT_STACK, color: DEFAULT_FOREGROUND[palette] }}
    >
      <style
        // biome-ignore lint/security/noDangerouslySetInnerHtml: constant rules
        dangerouslySetInnerHTML={{ __html: STYLESHEET }}
      />
      {children}
    </div>
  );
}

/** A spinner, with a way out where there is one. */
export function Waiting({
  palette,
  action,
}: {
  palette?: Palette | undefined;
  action?: { label: string; run: () => void };
}) {
  return (
    <Frame palette={palette} role="status" label={DEFAULT_COPY.loading}>
      <span className="svc-spinner" aria-hidden="true" style={{ fontSize: 28 }} />
      {action && (
        <button type="button" className="svc-press" onClick={action.run} style={{ padding: '10px 14px' }}>
          {action.label}
        </button>
      )}
    </Frame>
  );
}
