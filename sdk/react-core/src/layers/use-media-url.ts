import type { MediaReference } from '@svc/core';
import { own } from '@svc/core/internal';
import { useRender } from '../renderer/render-context';

/** Address of a media asset; undefined when the flow came without it. */
export function useMediaUrl(media: MediaReference | undefined): string | undefined {
  const { mediaMap } = useRender();
  return media?.mediaAssetId === undefined ? undefined : own(mediaMap, media.mediaAssetId);
}
