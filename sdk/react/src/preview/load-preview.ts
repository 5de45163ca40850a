/** Few pages show a preview, so what is drawn for one is loaded when it is wanted. */
export const loadPreview = () => import('./preview');
