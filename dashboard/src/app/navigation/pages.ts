import type { IconName } from '../../ui/Icon';

type Page = { to: string; name: string; icon: IconName; key: string; group: string; docs?: string };

/**
 * The pages of an app, in the order of the menu. `key` follows `g`; `docs` is what explains the page below /docs/, that of
 * product analytics without one.
 */
export const pages = [
  { to: '/apps/$app/$environment/home', name: 'Home', icon: 'home', key: 'h', group: 'Analytics' },
  { to: '/apps/$app/$environment/live', name: 'Live', icon: 'live', key: 'l', group: 'Analytics' },
  { to: '/apps/$app/$environment/acquisition', name: 'Acquisition', icon: 'acquisition', key: 'a', group: 'Analytics' },
  { to: '/apps/$app/$environment/engagement', name: 'Engagement', icon: 'engagement', key: 'e', group: 'Analytics' },
  { to: '/apps/$app/$environment/events', name: 'Events', icon: 'events', key: 'v', group: 'Analytics' },
  {
    to: '/apps/$app/$environment/goals',
    name: 'Goals',
    icon: 'goals',
    key: 'q',
    group: 'Analytics',
    docs: 'analytics#goals',
  },
  {
    to: '/apps/$app/$environment/funnels',
    name: 'Funnels',
    icon: 'funnels',
    key: 'j',
    group: 'Analytics',
    docs: 'analytics#funnels',
  },
  {
    to: '/apps/$app/$environment/paths',
    name: 'Paths',
    icon: 'paths',
    key: 'y',
    group: 'Analytics',
    docs: 'analytics#paths',
  },
  {
    to: '/apps/$app/$environment/alerts',
    name: 'Alerts',
    icon: 'alerts',
    key: 'k',
    group: 'Analytics',
    docs: 'notifications#alerts',
  },
  { to: '/apps/$app/$environment/retention', name: 'Retention', icon: 'retention', key: 'r', group: 'Analytics' },
  { to: '/apps/$app/$environment/locations', name: 'Locations', icon: 'locations', key: 'p', group: 'Analytics' },
  { to: '/apps/$app/$environment/devices', name: 'Devices', icon: 'devices', key: 't', group: 'Analytics' },
  { to: '/apps/$app/$environment/visitors', name: 'Visitors', icon: 'visitors', key: 'u', group: 'Analytics' },
  {
    to: '/apps/$app/$environment/people',
    name: 'Users',
    icon: 'people',
    key: 'o',
    group: 'Analytics',
    docs: 'privacy',
  },
  {
    to: '/apps/$app/$environment/revenue',
    name: 'Revenue',
    icon: 'revenue',
    key: 'm',
    group: 'Analytics',
    docs: 'revenue',
  },
  { to: '/apps/$app/$environment/flows', name: 'Flows', icon: 'flows', key: 'f', group: 'Delivery', docs: 'editor' },
  {
    to: '/apps/$app/$environment/channels',
    name: 'Channels',
    icon: 'channels',
    key: 'c',
    group: 'Delivery',
    docs: 'concepts',
  },
  {
    to: '/apps/$app/$environment/experiments',
    name: 'Experiments',
    icon: 'experiments',
    key: 'x',
    group: 'Delivery',
    docs: 'experiments',
  },
  { to: '/apps/$app/$environment/media', name: 'Media', icon: 'media', key: 'd', group: 'Delivery', docs: 'editor' },
  {
    to: '/apps/$app/$environment/branding',
    name: 'Branding',
    icon: 'branding',
    key: 'b',
    group: 'Delivery',
    docs: 'editor',
  },
  {
    to: '/apps/$app/$environment/automations',
    name: 'Automations',
    icon: 'automations',
    key: 'w',
    group: 'Engage',
    docs: 'automations',
  },
  { to: '/apps/$app/$environment/start', name: 'Get started', icon: 'start', key: 'n', group: 'Settings', docs: 'sdk' },
  {
    to: '/apps/$app/$environment/health',
    name: 'Data health',
    icon: 'health',
    key: 'i',
    group: 'Settings',
    docs: 'rest',
  },
  {
    to: '/apps/$app/$environment/settings',
    name: 'Settings',
    icon: 'settings',
    key: 's',
    group: 'Settings',
    docs: 'roles',
  },
] as const satisfies readonly Page[];

export type PageAddress = (typeof pages)[number]['to'];

/** The address of what explains the page at an address of the dashboard. */
export function documentationOf(pathname: string): string {
  const section = pathname.split('/')[4];
  const page: Page | undefined = pages.find(({ to }) => to.split('/')[4] === section);
  return `/docs/${page?.docs ?? 'analytics'}`;
}
