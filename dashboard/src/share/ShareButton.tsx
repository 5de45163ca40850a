import { Button } from '@mantine/core';
import { getRouteApi, useLocation } from '@tanstack/react-router';
import { lazy, Suspense, useState } from 'react';
import { may } from '../app/session/session';
import { Icon } from '../ui/Icon';
import { reportAt } from './queries';

const ShareDialog = lazy(async () => ({ default: (await import('./ShareDialog')).ShareDialog }));

const appRoute = getRouteApi('/apps/$app/$environment');

/** Opens what shares the reports of a page, where it can be shared by whoever looks. */
export function ShareButton() {
  const { access } = appRoute.useRouteContext();
  const report = useLocation({ select: ({ pathname }) => reportAt(pathname) });
  const [open, setOpen] = useState(false);
  if (!report || !may(access, 'VIEW_MANAGE')) return null;
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
      <Suspense>{open && <ShareDialog report={report} close={() => setOpen(false)} />}</Suspense>
    </>
  );
}
