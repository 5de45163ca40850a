/** Few flows sell and few pages show a preview, so what either needs is loaded when it is wanted. */
export const loadOnDemand = () => import('./on-demand');
