import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { enterApp, rootRoute } from '../../app/routes';
import { editSearch, previewSearch } from './search';

/** Beside the shell: the editor has the whole window. */
export const editRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/apps/$app/$environment/flows/$flow/edit',
  validateSearch: editSearch,
  beforeLoad: ({ params, location }) => enterApp(params, location.href),
  component: lazyRouteComponent(() => import('./EditPage'), 'EditPage'),
});

/** The preview in a window of its own. */
export const previewRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/apps/$app/$environment/flows/$flow/preview',
  validateSearch: previewSearch,
  beforeLoad: ({ params, location }) => enterApp(params, location.href),
  component: lazyRouteComponent(() => import('./PreviewPage'), 'PreviewPage'),
});
