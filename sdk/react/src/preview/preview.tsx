import type { ExternalSurfaceNode, SurfaceOutcome } from '@svc/core';
import { textDirection } from '@svc/core/internal';
import { previewOutcomes, previewWords } from '@svc/react-core';
import type { CSSProperties } from 'react';
import { Frame, type FrameProps, WayButton } from '../flow/waiting';
import { useStyleProps } from '../style/server-sheet';

export { previewWords } from '@svc/react-core';

const BADGE: CSSProperties = {
  position: 'absolute',
  insetBlockStart: 'calc(8px + env(safe-area-inset-top, 0px))',
  insetInlineEnd: 8,
  zIndex: 1,
  padding: '3px 9px',
  borderRadius: 999,
  font: '600 12px/16px system-ui, sans-serif',
  color: '#ffffff',
  backgroundColor: '#5b21b6',
  boxShadow: '0 0 0 1px rgb(255 255 255 / 0.7)',
  pointerEvents: 'none',
};

/** Says that what is presented is a preview. */
export function PreviewBadge({ locale }: { locale: string | undefined }) {
  const language = locale ?? 'en';
  return (
    <span role="note" dir={textDirection(language)} {...useStyleProps()(BADGE, 'svc-preview')}>
      {previewWords(locale).badge}
    </span>
  );
}

interface PreviewSurfaceProps extends FrameProps {
  node: ExternalSurfaceNode;
  report: (outcome: SurfaceOutcome) => void;
}

/** Stands for a surface: nothing is sold, and every way out can be taken. */
export function PreviewSurface({ node, report, ...frame }: PreviewSurfaceProps) {
  const words = previewWords(frame.locale);
  const { config, name } = node;
  const css = { border: '1px solid currentColor', borderRadius: 10, width: '100%', maxWidth: 320 };
  return (
    <Frame {...frame} role="status">
      <span className="svc-text">
        {words.surface} <bdi>{name ?? config.provider}</bdi>
      </span>
      {previewOutcomes(node).map((outcome) => (
        <WayButton key={outcome} label={words.outcomes[outcome]} run={() => report(outcome)} css={css} />
      ))}
    </Frame>
  );
}
