import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { appRoute } from '../app/routes';
import { queryClient } from '../graphql/query';
import { channelsQuery } from './queries';
import { channelsSearch } from './search';

export const channelsRoute = createRoute({
  getParentRoute: () => appRoute,
  path: 'channels',
  validateSearch: channelsSearch,
  loader: ({ params }) => void queryClient.prefetchQuery(channelsQuery(params)),
  component: lazyRouteComponent(() => import('./ChannelsPage'), 'ChannelsPage'),
});
