/** What both native flavours share; each flavour adds what only it can link. */
export { DEFAULT_API_BASE_URL } from '@svc/core';
