import type { MediaReference } from '@svc/core';
import { useRender } from '../renderer/render-context';

/** Address of a media asset; undefined when the flow came without it. */
export function useMediaUrl(media: MediaReference | undefined): string | undefined {
  const { mediaMap } = useRender();
  const id = media?.mediaAssetId;
  return id !== undefined && Object.prototype.hasOwnProperty.call(mediaMap, id) ? mediaMap[id] : undefined;
}
