// A part of its own: few flows ask for an address.
export { COUNTRY_CODES, sortedByName } from '@svc/react-core';
