import type { PlatformActions } from './host-client';

/** Takes note of the two moments of a review prompt. */
export type ReviewListener = (moment: 'shown' | 'dismissed', layerId: string) => void;

/**
 * Asks for a review and reports what was seen (runtime.md §8): a prompt that was shown counts as dismissed, since no
 * system tells what people did with it.
 */
export async function askForReview(
  actions: PlatformActions,
  layerId: string,
  onAppReview: ReviewListener | undefined,
): Promise<'dismissed' | 'not_shown'> {
  const result = await actions.requestReview?.();
  if (!result?.shown) return 'not_shown';
  onAppReview?.('shown', layerId);
  onAppReview?.('dismissed', layerId);
  return 'dismissed';
}
