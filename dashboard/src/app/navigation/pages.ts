import type { IconName } from '../../ui/Icon';

/** The pages of an app, in the order of the menu. `key` follows `g`. */
export const pages = [
  { to: '/apps/$app/$environment/home', name: 'Home', icon: 'home', key: 'h', group: 'Analytics' },
  { to: '/apps/$app/$environment/live', name: 'Live', icon: 'live', key: 'l', group: 'Analytics' },
  { to: '/apps/$app/$environment/acquisition', name: 'Acquisition', icon: 'acquisition', key: 'a', group: 'Analytics' },
  { to: '/apps/$app/$environment/engagement', name: 'Engagement', icon: 'engagement', key: 'e', group: 'Analytics' },
  { to: '/apps/$app/$environment/events', name: 'Events', icon: 'events', key: 'v', group: 'Analytics' },
  { to: '/apps/$app/$environment/goals', name: 'Goals', icon: 'goals', key: 'q', group: 'Analytics' },
  { to: '/apps/$app/$environment/paths', name: 'Paths', icon: 'paths', key: 'y', group: 'Analytics' },
  { to: '/apps/$app/$environment/retention', name: 'Retention', icon: 'retention', key: 'r', group: 'Analytics' },
  { to: '/apps/$app/$environment/locations', name: 'Locations', icon: 'locations', key: 'p', group: 'Analytics' },
  { to: '/apps/$app/$environment/devices', name: 'Devices', icon: 'devices', key: 't', group: 'Analytics' },
  { to: '/apps/$app/$environment/visitors', name: 'Visitors', icon: 'visitors', key: 'u', group: 'Analytics' },
  { to: '/apps/$app/$environment/people', name: 'Users', icon: 'people', key: 'o', group: 'Analytics' },
  { to: '/apps/$app/$environment/revenue', name: 'Revenue', icon: 'revenue', key: 'm', group: 'Analytics' },
  { to: '/apps/$app/$environment/flows', name: 'Flows', icon: 'flows', key: 'f', group: 'Delivery' },
  { to: '/apps/$app/$environment/channels', name: 'Channels', icon: 'channels', key: 'c', group: 'Delivery' },
  { to: '/apps/$app/$environment/experiments', name: 'Experiments', icon: 'experiments', key: 'x', group: 'Delivery' },
  { to: '/apps/$app/$environment/media', name: 'Media', icon: 'media', key: 'd', group: 'Delivery' },
  { to: '/apps/$app/$environment/branding', name: 'Branding', icon: 'branding', key: 'b', group: 'Delivery' },
  { to: '/apps/$app/$environment/automations', name: 'Automations', icon: 'automations', key: 'w', group: 'Engage' },
  { to: '/apps/$app/$environment/start', name: 'Get started', icon: 'start', key: 'n', group: 'Settings' },
  { to: '/apps/$app/$environment/health', name: 'Data health', icon: 'health', key: 'i', group: 'Settings' },
  { to: '/apps/$app/$environment/settings', name: 'Settings', icon: 'settings', key: 's', group: 'Settings' },
] as const satisfies readonly { to: string; name: string; icon: IconName; key: string; group: string }[];

export type PageAddress = (typeof pages)[number]['to'];
