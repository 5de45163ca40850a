import { Button } from '@mantine/core';
import { getRouteApi, useLocation } from '@tanstack/react-router';
import { lazy, Suspense, useState } from 'react';
import { may } from '../app/session/session';
import { Icon } from '../ui/Icon';

const ShareDialog = lazy(async () => ({ default: (await import('./ShareDialog')).ShareDialog }));

const appRoute = getRouteApi('/apps/$app/$environment');

/** The last parts of the addresses of pages that can be shared. */
const shareable = new Set([
  'home',
  'acquisition',
  'engagement',
  'events',
  'goals',
  'retention',
  'locations',
  'devices',
]);

/** Opens what shares the reports of a page, where it can be shared by whoever looks. */
export function ShareButton() {
  const { access } = appRoute.useRouteContext();
  const page = useLocation({ select: ({ pathname }) => pathname.split('/').at(-1) ?? '' });
  const [open, setOpen] = useState(false);
  if (!shareable.has(page) || !may(access, 'VIEW_MANAGE')) return null;
  return (
    <>
      <Button
        variant="default"
        leftSection={<Icon name="share" size={14} />}
        data-print="no"
        onClick={() => setOpen(true)}
      >
        Share
      </Button>
      <Suspense>{open && <ShareDialog page={page} close={() => setOpen(false)} />}</Suspense>
    </>
  );
}
