import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { appRoute } from '../app/routes';
import { queryClient } from '../graphql/query';
import { peopleQuery, personQuery } from './queries';
import { peopleSearch, personSearch } from './search';

export const peopleRoute = createRoute({
  getParentRoute: () => appRoute,
  path: 'people',
  validateSearch: peopleSearch,
  loaderDeps: ({ search: { q, after, rows } }) => ({ q, after, rows }),
  loader: ({ params, deps }) => void queryClient.prefetchQuery(peopleQuery(params, deps)),
  component: lazyRouteComponent(() => import('./PeoplePage'), 'PeoplePage'),
});

export const personRoute = createRoute({
  getParentRoute: () => appRoute,
  path: 'people/person',
  validateSearch: personSearch,
  loaderDeps: ({ search: { device, custom, rows } }) => ({ device, custom, rows }),
  loader: ({ params, deps: { rows, ...who } }) => void queryClient.prefetchQuery(personQuery(params, who, rows)),
  component: lazyRouteComponent(() => import('./PersonPage'), 'PersonPage'),
});
