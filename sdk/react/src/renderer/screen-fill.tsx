import type { BackgroundFill, Scrim } from '@svc/core';
import {
  DEFAULT_SCREEN_COLOR,
  fadeBackground,
  multiplyAlpha,
  resolveBackground,
  resolveColor,
} from '@svc/core/internal';
import { backgroundPlayerId, type RenderContext, useMediaUrl, useRender } from '@svc/react-core';
import type { CSSProperties, ReactNode } from 'react';
import { Film } from '../layers/film';
import { backgroundCss } from '../style/box-css';
import { useStyleProps } from '../style/server-sheet';

const COVER: CSSProperties = { position: 'absolute', inset: 0 };
const SCRIM_OPACITY = 0.45;

/** What lies behind a screen. Nothing of it takes part in the layout or can be touched. */
export function ScreenFill({ fill }: { fill: BackgroundFill | undefined }) {
  const styleProps = useStyleProps();
  const context = useRender();
  const { palette } = context;
  const base = { ...COVER, zIndex: -1, overflow: 'hidden', pointerEvents: 'none' as const };
  if (!fill)
    return <div aria-hidden="true" {...styleProps({ ...base, backgroundColor: DEFAULT_SCREEN_COLOR[palette] })} />;
  if (fill.kind === 'color') return <div aria-hidden="true" {...styleProps({ ...base, ...colorCss(fill, context) })} />;
  return (
    <div aria-hidden="true" {...styleProps({ ...base, backgroundColor: DEFAULT_SCREEN_COLOR[palette] })}>
      <div {...styleProps({ ...COVER, opacity: fill.opacity ?? 1 })}>
        <Picture fill={fill} />
      </div>
      <ScrimView scrim={fill.scrim} />
    </div>
  );
}

function colorCss(fill: Extract<BackgroundFill, { kind: 'color' }>, context: RenderContext): CSSProperties {
  const background = resolveBackground(fill.color, context.palette, context.theme, context.branding);
  if (!background) return { backgroundColor: DEFAULT_SCREEN_COLOR[context.palette] };
  return backgroundCss(fadeBackground(background, fill.opacity ?? 1));
}

function Picture({ fill }: { fill: Exclude<BackgroundFill, { kind: 'color' }> }): ReactNode {
  const styleProps = useStyleProps();
  const { screen } = useRender();
  const url = useMediaUrl(fill.media);
  if (!url) return null;
  if (fill.kind === 'image') {
    return (
      <img
        src={url}
        alt=""
        {...styleProps({ ...COVER, width: '100%', height: '100%', objectFit: fill.fit ?? 'cover' })}
      />
    );
  }
  return (
    <Film
      playerId={backgroundPlayerId(screen.id)}
      url={url}
      fit={fill.fit ?? 'cover'}
      loop={fill.loop}
      autoPlay={fill.autoPlay}
      audioEnabled={fill.audioEnabled}
      onComplete={fill.onComplete}
    />
  );
}

/** Darkens a picture; paints only when its author set a color or an opacity. */
function ScrimView({ scrim }: { scrim: Scrim | undefined }) {
  const styleProps = useStyleProps();
  const { palette, theme } = useRender();
  if (scrim?.color === undefined && scrim?.opacity === undefined) return null;
  const color = resolveColor(scrim.color, palette, theme) ?? '#000000';
  return <div {...styleProps({ ...COVER, backgroundColor: multiplyAlpha(color, scrim.opacity ?? SCRIM_OPACITY) })} />;
}
