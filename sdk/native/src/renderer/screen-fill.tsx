import type { BackgroundFill, Scrim } from '@svc/core';
import {
  DEFAULT_SCREEN_COLOR,
  fadeBackground,
  multiplyAlpha,
  resolveBackground,
  resolveColor,
} from '@svc/core/internal';
import { backgroundPlayerId, useMediaUrl, useRender } from '@svc/react-core';
import type { ReactNode } from 'react';
import { StyleSheet, View } from 'react-native';
import { Film } from '../layers/film';
import { Picture } from '../layers/picture';
import { isLinear, plainColor } from '../style/chrome';
import { GradientView } from './gradient-view';

const SCRIM_OPACITY = 0.45;

/** What lies behind a screen. Nothing of it takes part in the layout, can be touched or is read out. */
export function ScreenFill({ fill }: { fill: BackgroundFill | undefined }) {
  const { palette } = useRender();
  const plain = DEFAULT_SCREEN_COLOR[palette];
  return (
    <View aria-hidden pointerEvents="none" style={[styles.cover, styles.clip]}>
      {fill?.kind === 'color' ? (
        <ColorFill fill={fill} plain={plain} />
      ) : (
        <View style={[styles.cover, { backgroundColor: plain }]}>
          {fill && (
            <>
              <View style={[styles.cover, { opacity: fill.opacity ?? 1 }]}>
                <Scene fill={fill} />
              </View>
              <ScrimView scrim={fill.scrim} />
            </>
          )}
        </View>
      )}
    </View>
  );
}

function ColorFill({ fill, plain }: { fill: Extract<BackgroundFill, { kind: 'color' }>; plain: string }): ReactNode {
  const { palette, theme, branding } = useRender();
  const background = resolveBackground(fill.color, palette, theme, branding);
  const painted = background && fadeBackground(background, fill.opacity ?? 1);
  if (isLinear(painted)) return <GradientView gradient={painted} />;
  return <View style={[styles.cover, { backgroundColor: plainColor(painted) ?? plain }]} />;
}

function Scene({ fill }: { fill: Exclude<BackgroundFill, { kind: 'color' }> }): ReactNode {
  const { screen } = useRender();
  const url = useMediaUrl(fill.media);
  if (!url) return null;
  if (fill.kind === 'image') return <Picture url={url} fit={fill.fit ?? 'cover'} />;
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
function ScrimView({ scrim }: { scrim: Scrim | undefined }): ReactNode {
  const { palette, theme } = useRender();
  if (scrim?.color === undefined && scrim?.opacity === undefined) return null;
  const color = resolveColor(scrim.color, palette, theme) ?? '#000000';
  return <View style={[styles.cover, { backgroundColor: multiplyAlpha(color, scrim.opacity ?? SCRIM_OPACITY) }]} />;
}

const styles = StyleSheet.create({ cover: StyleSheet.absoluteFill, clip: { overflow: 'hidden' } });
