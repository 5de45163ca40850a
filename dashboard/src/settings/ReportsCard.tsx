import { useQuery } from '@tanstack/react-query';
import type { WorkspaceAccess } from '../app/session/session';
import type { Place } from '../scope/scope';
import { Card } from '../ui/Card';
import { reportsQuery } from './queries';
import { ScheduledReports } from './ScheduledReports';

/** The scheduled reports of the app. */
export function ReportsCard({ place, access }: { place: Place; access: WorkspaceAccess }) {
  const answer = useQuery(reportsQuery(place.app));
  return (
    <Card
      title="Scheduled reports"
      answer={answer}
      part={({ app }) => app?.scheduledReports}
      path="app.scheduledReports"
      waiting={{ rows: 3 }}
    >
      {(reports) => <ScheduledReports reports={reports} place={place} access={access} />}
    </Card>
  );
}
