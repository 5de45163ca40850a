import { documentationOf } from './pages';

/** Opens what explains the page that is shown, in a tab of its own. */
export const openDocumentation = () => window.open(documentationOf(location.pathname), '_blank', 'noopener');

/** Opens a search of the documentation. */
export const searchDocumentation = (words: string) =>
  window.open(`/docs/search?q=${encodeURIComponent(words)}`, '_blank', 'noopener');
