import { Drawer } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { FunnelInput } from '../../graphql/schema.gen';
import type { Place } from '../../scope/scope';
import { valueName } from '../../scope/valueName';
import { Failure } from '../../ui/Failure';
import { formatAgo, formatExact } from '../../ui/format';
import { nameOfId } from '../../ui/handle';
import { Country, Device, Facts, Person } from '../../ui/Person';
import { Waiting } from '../../ui/Waiting';
import styles from './Funnels.module.css';
import { droppedQuery } from './queries';
import type { FunnelsView } from './search';

type Props = {
  place: Place;
  search: FunnelsView;
  input: FunnelInput;
  /** The step that they entered last, counted from one, and its name; undefined while none is chosen. */
  step: { number: number; name: string } | undefined;
  close: () => void;
};

/** The visitors who dropped off at a step. */
export function Dropped({ step, close, ...props }: Props) {
  return (
    <Drawer
      opened={step !== undefined}
      onClose={close}
      title={step && `Dropped off after ${step.name}`}
      position="right"
      closeButtonProps={{ 'aria-label': 'Close' }}
    >
      {step && <Visitors {...props} number={step.number} />}
    </Drawer>
  );
}

function Visitors({ place, search, input, number }: Omit<Props, 'step' | 'close'> & { number: number }) {
  const answer = useQuery(droppedQuery(place, input, search, number));
  if (answer.isError) return <Failure error={answer.error} retry={() => void answer.refetch()} />;
  const page = answer.data?.data.app?.productAnalytics?.funnelVisitors;
  if (!page) return <Waiting rows={8} />;
  const { nodes, totalCount } = page;
  return (
    <>
      <p className={styles.legend}>
        {nodes.length < totalCount
          ? `${formatExact(nodes.length, 'count')} of ${formatExact(totalCount, 'count')} visitors, the last seen first`
          : 'The last seen first'}
        {input.by === 'SESSION' && '. The funnel counts sessions; here are their visitors.'}
      </p>
      <ul className={styles.visitors}>
        {nodes.map(({ appUserId, customUserId, country, device, source, lastSeen }) => {
          const name = nameOfId(customUserId || appUserId);
          const facts = [
            country && <Country key="country" code={country} />,
            device && (
              <Device key="device" kind={device}>
                {valueName('device', device)}
              </Device>
            ),
            source,
            formatAgo(lastSeen),
          ];
          return (
            <li key={appUserId}>
              <Person id={customUserId || appUserId} name={name} beside={<Facts facts={facts} />}>
                <Link to="/apps/$app/$environment/people/person" params={place} search={{ device: appUserId }}>
                  {name}
                </Link>
              </Person>
            </li>
          );
        })}
      </ul>
    </>
  );
}
