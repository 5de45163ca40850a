import { Platform } from 'react-native';
import type { ReviewAdapter } from '../adapters/adapters';

/**
 * Wait in ms after the prompt was asked for on iOS, which tells nothing about it: going on at once would change the
 * screen under the prompt. Android answers when its prompt is gone.
 */
export const APP_REVIEW_POST_PROMPT_DELAY_MS = 1_500;

/** Asks for a review of the app and settles once the prompt is out of the way. Never rejects. */
export async function requestAppReview(adapter: ReviewAdapter): Promise<{ shown: boolean }> {
  if (Platform.OS !== 'ios' && Platform.OS !== 'android') return { shown: false };
  try {
    const { shown } = await adapter.requestReview(Platform.OS);
    if (shown && Platform.OS === 'ios') {
      await new Promise<void>((resolve) => {
        setTimeout(resolve, APP_REVIEW_POST_PROMPT_DELAY_MS);
      });
    }
    return { shown };
  } catch {
    return { shown: false };
  }
}
