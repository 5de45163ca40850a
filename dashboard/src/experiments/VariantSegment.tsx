import { Button } from '@mantine/core';
import { getRouteApi, useNavigate } from '@tanstack/react-router';
import { lazy, Suspense, useState } from 'react';
import { may } from '../app/session/session';

const appRoute = getRouteApi('/apps/$app/$environment');

const SegmentDialog = lazy(async () => ({ default: (await import('../segments/SegmentDialog')).SegmentDialog }));

type Props = {
  experiment: { name: string; variants: readonly { id: string; key: string; name: string }[] };
  /** Key of a variant. */
  variant: string;
};

/** Makes a segment of those who were a variant, and shows the reports of them. */
export function VariantSegment({ experiment, variant }: Props) {
  const place = appRoute.useParams();
  const { access } = appRoute.useRouteContext();
  const navigate = useNavigate();
  const [open, setOpen] = useState(false);
  const found = experiment.variants.find(({ key }) => key === variant);
  if (!found || !may(access, 'SEGMENT_MANAGE')) return null;
  const name = found.name || found.key;
  return (
    <>
      <Button
        size="compact-xs"
        variant="subtle"
        data-print="no"
        aria-label={`Create segment of ${name}`}
        onClick={() => setOpen(true)}
      >
        Create segment
      </Button>
      <Suspense>
        {open && (
          <SegmentDialog
            place={place}
            begin={{
              name: `${experiment.name}: ${name}`.slice(0, 100),
              rules: { where: { flow: { variantId: found.id, outcome: 'STARTED' } } },
            }}
            close={() => setOpen(false)}
            saved={(segment) =>
              void navigate({ to: '/apps/$app/$environment/home', params: place, search: { segment } })
            }
          />
        )}
      </Suspense>
    </>
  );
}
