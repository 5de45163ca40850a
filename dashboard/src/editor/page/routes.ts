import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { enterApp, rootRoute } from '../../app/routes';
import { askEarly } from './early';
import { editSearch, previewSearch } from './search';

const editPage = () => import('./EditPage');

/** Beside the shell: the editor has the whole window. */
export const editRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/apps/$app/$environment/flows/$flow/edit',
  validateSearch: editSearch,
  beforeLoad: ({ params, location }) => {
    editPage().catch(() => {}); // on its way while it is asked who the person is
    return enterApp(params, location.href);
  },
  loader: ({ params, cause }) => {
    if (cause === 'enter') askEarly(params.flow);
  },
  component: lazyRouteComponent(editPage, 'EditPage'),
});

/** The preview in a window of its own. */
export const previewRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/apps/$app/$environment/flows/$flow/preview',
  validateSearch: previewSearch,
  beforeLoad: ({ params, location }) => enterApp(params, location.href),
  component: lazyRouteComponent(() => import('./PreviewPage'), 'PreviewPage'),
});
