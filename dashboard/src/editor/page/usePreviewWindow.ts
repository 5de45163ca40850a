import { useRouter } from '@tanstack/react-router';
import { useCallback } from 'react';
import type { Shows } from '../preview/Run';
import { deviceCalled, devices } from './devices';

/** Opens the preview of a flow in a window of its own; a second time in the same one. */
export function usePreviewWindow(params: { app: string; environment: string; flow: string }) {
  const router = useRouter();
  const { app, environment, flow } = params;
  return useCallback(
    ({ screen, ...shows }: Shows) => {
      const { href } = router.buildLocation({
        to: '/apps/$app/$environment/flows/$flow/preview',
        params: { app, environment, flow },
        search: { ...shows, screen: screen || undefined },
      });
      const { size } = deviceCalled(shows.device) ?? devices[0]!;
      // As large as the device with the bars above and the details beside it, where the screen has that much.
      const [width, height] = [Math.min(size.width + 380, window.screen.availWidth), size.height + 170];
      const opened = window.open(
        href,
        `svc-preview-${flow}`,
        `popup,width=${width},height=${Math.min(height, window.screen.availHeight)}`,
      );
      opened?.focus();
    },
    [router, app, environment, flow],
  );
}
