// Generated from the schema of the server by npm run generate.
/** Internal type. DO NOT USE DIRECTLY. */
type Exact<T extends { [key: string]: unknown }> = { [K in keyof T]: T[K] };
/** Internal type. DO NOT USE DIRECTLY. */
export type Incremental<T> = T | { [P in keyof T]?: P extends ' $fragmentName' | '__typename' ? T[P] : never };
/** What a role allows and a key may be given. ANALYTICS_READ is `analytics:read` of the documentation, and so on. */
export type Capability =
  | 'APP_MANAGE'
  | 'APP_SETTINGS'
  | 'FLOW_EDIT'
  | 'FLOW_PUBLISH'
  | 'CHANNEL_MANAGE'
  | 'EXPERIMENT_MANAGE'
  | 'MEDIA_MANAGE'
  | 'ROLLOUT_APPROVE'
  | 'ANALYTICS_READ'
  | 'CUSTOMERS_READ'
  | 'ENGAGE_READ'
  | 'ENGAGE_MANAGE'
  | 'ENGAGE_SEND'
  | 'STUDIO_READ'
  | 'SEGMENT_MANAGE'
  | 'VIEW_MANAGE'
  | 'REVENUE_RECORD'
  | 'PEOPLE_MANAGE'
  | 'MEMBERS_MANAGE'
  | 'AUDIT_READ'
  | 'WORKSPACE_MANAGE'
  | 'SDK_SERVER';

export type Role =
  | 'OWNER'
  | 'ADMIN'
  | 'EDITOR'
  | 'VIEWER';

/** Keeps the rows that are all of this. */
export type AuditFilter = {
  /** Changes by this member, themselves or by a key of theirs. */
  userId?: string | null | undefined;
  /** True keeps what the server did by itself. */
  byServer?: boolean;
  /** A part of the action, or of the id of what was changed: at most 200 characters. */
  text?: string | null | undefined;
  range?: RangeInput | null | undefined;
};

/**
 * Hours and days are judged two minutes after their end. Revenue is in US dollars, AVERAGE_SESSION_SECONDS in seconds;
 * rates are between 0 and 1.
 */
export type AlertMetric =
  | 'VISITORS'
  | 'SESSIONS'
  | 'VIEWS'
  | 'EVENTS'
  | 'NEW_VISITORS'
  | 'BOUNCE_RATE'
  | 'AVERAGE_SESSION_SECONDS'
  | 'VIEWS_PER_SESSION'
  | 'REVENUE'
  /** Of a goal, as are the next two. */
  | 'CONVERSIONS'
  | 'CONVERTERS'
  | 'CONVERSION_RATE';

export type AlertDirection =
  | 'UP'
  | 'DOWN'
  | 'EITHER';

export type AlertSensitivity =
  | 'LOW'
  /**
   * For a metric that does nothing unusual about one alert per month, on holidays; finds a halving of a metric of 300 per
   * hour within two hours.
   */
  | 'MEDIUM'
  | 'HIGH';

/** Which values are out of bounds. Exactly one member is set. */
export type AlertConditionInput = {
  /** In the unit of the metric, at most 10^12, as is `below`. */
  above?: number | null | undefined;
  below?: number | null | undefined;
  change?: AlertChangeInput | null | undefined;
  unusual?: AlertUnusualInput | null | undefined;
  silent?: AlertSilentInput | null | undefined;
};

/**
 * Changed by at least so many percent against the same hour or day of the week before. After one without a value nothing
 * is out of bounds.
 */
export type AlertChangeInput = {
  direction?: AlertDirection;
  /** More than 0, at most 10,000. */
  percent: number;
};

/**
 * Further from the median of the same hour and weekday in the six weeks before than these values are from each other (k
 * times their median absolute deviation, growth of the weekday left out). Nothing is unusual until three weeks have data.
 */
export type AlertUnusualInput = {
  direction?: AlertDirection;
  sensitivity?: AlertSensitivity;
};

/** No event arrives for so many minutes, 5 to 1,440, after at least one in the day before. The metric is not looked at. */
export type AlertSilentInput = {
  minutes: number;
};

export type AlertRuleInput = {
  metric?: AlertMetric;
  /** With metrics of a goal only. */
  goalId?: string | null | undefined;
  /** Left out: all platforms. */
  platform?: Platform | null | undefined;
  /** Limits the metric to the sessions of a segment's members, as they are when a value is judged. */
  segmentId?: string | null | undefined;
  /** Limits the metric to the sessions that pass all filters. */
  cross?: CrossFilters | null | undefined;
  /** An IANA zone: hours, days and quiet hours are those of this zone. */
  timeZone?: string;
  /** What a value is of: HOUR or DAY. */
  grain?: Grain;
  condition: AlertConditionInput;
  /**
   * It fires when so many of the last `of` values are out of bounds. It resolves when three times `of` values in a row
   * are not. 1 to `of`.
   */
  breaches?: number;
  /** 1 to 24. */
  of?: number;
  /**
   * As 22:00: from then until `quietUntil` nobody is told. What is over by then nobody is told later either. Both are
   * given, or neither.
   */
  quietFrom?: string | null | undefined;
  quietUntil?: string | null | undefined;
};

export type CreateAlertInput = {
  appId: string;
  environment?: EnvironmentKind;
  /** 1 to 100 characters; no other alert of the environment has it. */
  name: string;
  rule: AlertRuleInput;
  /**
   * URL of an incoming webhook of Slack, which is posted to when the alert fires and when it resolves. It needs
   * `workspace:manage`: it tells others. It is stored encrypted and never given back.
   */
  slackUrl?: string | null | undefined;
};

/** Parts to change; what is left out stays. */
export type UpdateAlertInput = {
  id: string;
  name?: string | null | undefined;
  /** Replaces the whole rule; the alert then starts anew. */
  rule?: AlertRuleInput | null | undefined;
  /** Whether nothing looks at it. */
  paused?: boolean | null | undefined;
  /** As of CreateAlertInput; an empty one ends the messages to Slack. */
  slackUrl?: string | null | undefined;
};

export type DeleteAlertInput = {
  id: string;
};

export type ViewKind =
  /** A page of the web. */
  | 'PAGE'
  /** A screen of an app. */
  | 'SCREEN';

export type EnvironmentKind =
  | 'TEST'
  | 'LIVE';

/** Settings to change; what is left out stays. */
export type UpdateAppInput = {
  id: string;
  name?: string | null | undefined;
  /** Exact browser origins, at most 20; an empty list allows any. */
  allowedOrigins?: Array<string> | null | undefined;
  /** Acknowledge known crawlers without storing them. */
  ignoreBots?: boolean | null | undefined;
  /**
   * Within how many days a run of a flow completes, and in how many days after its start purchases belong to it: each 1,
   * 3, 7 or 14. Reports mark as incomplete what is younger, and experiments count a user once both have passed, unless
   * their planner names its own.
   */
  completionWindowDays?: number | null | undefined;
  purchaseWindowDays?: number | null | undefined;
  /** Run timeout: minutes of inactivity, 5 to 1,440. */
  lapseMinutes?: number | null | undefined;
};

export type EmailSuppressionReason =
  /** The owner of the address followed the link of a message. */
  | 'UNSUBSCRIBED'
  /** The SMTP server answered that there is no such mailbox. */
  | 'BOUNCED';

/** Users enter and continue only while an automation is active. */
export type AutomationState =
  | 'DRAFT'
  | 'PUBLISHED'
  | 'ACTIVE'
  | 'PAUSED'
  | 'ARCHIVED';

export type WebhookState =
  | 'PENDING'
  | 'DELIVERED'
  | 'FAILED';

export type SetAutomationLimitsInput = {
  appId: string;
  environment: EnvironmentKind;
  cap?: number;
  capDays?: number;
  quietFrom?: string | null | undefined;
  quietUntil?: string | null | undefined;
  timeZone?: string;
  /** Check everything, change nothing, and answer what would be. */
  dryRun?: boolean;
};

export type UpdateWebhookEndpointInput = {
  id: string;
  name?: string | null | undefined;
  url?: string | null | undefined;
  enabled?: boolean | null | undefined;
  /** Whether it also gets the notifications of the workspace. Needs `workspace:manage`, too. */
  notifications?: boolean | null | undefined;
  /** Check everything, change nothing, and answer what would be. */
  dryRun?: boolean;
};

/** One delivery, or those in a range of the time at which they were made. */
export type ReplayWebhooksInput = {
  endpointId: string;
  deliveryId?: string | null | undefined;
  state?: WebhookState | null | undefined;
  from?: string | null | undefined;
  to?: string | null | undefined;
  /** Check everything, change nothing, and answer what would be. */
  dryRun?: boolean;
};

export type AssignmentKind =
  | 'NONE'
  | 'DIRECT'
  | 'EXPERIMENT';

export type ChannelWatchState =
  /** No harm was found in the runs so far. */
  | 'WATCHING'
  /** The planned runs came, and no harm was found. */
  | 'FINE'
  /** A metric is worse, with p below 0.01 over both metrics and however often they are looked at. */
  | 'HARM'
  /** The time was over before the planned runs came, and no harm was found. */
  | 'ENDED';

export type ChannelWatchMetricKind =
  /** Runs that were completed. Lower is harm. */
  | 'COMPLETION'
  /** Runs with a paywall or another surface that failed. Higher is harm. */
  | 'ERRORS';

export type ComponentSlotInput = {
  /** A layer of the tree that takes children. */
  layerId: string;
  /** At most 80 characters. */
  name: string;
};

export type ComponentPropertyInput = {
  layerId: string;
  /** Names of members, from the layer inward; at most 8. */
  path: Array<string>;
};

export type ComponentContentInput = {
  /**
   * A layer as manifests have it, whose ids are all different: at most 65,536 bytes and 200 layers. Components inside of it
   * become plain layers.
   */
  tree: unknown;
  /** At most 20. */
  slots?: Array<ComponentSlotInput>;
  /** At most 500. Left out: everything. */
  overridable?: Array<ComponentPropertyInput> | null | undefined;
};

export type EditOperationKind =
  /** Gives a property a value: `node`, `path`, `value` (left out: null). */
  | 'set'
  /** Removes a property: `node`, `path`. */
  | 'unset'
  /** Adds a node: `parent`, `slot`, `subtree`, and the neighbors to be, `after` and `before`. */
  | 'insert'
  /** Moves a node: `node`, `parent`, `slot`, `after`, `before`. */
  | 'move'
  /** Removes a node and all inside it: `node`. */
  | 'remove'
  /**
   * Gives a key another name wherever it is used: `key` (`field`, `option` or `attribute`), `from`, `to`, and for an option
   * `owner`, the layer.
   */
  | 'rename';

/** A change of one node, or of one key everywhere. Members that `op` does not take are an error. */
export type EditOperationInput = {
  op: EditOperationKind;
  node?: string | null | undefined;
  /** Names of members inside the node; no indexes. */
  path?: Array<string> | null | undefined;
  value?: unknown;
  parent?: string | null | undefined;
  slot?: string | null | undefined;
  after?: string | null | undefined;
  before?: string | null | undefined;
  subtree?: unknown;
  key?: string | null | undefined;
  owner?: string | null | undefined;
  from?: string | null | undefined;
  to?: string | null | undefined;
};

/** A named change that is applied whole or not at all. */
export type EditStepInput = {
  /** The words for it in the history, such as `Move “Continue”`: at most 200 characters. */
  name?: string;
  operations: Array<EditOperationInput>;
};

/** Where the caller's pointer is on a screen of a draft. */
export type DraftPointerInput = {
  /** The id of the screen. */
  screen: string;
  /** Pixels of the screen, from its left: at most 100,000 either way. */
  x: number;
  /** Pixels of the screen, from its top: at most 100,000 either way. */
  y: number;
};

/** Where the caller is in a draft: at most 512 bytes of ids. */
export type AnnounceInDraftInput = {
  flowId: string;
  /** Names the open editor: a UUID. */
  clientId: string;
  screen?: string | null | undefined;
  layers?: Array<string>;
  pointer?: DraftPointerInput | null | undefined;
  /** Whether the caller closes the draft. */
  leaves?: boolean;
  /** Rises with what an open editor says: what arrives after a later one is left out. 0: as it arrives. */
  sequence?: number;
};

export type ExperimentStatus =
  | 'DRAFT'
  | 'RUNNING'
  /** The end date has passed: assignment continues, frozen, until a member promotes or extends. */
  | 'PENDING_DECISION'
  | 'STOPPED';

export type ExperimentSplitBy =
  /** The `appUserId`: a signed-in user with two devices may see two variants and counts twice. */
  | 'DEVICE'
  /**
   * The `customUserId`, and the device until it is known. The variant that was served first stays: a user who signs in
   * keeps it on all devices and counts once.
   */
  | 'CUSTOM_USER_ID';

export type VariantInput = {
  /** 1 to 64 of a-z, 0-9, _ and -. */
  key: string;
  name?: string;
  /** Whole number; all weights together are at most 1,048,576. */
  weight: number;
  versionId?: string | null | undefined;
};

export type ExperimentGoalInput = {
  /** A goal of the app. */
  goalId: string;
  /** Whether it decides, in place of completion: one goal at most. Frozen once the experiment was started. */
  primary?: boolean;
};

export type CreateExperimentInput = {
  channelId: string;
  name: string;
  splitBy?: ExperimentSplitBy;
  endsAt?: string | null | undefined;
  /**
   * Inputs of the sample size planner, an object of numbers, all optional: `baseline` (completion of the control, 0 to 1;
   * 0.5), `effect` (difference to find, 0.05), `alpha` (0.05), `power` (0.8), `completionDays` (1), `purchaseDays` (3) and
   * `goalDays` (that of purchases), each 1, 3, 7 or 14. With a primary goal, `baseline` is the share of users who meet it.
   * Other keys are kept as they are.
   */
  planner?: unknown;
  /** At most 20. The first is the control. */
  variants?: Array<VariantInput> | null | undefined;
  /** Goals that results measure, at most 10. */
  goals?: Array<ExperimentGoalInput> | null | undefined;
};

/** Parts of a draft to change; what is left out stays. */
export type UpdateExperimentInput = {
  id: string;
  name?: string | null | undefined;
  /** Frozen once it was started. */
  splitBy?: ExperimentSplitBy | null | undefined;
  endsAt?: string | null | undefined;
  /**
   * Inputs of the sample size planner, an object of numbers, all optional: `baseline` (completion of the control, 0 to 1;
   * 0.5), `effect` (difference to find, 0.05), `alpha` (0.05), `power` (0.8), `completionDays` (1), `purchaseDays` (3) and
   * `goalDays` (that of purchases), each 1, 3, 7 or 14. With a primary goal, `baseline` is the share of users who meet it.
   * Other keys are kept as they are.
   */
  planner?: unknown;
  /** Replaces all variants. */
  variants?: Array<VariantInput> | null | undefined;
  /** Replaces all goals, also once it was started: which one is primary must then stay. */
  goals?: Array<ExperimentGoalInput> | null | undefined;
};

export type ExperimentVerdict =
  | 'WINNING'
  | 'LOSING'
  | 'UNDECIDED'
  /** A variant has fewer users than planned, or than 100. */
  | 'TOO_EARLY'
  /** Sample ratio mismatch: users were not split as planned, so that no value can be trusted. */
  | 'NONE';

export type ExperimentMetricKind =
  /** Share of users who met a goal between their first exposure and the end of the window of goals. */
  | 'GOAL'
  /** Share of users who completed a run. */
  | 'COMPLETION'
  /** Share of users with a verified first charge or trial start. */
  | 'CONVERSION'
  /** Net of refunds, whenever these came, for each user exposed. */
  | 'REVENUE'
  /** REVENUE in which values above the pooled 99.5th percentile are that percentile. */
  | 'REVENUE_WINSORIZED'
  /** Share of those who began a trial that paid afterwards, so far. */
  | 'TRIAL_CONVERSION'
  /** Share of those who were charged that got something back. Lower is better. */
  | 'REFUND_RATE'
  /** Median from first exposure to completion, of those who completed. It is not compared. */
  | 'TIME_TO_COMPLETE';

export type ExperimentUnit =
  | 'SHARE'
  | 'USD'
  | 'SECONDS';

export type ExperimentPhase =
  /** Intervals are an always-valid sequence at half the error rate: they hold however often one looks. */
  | 'RUNNING'
  /** The planned end has passed: one fixed interval at half the error rate, of who was exposed before it. */
  | 'ENDED'
  /** Extended beyond the planned end, whose look is spent: the sequence. */
  | 'EXTENDED';

export type ProblemSeverity =
  | 'ERROR'
  | 'WARNING';

/**
 * What every report of a request has in common. A run is one mounted pass of a user through a version of the flow. It
 * belongs to the range when it starts in it; what happens in it later counts whenever it comes. A run's values, such as
 * its version or country, are those of its first event that has any of their group.
 */
export type FlowAnalyticsScope = {
  flowId: string;
  environment?: EnvironmentKind;
  /** Of the starts of runs; left out for the last seven days of the zone. */
  range?: RangeInput | null | undefined;
  /** IANA name; days and buckets begin at its midnight. */
  timeZone?: string;
  /** Ids of versions of the flow; left out for all. */
  versions?: Array<string> | null | undefined;
  /** Left out for all. */
  channels?: Array<string> | null | undefined;
  platform?: Platform | null | undefined;
  segmentId?: string | null | undefined;
  /** Runs that were a variant of this experiment. */
  experimentId?: string | null | undefined;
  /** Keys of variants of the experiment; left out for all. */
  variants?: Array<string> | null | undefined;
  filters?: FlowFilters | null | undefined;
  customProperty?: CustomPropertyFilter | null | undefined;
};

/** What the runs of every flow of an app are filtered by, as in FlowAnalyticsScope. */
export type AppFlowScope = {
  environment?: EnvironmentKind;
  range?: RangeInput | null | undefined;
  timeZone?: string;
  channels?: Array<string> | null | undefined;
  platform?: Platform | null | undefined;
  segmentId?: string | null | undefined;
  filters?: FlowFilters | null | undefined;
  customProperty?: CustomPropertyFilter | null | undefined;
};

/** Filters by what a run says, each with one operator; the values of one are alternatives. A run without a value has "". */
export type FlowFilters = {
  /** As the device writes it, such as en-GB. */
  locale?: ExactFilter | null | undefined;
  /** First subtag of the locale in lower case, such as en. */
  language?: ExactFilter | null | undefined;
  /** Two letters, upper case. */
  country?: ExactFilter | null | undefined;
  region?: ExactFilter | null | undefined;
  appVersion?: ExactFilter | null | undefined;
  device?: ExactFilter | null | undefined;
  browser?: ExactFilter | null | undefined;
  os?: ExactFilter | null | undefined;
  /** Of the user's first touch, as the next three; empty of users whom no product event showed. */
  acquisitionChannel?: ExactFilter | null | undefined;
  source?: ExactFilter | null | undefined;
  medium?: ExactFilter | null | undefined;
  campaign?: ExactFilter | null | undefined;
};

/** Runs whose custom property has one of the values: texts as they are, numbers and booleans as JSON writes them. */
export type CustomPropertyFilter = {
  key: string;
  values: Array<string>;
};

export type FlowRunState =
  /** An event came within the last 30 minutes. */
  | 'OPEN'
  | 'COMPLETED'
  | 'ABANDONED'
  /** No event for 30 minutes. */
  | 'LAPSED';

export type FlowStepKind =
  | 'SCREEN'
  | 'SURFACE';

export type CohortDimension =
  | 'PLATFORM'
  /** First subtag of the locale. */
  | 'LANGUAGE'
  | 'LOCALE'
  | 'APP_VERSION'
  | 'COUNTRY'
  | 'DEVICE'
  | 'BROWSER'
  | 'OS'
  /** Id of the version of the flow. */
  | 'VERSION'
  /** Public id of the channel. */
  | 'CHANNEL'
  /**
   * Key of the variant, after the name of its experiment unless the scope names that: `Goal first: short`. Empty without an
   * experiment.
   */
  | 'VARIANT'
  /** Of the user's first touch, as the next two; empty of users whom no product event showed. */
  | 'ACQUISITION_CHANNEL'
  | 'SOURCE'
  | 'CAMPAIGN'
  | 'CUSTOM_PROPERTY';

export type MissingPartKind =
  /** A file of the media library. */
  | 'FILE'
  /** A font of the branding, which the caller may not change (`app:settings`, and `media:manage` for its files). */
  | 'FONT'
  /** A gradient of the branding. */
  | 'GRADIENT';

export type FunnelNextKind =
  | 'PAGE_VIEW'
  | 'SCREEN_VIEW'
  | 'EVENT';

export type FunnelOutcome =
  /** All who entered the step. */
  | 'ENTERED'
  /** Entered the next step. */
  | 'CONTINUED'
  /** Went no further, and can't any more. */
  | 'DROPPED'
  /** Went no further yet, and their window has not passed. */
  | 'OPEN';

export type FunnelUnit =
  /** All that a visitor does within the window. */
  | 'VISITOR'
  /** One session, for at most 24 hours. Runs and charges belong to the session that began last before them. */
  | 'SESSION';

export type FunnelOrder =
  /** Anything but an exclusion may happen between two steps. */
  | 'LOOSE'
  /** Nothing of a kind that a step names may happen between two steps: page views, screen views, events, charges. */
  | 'STRICT';

/**
 * Every time that the first step is met an attempt begins; each further step is the earliest later event, view, run or
 * charge that meets it within the window.
 */
export type FunnelInput = {
  /** 2 to 10. */
  steps: Array<FunnelStepInput>;
  /** At most 5. An attempt ends that meets one between two steps. */
  exclusions?: Array<GoalConditionInput> | null | undefined;
  by?: FunnelUnit;
  order?: FunnelOrder;
  /** How long after the first step the last may be: 1 minute to 129600, which is 90 days. Of visitors only. */
  windowMinutes?: number;
};

/** Exactly one of goalId and condition is set. */
export type FunnelStepInput = {
  /** At most 100 characters. */
  name?: string | null | undefined;
  goalId?: string | null | undefined;
  condition?: GoalConditionInput | null | undefined;
};

export type CreateFunnelInput = {
  appId: string;
  /** 1 to 100 characters; no other funnel of the app has it. */
  name: string;
  funnel: FunnelInput;
};

/** Parts to change; what is left out stays. */
export type UpdateFunnelInput = {
  id: string;
  name?: string | null | undefined;
  funnel?: FunnelInput | null | undefined;
};

export type DeleteFunnelInput = {
  id: string;
};

export type GoalMetric =
  | 'CONVERTERS'
  | 'CONVERSIONS'
  | 'RATE'
  | 'REVENUE';

export type GoalDimension =
  | 'ACQUISITION_CHANNEL'
  | 'REFERRER'
  | 'SOURCE'
  | 'CAMPAIGN'
  | 'MEDIUM'
  | 'CONTENT'
  | 'TERM'
  | 'ADSET'
  | 'CREATIVE'
  | 'COUNTRY'
  | 'REGION'
  | 'CITY'
  | 'BROWSER'
  | 'OS'
  | 'DEVICE'
  | 'ENTRY'
  | 'EXIT';

/** Which events, views, runs or charges meet a goal. Exactly one member is set. */
export type GoalConditionInput = {
  event?: GoalEventInput | null | undefined;
  /** Views of pages of the web. */
  page?: GoalViewInput | null | undefined;
  /** Views of screens of apps. */
  screen?: GoalViewInput | null | undefined;
  flow?: GoalFlowInput | null | undefined;
  purchase?: GoalPurchaseInput | null | undefined;
};

export type GoalEventInput = {
  /** The exact name; built-in ones such as `first_open` too. */
  name: string;
};

export type GoalOperator =
  /** The whole name, in which * stands for any text without a slash and ** for any text. */
  | 'IS'
  /** A part of the name; every character stands for itself. */
  | 'CONTAINS';

export type GoalViewInput = {
  op?: GoalOperator;
  name: string;
};

export type GoalFlowOutcome =
  | 'STARTED'
  | 'COMPLETED'
  /** A view of `step`. */
  | 'STEP_REACHED';

/** A run counts once: when it starts, is first completed, or first shows the step. */
export type GoalFlowInput = {
  flowId: string;
  outcome: GoalFlowOutcome;
  /** Id of a screen or surface, with STEP_REACHED only. */
  step?: string | null | undefined;
};

/** First charges and renewals of which all that is set holds. */
export type GoalPurchaseInput = {
  /** At most 100 ids of products, which are alternatives. Left out, any product. */
  products?: Array<string> | null | undefined;
  /** Left out, any provider. */
  provider?: RevenueProvider | null | undefined;
  /** Least amount in US dollars. */
  minUsd?: number | null | undefined;
  /** Greatest amount in US dollars, included. */
  maxUsd?: number | null | undefined;
};

export type CreateGoalInput = {
  appId: string;
  /** 1 to 100 characters; no other goal of the app has it. */
  name: string;
  condition: GoalConditionInput;
};

/** Parts to change; what is left out stays. */
export type UpdateGoalInput = {
  id: string;
  name?: string | null | undefined;
  /** Replaces the condition, in reports of the past as well. */
  condition?: GoalConditionInput | null | undefined;
};

export type DeleteGoalInput = {
  id: string;
};

export type HistorySource =
  /** CSV with the columns of the documentation. */
  | 'CSV'
  /** The same columns as Parquet: by `svc import parquet` alone, `createHistoryImport` refuses it. */
  | 'PARQUET'
  /** The events model of PostHog as JSON lines. */
  | 'POSTHOG'
  /** Umami's table `website_event` as CSV. */
  | 'UMAMI'
  /** Visits of Matomo's `Live.getLastVisitsDetails` as JSON. */
  | 'MATOMO'
  /** Google Analytics 4's export to BigQuery as JSON lines. */
  | 'GA4'
  /**
   * Plausible's export: tables of totals per day as CSV, or the ZIP archive of them. Totals are no events: see
   * `App.importedTotals`.
   */
  | 'PLAUSIBLE';

export type HistoryImportState =
  | 'UPLOADING'
  /** All of the file is there; nothing is imported yet. */
  | 'READY'
  | 'RUNNING'
  | 'FINISHED'
  /** `problem` says why. What was stored is kept until the import is removed. */
  | 'FAILED'
  | 'REMOVING';

export type CreateHistoryImportInput = {
  appId: string;
  environment?: EnvironmentKind;
  source: HistorySource;
  fileName: string;
  /** Of the file: 1 to 1,073,741,824. */
  bytes: number;
};

/** A card of an app's home page. */
export type HomeCard =
  /** The metrics of the range, one of them over time. */
  | 'TREND'
  | 'SOURCES'
  | 'PAGES'
  | 'LOCATIONS'
  | 'DEVICES'
  | 'EVENTS'
  | 'GOALS'
  /** Flows by their runs, with their completion rate. */
  | 'FLOWS'
  | 'EXPERIMENTS'
  /** Net revenue over time. */
  | 'REVENUE';

export type SetHomeLayoutInput = {
  appId: string;
  /** At least one, and each once, in the order in which they are shown; null brings the usual ones back. */
  cards?: Array<HomeCard> | null | undefined;
};

/** What becomes of a custom user ID that nothing proves. */
export type IdentityProofMode =
  /** It is taken. */
  | 'OFF'
  /** It is taken, and counted. */
  | 'WATCH'
  /** It is treated as absent: the device stays anonymous. */
  | 'REQUIRED';

export type ImportedDimension =
  | 'SOURCE'
  | 'REFERRER'
  | 'MEDIUM'
  | 'CAMPAIGN'
  | 'CONTENT'
  | 'TERM'
  | 'PAGE'
  | 'ENTRY'
  | 'EXIT'
  | 'COUNTRY'
  | 'DEVICE'
  | 'BROWSER'
  | 'OS'
  | 'EVENT';

export type IngestGrain =
  | 'HOUR'
  | 'DAY';

export type MediaType =
  | 'IMAGE'
  | 'LOTTIE'
  | 'VIDEO'
  | 'FONT';

/** Metrics of sessions. They order tables, descending unless `ascending`; ties go by the value's bytes, null comes last. */
export type SessionMetric =
  | 'VISITORS'
  | 'SESSIONS'
  | 'VIEWS'
  | 'EVENTS'
  | 'NEW_VISITORS'
  | 'BOUNCE_RATE'
  | 'AVERAGE_SESSION_SECONDS'
  | 'VIEWS_PER_SESSION'
  | 'REVENUE';

/**
 * PAGE has VISITORS, SESSIONS, VIEWS, AVERAGE_SECONDS_ON_PAGE, ENTRIES, EXITS and EXIT_RATE, ENTRY those of sessions,
 * EXIT has VISITORS, SESSIONS and EXIT_RATE. A column that the dimension lacks is an error.
 */
export type EngagementMetric =
  | 'VISITORS'
  | 'SESSIONS'
  | 'VIEWS'
  | 'EVENTS'
  | 'NEW_VISITORS'
  | 'BOUNCE_RATE'
  | 'AVERAGE_SESSION_SECONDS'
  | 'VIEWS_PER_SESSION'
  | 'REVENUE'
  | 'AVERAGE_SECONDS_ON_PAGE'
  | 'ENTRIES'
  | 'EXITS'
  | 'EXIT_RATE';

export type EventMetric =
  | 'COUNT'
  | 'VISITORS'
  | 'SESSIONS'
  | 'LAST_SEEN';

export type EventSeriesMetric =
  | 'COUNT'
  | 'VISITORS'
  | 'SESSIONS';

export type VisitorMetric =
  | 'LAST_SEEN'
  | 'FIRST_SEEN'
  | 'SESSIONS'
  | 'VIEWS'
  | 'EVENTS'
  | 'REVENUE_USD'
  | 'RUNS'
  | 'COMPLETED_RUNS';

/** Columns of a retention breakdown. */
export type RetentionMetric =
  | 'VISITORS'
  | 'DAY1_RETURNED'
  | 'DAY1_ELIGIBLE'
  | 'DAY1_RATE'
  | 'DAY3_RETURNED'
  | 'DAY3_ELIGIBLE'
  | 'DAY3_RATE'
  | 'DAY7_RETURNED'
  | 'DAY7_ELIGIBLE'
  | 'DAY7_RATE'
  | 'DAY14_RETURNED'
  | 'DAY14_ELIGIBLE'
  | 'DAY14_RATE'
  | 'DAY30_RETURNED'
  | 'DAY30_ELIGIBLE'
  | 'DAY30_RATE';

export type NotificationKind =
  /** An experiment waits for a decision because its end has come, or was stopped or promoted. */
  | 'EXPERIMENT_ENDED'
  /** The users of an experiment are not split over its variants as the weights say, so its results can't be relied on. */
  | 'EXPERIMENT_SPLIT'
  /** A new version of a channel is worse than the one before it: fewer runs are completed, or more have an error. */
  | 'VERSION_HARM'
  /** The monthly active users are 80 % of the plan's limit. Once per month. */
  | 'PLAN_LIMIT_NEAR'
  /** The monthly active users are as many as the plan's limit. Once per month. */
  | 'PLAN_LIMIT_REACHED'
  /** A payment is late, or SDK traffic is refused because of it. */
  | 'SUBSCRIPTION_PAST_DUE'
  /** Webhooks are no longer sent to an endpoint because it failed for days or answered 410. */
  | 'ENDPOINT_DISABLED'
  /** A good part of an environment's events was rejected. At most once per day. */
  | 'INGEST_REFUSED'
  /** Deliveries of a billing provider are refused or not understood. */
  | 'REVENUE_FAILING'
  /** An alert that a member made fires, or resolved. */
  | 'ALERT'
  /** Someone asks that a draft be published. */
  | 'PUBLISH_REQUESTED';

export type NotificationSeverity =
  /** Worth knowing: nothing is wrong. */
  | 'INFO'
  /** A failure is ahead, or metrics can't be relied on. */
  | 'WARNING'
  /** Something is refused or lost now. */
  | 'CRITICAL';

export type ParquetExportFrequency =
  /** When `runParquetExport` asks for it. */
  | 'NEVER'
  /** Within each hour. */
  | 'HOURLY'
  /** After midnight UTC. */
  | 'DAILY';

export type ParquetExportState =
  | 'RUNNING'
  | 'SUCCEEDED'
  /** `problem` says why. Files that were written are kept, and the next run goes on. */
  | 'FAILED';

export type ParquetDestinationInput = {
  /** URL of the storage, such as `https://s3.eu-central-1.amazonaws.com`. */
  endpoint: string;
  /** Left out, the storage is asked. */
  region?: string;
  bucket: string;
  /** Of the names of all files, such as `exports/svc`. */
  prefix?: string;
  accessKeyId: string;
  /** Left out, the stored one stays: it belongs to the endpoint and the access key that it was stored with. */
  secretAccessKey?: string | null | undefined;
};

export type SaveParquetExportInput = {
  appId: string;
  environment?: EnvironmentKind;
  destination: ParquetDestinationInput;
  frequency?: ParquetExportFrequency;
};

export type CheckParquetExportInput = {
  appId: string;
  environment?: EnvironmentKind;
  destination: ParquetDestinationInput;
};

export type PathKind =
  | 'PAGE'
  | 'SCREEN'
  /** A custom event; as an anchor also a built-in one, such as `session_start`, but no view. */
  | 'EVENT';

export type PathDirection =
  | 'AFTER'
  | 'BEFORE';

/**
 * A session counts once, from the first time in the range that it shows the anchor. What it shows again without anything
 * between counts once.
 */
export type PathsInput = {
  anchor: PathAnchorInput;
  direction?: PathDirection;
  /** 2 to 8, with that of the anchor. */
  steps?: number;
  /** Kinds of the other nodes; left out, all. */
  kinds?: Array<PathKind> | null | undefined;
  /**
   * At most 20 patterns of at most 1,024 bytes together. Names that match one become one node of their kind, under the
   * first that they match; * stands for any text without a slash and ** for any text.
   */
  groups?: Array<string> | null | undefined;
};

/** In the name, * stands for any text without a slash and ** for any text; all that match are one node. */
export type PathAnchorInput = {
  kind: PathKind;
  name: string;
};

export type Consent =
  | 'GRANTED'
  | 'DENIED'
  /** Nobody was asked; never enough to send. */
  | 'UNKNOWN';

export type PersonStatus =
  /** A flow was completed. */
  | 'COMPLETED'
  | 'IN_PROGRESS';

export type PersonTimelineKind =
  | 'SESSION'
  /** A product event. */
  | 'HIT'
  /** Of a flow. */
  | 'RUN'
  /** A row of the ledger, refunds too. */
  | 'PURCHASE'
  /** An entry. */
  | 'AUTOMATION'
  /** Sent by an automation. */
  | 'WEBHOOK'
  /** Sent by an automation: pending, sent, suppressed or failed. */
  | 'EMAIL';

export type EventKind =
  /** Product events and sessions. */
  | 'PRODUCT'
  /** Flow events and runs. */
  | 'FLOW'
  /** Track events. */
  | 'TRACK';

export type SetRetentionInput = {
  appId: string;
  kind: EventKind;
  /** 1 to 3,653; left out, the kind is kept as long as the server keeps it. */
  days?: number | null | undefined;
};

/** A user, by one of the two. */
export type ErasePersonInput = {
  appId: string;
  environment: EnvironmentKind;
  /** A device; all devices go that have the same custom user id. */
  appUserId?: string | null | undefined;
  customUserId?: string | null | undefined;
};

/** A user, by one of the two. */
export type ExportPersonInput = {
  appId: string;
  environment: EnvironmentKind;
  /** A device; everything of all devices is exported that have the same custom user id. */
  appUserId?: string | null | undefined;
  customUserId?: string | null | undefined;
  /**
   * The `endCursor` of the page before, which the same member or API key was given, of the same user and of an archive
   * that was begun within a day.
   */
  after?: string | null | undefined;
};

/** The state of a delivery. */
export type RevenueDeliveryState =
  /** It is booked, or changes nothing that is. */
  | 'HANDLED'
  /** It does not concern revenue, or is of a store that the source does not report. */
  | 'IGNORED'
  /** Its form is none that the provider documents. */
  | 'UNMAPPED'
  /** Booking it went wrong: a replay books it. */
  | 'FAILED';

export type MapRevenueInput = {
  appId: string;
  environment: EnvironmentKind;
  provider: RevenueProvider;
  subject: string;
  /** The device of the payer; left out, a match made by hand is removed. */
  appUserId?: string | null | undefined;
};

/**
 * The scope of all metrics of a request. Each list of values keeps the revenue, and the subscriptions, that have one of
 * them; at most 100.
 */
export type RevenueScope = {
  appId: string;
  environment?: EnvironmentKind;
  /** Left out for the last seven days of the zone. */
  range?: RangeInput | null | undefined;
  /** IANA name; days and buckets begin at its midnight. */
  timeZone?: string;
  basis?: RevenueBasis;
  providers?: Array<RevenueProvider> | null | undefined;
  /** In lower case, such as `app_store`. */
  stores?: Array<string> | null | undefined;
  products?: Array<string> | null | undefined;
  /** Two letters, upper case. */
  countries?: Array<string> | null | undefined;
  /** ISO 8601: P1D, P3D, P1W, P2W, P1M, P2M, P3M, P6M or P1Y; empty for what is bought once. */
  periodLengths?: Array<string> | null | undefined;
  /** Ids of versions of flows: of subscriptions and single charges that a run of them led to. */
  flowVersions?: Array<string> | null | undefined;
  /**
   * The same of variants of experiments, as the breakdown by EXPERIMENT_ARM names them:
   * `<experiment id>/<key of the arm>`.
   */
  experimentArms?: Array<string> | null | undefined;
};

/** When refunds and chargebacks count. Charges count at their own time by both. */
export type RevenueBasis =
  /** At their own time: what moved in the range. */
  | 'EVENT'
  /** Refunds of the charges of the range, at the time of each charge. */
  | 'CHARGE';

export type RevenueDimension =
  | 'PROVIDER'
  | 'STORE'
  | 'PRODUCT'
  | 'COUNTRY'
  /** ISO 8601, such as P1M; empty for what is bought once. */
  | 'PERIOD_LENGTH'
  /** The name of the channel of the user's first touch; empty without one. */
  | 'ACQUISITION_CHANNEL'
  /**
   * Id of the version of a flow, of the run that the first trial or charge of a subscription belongs to, or a single
   * charge; empty without one. docs/analytics.md has the rule.
   */
  | 'FLOW_VERSION'
  /** The variant of an experiment that the same run was, as `<experiment id>/<key of the arm>`; empty without one. */
  | 'EXPERIMENT_ARM';

export type ReportFrequency =
  /** On Mondays, about the week before. */
  | 'WEEKLY'
  /** On the first of the month, about the month before. */
  | 'MONTHLY';

export type ReportDestination =
  /** The address of the member's account, once it is confirmed. */
  | 'EMAIL'
  /** An incoming webhook of Slack. */
  | 'SLACK';

export type ScheduledReportState =
  /** It waits to be sent. */
  | 'PENDING'
  /** The SMTP server or Slack took it. */
  | 'SENT'
  /** It was not wanted any more, or the address is not confirmed. */
  | 'DROPPED'
  | 'FAILED';

export type CreateScheduledReportInput = {
  appId: string;
  environment?: EnvironmentKind;
  frequency: ReportFrequency;
  timeZone: string;
  destination: ReportDestination;
  /** Of SLACK: the URL of the incoming webhook. */
  slackUrl?: string | null | undefined;
};

/** What to change; what is left out stays. */
export type UpdateScheduledReportInput = {
  id: string;
  frequency?: ReportFrequency | null | undefined;
  timeZone?: string | null | undefined;
  slackUrl?: string | null | undefined;
  active?: boolean | null | undefined;
};

/**
 * What every report of a request has in common. The sessions that qualify are selected once and shared by all reports
 * under it.
 */
export type ScopeInput = {
  environment?: EnvironmentKind;
  /** Left out: all platforms. */
  platform?: Platform | null | undefined;
  /** Left out: from 00:00 six days ago, in the time zone, to now. */
  range?: RangeInput | null | undefined;
  /** Any IANA zone; days, weeks and months are those of this zone. */
  timeZone?: string;
  /** Limits reports to the users of an audience. */
  segmentId?: string | null | undefined;
  /** Exact filters, as a click on a row of a table sets them. */
  columns?: ColumnFilters | null | undefined;
  /** Filters with an operator. A session qualifies when it passes all of them. */
  cross?: CrossFilters | null | undefined;
  /** Limits revenue, never users. */
  revenueProvider?: RevenueProvider | null | undefined;
};

/** From start, included, to end, excluded. */
export type RangeInput = {
  start: string;
  end: string;
};

export type Platform =
  | 'WEB'
  | 'IOS'
  | 'ANDROID'
  /** IOS and ANDROID. */
  | 'MOBILE';

export type RevenueProvider =
  | 'REVENUECAT'
  | 'SUPERWALL'
  | 'STRIPE';

export type Grain =
  /** An extension: the other three are the common ones. */
  | 'HOUR'
  | 'DAY'
  /** From Monday. */
  | 'WEEK'
  | 'MONTH';

/** One exact value each; the empty string is the value "(none)". */
export type ColumnFilters = {
  source?: string | null | undefined;
  medium?: string | null | undefined;
  campaign?: string | null | undefined;
  content?: string | null | undefined;
  term?: string | null | undefined;
  adset?: string | null | undefined;
  creative?: string | null | undefined;
  browser?: string | null | undefined;
  os?: string | null | undefined;
  device?: string | null | undefined;
  country?: string | null | undefined;
  region?: string | null | undefined;
  city?: string | null | undefined;
  page?: string | null | undefined;
  entry?: string | null | undefined;
  exit?: string | null | undefined;
};

/**
 * At most one filter a dimension; its values are alternatives. The filters of flow, flowVersion, variant and flowOutcome
 * keep the sessions of users with a run of a flow, started in the range, that all of them describe; IS_NOT keeps out
 * users with such a run that has the value.
 */
export type CrossFilters = {
  acquisitionChannel?: ExactFilter | null | undefined;
  referrer?: ExactFilter | null | undefined;
  source?: ExactFilter | null | undefined;
  medium?: ExactFilter | null | undefined;
  country?: ExactFilter | null | undefined;
  region?: ExactFilter | null | undefined;
  browser?: ExactFilter | null | undefined;
  os?: ExactFilter | null | undefined;
  device?: ExactFilter | null | undefined;
  campaign?: TextFilter | null | undefined;
  page?: TextFilter | null | undefined;
  event?: TextFilter | null | undefined;
  entry?: TextFilter | null | undefined;
  exit?: TextFilter | null | undefined;
  /** Ids. */
  flow?: ExactFilter | null | undefined;
  /** Ids. */
  flowVersion?: ExactFilter | null | undefined;
  /** Id or key, as flow events carry it; empty outside of experiments. */
  variant?: ExactFilter | null | undefined;
  /** completed, abandoned, lapsed (timed out: no event for 30 minutes) or open. */
  flowOutcome?: ExactFilter | null | undefined;
  /**
   * Ids of goals of the app. Keeps the sessions of users who met one of them in the range, whatever else filters; IS_NOT
   * keeps out those users. Not taken in the rules of a segment, which have `where.goal`.
   */
  goal?: ExactFilter | null | undefined;
};

export type ExactOperator =
  | 'IS'
  /** Keeps an empty value. */
  | 'IS_NOT';

export type ExactFilter = {
  op?: ExactOperator;
  values: Array<string>;
};

/** CONTAINS is case-sensitive and takes every character as itself. */
export type TextOperator =
  | 'IS'
  | 'IS_NOT'
  | 'CONTAINS'
  | 'DOES_NOT_CONTAIN';

export type TextFilter = {
  op?: TextOperator;
  values: Array<string>;
};

export type AttributionDimension =
  | 'ACQUISITION_CHANNEL'
  | 'REFERRER'
  | 'SOURCE'
  | 'CAMPAIGN'
  | 'MEDIUM'
  | 'CONTENT'
  | 'TERM'
  | 'ADSET'
  | 'CREATIVE';

export type TechnologyDimension =
  | 'BROWSER'
  | 'OS'
  | 'DEVICE';

export type LocationDimension =
  | 'COUNTRY'
  | 'REGION'
  | 'CITY';

export type EngagementDimension =
  | 'PAGE'
  | 'ENTRY'
  | 'EXIT';

export type RetentionDimension =
  | 'SOURCE'
  | 'CAMPAIGN'
  | 'COUNTRY'
  | 'PLATFORM'
  | 'DEVICE';

/**
 * Users with at least one session of the last days that passes, of whom `where` holds. With `where` and no filter of
 * sessions nobody needs a session. Rules are about one app user id: what the app said of a user counts for each of their
 * devices, what a device did for that device.
 */
export type SegmentRulesInput = {
  platform?: Platform | null | undefined;
  columns?: ColumnFilters | null | undefined;
  cross?: CrossFilters | null | undefined;
  where?: SegmentCondition | null | undefined;
};

/**
 * Exactly one member is set. A condition has at most 50 with its parts, five levels and 32 KiB of texts. A negation
 * chooses from everybody whom product events have shown, whom the app identified, or whom another of the conditions finds.
 */
export type SegmentCondition = {
  all?: Array<SegmentCondition> | null | undefined;
  any?: Array<SegmentCondition> | null | undefined;
  not?: SegmentCondition | null | undefined;
  person?: PersonCondition | null | undefined;
  /** Of the attributes that identify set. */
  attribute?: ValueCondition | null | undefined;
  seen?: SeenCondition | null | undefined;
  event?: EventCondition | null | undefined;
  flow?: FlowCondition | null | undefined;
  money?: MoneyCondition | null | undefined;
  funnel?: FunnelCondition | null | undefined;
  path?: PathCondition | null | undefined;
  /** Met a goal. */
  goal?: ConversionCondition | null | undefined;
};

/**
 * The negative ones hold for what is unknown, too. CONTAINS looks for a part of a text; of a list, IS and CONTAINS
 * look at each entry.
 */
export type ConditionOperator =
  | 'IS'
  | 'IS_NOT'
  | 'CONTAINS'
  | 'DOES_NOT_CONTAIN'
  | 'MORE'
  | 'AT_LEAST'
  | 'LESS'
  | 'AT_MOST'
  | 'EXISTS'
  | 'ABSENT';

/**
 * Compares a value by its key with alternative texts (at most 100 of 1,024 bytes), a number or a flag: IS and IS_NOT with
 * one of the three, CONTAINS with texts, the orders with a number. Values of different types never match.
 */
export type ValueCondition = {
  key: string;
  op: ConditionOperator;
  texts?: Array<string> | null | undefined;
  number?: number | null | undefined;
  flag?: boolean | null | undefined;
};

/** What identify said last, and, from FIRST_SOURCE on, the first touch of the device. Empty where nobody said it. */
export type PersonField =
  | 'CUSTOM_USER_ID'
  | 'EMAIL'
  | 'LOCALE'
  /** The first part of the locale, in lower case. */
  | 'LANGUAGE'
  | 'COUNTRY'
  | 'TIMEZONE'
  /** `granted`, `denied` or `unknown`. */
  | 'MARKETING_CONSENT'
  | 'FIRST_SOURCE'
  | 'FIRST_MEDIUM'
  | 'FIRST_CAMPAIGN'
  | 'FIRST_COUNTRY'
  | 'FIRST_PLATFORM'
  | 'FIRST_DEVICE';

/** IS, IS_NOT, CONTAINS and DOES_NOT_CONTAIN compare with alternative texts; EXISTS and ABSENT take none. */
export type PersonCondition = {
  field: PersonField;
  op: ConditionOperator;
  texts?: Array<string> | null | undefined;
};

export type SeenEnd =
  | 'FIRST'
  | 'LAST';

/**
 * When the first or the latest product event was: within the last days, days as of UTC and today among them, or before
 * them. Exactly one of the two is set.
 */
export type SeenCondition = {
  which: SeenEnd;
  /** 1 to 1827. */
  withinDays?: number | null | undefined;
  beforeDays?: number | null | undefined;
};

export type EventSource =
  /** Product events, by their names in reports. */
  | 'PRODUCT'
  /** What the host tracked for automations. */
  | 'TRACK';

/** Did something often enough: in the last days, from `from` to before `to`, or without either in the segment's days. */
export type EventCondition = {
  name: string;
  source?: EventSource;
  /** 1 to 10,000. */
  atLeast?: number;
  /** All of which an occurrence must meet to count; at most 10. */
  properties?: Array<ValueCondition> | null | undefined;
  withinDays?: number | null | undefined;
  from?: string | null | undefined;
  to?: string | null | undefined;
};

export type FlowConditionOutcome =
  | 'STARTED'
  | 'COMPLETED'
  /** Abandoned, and not completed. */
  | 'ABANDONED';

/**
 * Has a run, started in the last days, from `from` to before `to`, or without either in the segment's days, that is all of
 * this.
 */
export type FlowCondition = {
  /** Left out, any flow. */
  flowId?: string | null | undefined;
  versionId?: string | null | undefined;
  /** The run was this variant of an experiment. */
  variantId?: string | null | undefined;
  outcome: FlowConditionOutcome;
  /** Id of the step that was viewed last. */
  lastStep?: string | null | undefined;
  /** At most 10. */
  answers?: Array<FlowAnswerCondition> | null | undefined;
  withinDays?: number | null | undefined;
  from?: string | null | undefined;
  to?: string | null | undefined;
};

/** One of the options was chosen for the field at some time of the run. What users typed is not looked at. */
export type FlowAnswerCondition = {
  field: string;
  options: Array<string>;
};

export type MoneyConditionKind =
  /** Revenue net of refunds is at least `usd`. */
  | 'REVENUE'
  /** A first charge or a renewal. */
  | 'PURCHASED'
  /** A refund or a chargeback. */
  | 'REFUNDED'
  /** Has a paid period now. */
  | 'SUBSCRIBED'
  /** Has a trial now. */
  | 'TRIALING';

/**
 * What the ledger says of purchases that are joined to the device: in the last days, from `from` to before `to`, or
 * without either of all time.
 */
export type MoneyCondition = {
  kind: MoneyConditionKind;
  /** Goes with REVENUE. */
  usd?: number | null | undefined;
  /** Looks at purchases of these products only. */
  products?: Array<string> | null | undefined;
  withinDays?: number | null | undefined;
  from?: string | null | undefined;
  to?: string | null | undefined;
};

/**
 * Began the funnel in the last days, from `from` to before `to`, or without either in the segment's days, and has the
 * outcome at the step: those whom `funnelVisitors` of that range lists, without filters. Of a funnel by session, users of
 * whom a session has the outcome. A segment has at most ten goals, funnels and paths.
 */
export type FunnelCondition = {
  /** Its steps have conditions; goals are not taken here. */
  funnel: FunnelInput;
  /** Counted from one. */
  step: number;
  outcome?: FunnelOutcome;
  withinDays?: number | null | undefined;
  from?: string | null | undefined;
  to?: string | null | undefined;
};

/**
 * Has a session in the last days, from `from` to before `to`, or without either in the segment's days, whose path has all
 * of the nodes: users of the sessions that `paths` counts, without filters.
 */
export type PathCondition = {
  path: PathsInput;
  /** At least one. Two that follow each other are a link. */
  nodes: Array<PathPointInput>;
  withinDays?: number | null | undefined;
  from?: string | null | undefined;
  to?: string | null | undefined;
};

/**
 * Met the condition of a goal in the last days, from `from` to before `to`, or without either in the segment's days: those
 * whom `goals` of that range counts as converters, without filters.
 */
export type ConversionCondition = {
  condition: GoalConditionInput;
  withinDays?: number | null | undefined;
  from?: string | null | undefined;
  to?: string | null | undefined;
};

/** A node as `paths` names it, by its name or pattern. */
export type PathPointInput = {
  /** From 1, the anchor's. */
  step: number;
  kind: PathKind;
  name: string;
};

export type CreateSegmentInput = {
  appId: string;
  name: string;
  /** Left out, the audience has imported ids only. */
  rules?: SegmentRulesInput | null | undefined;
  /** How many days back sessions count, 1 to 1827. */
  windowDays?: number;
};

/** Parts to change; what is left out stays. */
export type UpdateSegmentInput = {
  id: string;
  name?: string | null | undefined;
  /** Replaces the rules. */
  rules?: SegmentRulesInput | null | undefined;
  /** Takes the rules away, so that imported ids are left. */
  importedOnly?: boolean;
  /** 1 to 1827. */
  windowDays?: number | null | undefined;
};

export type DeleteSegmentInput = {
  id: string;
};

/** Reports that a link can share. None of them tells of single users. Their tables have revenue. */
export type SharedReport =
  | 'HOME'
  | 'ACQUISITION'
  | 'ENGAGEMENT'
  | 'EVENTS'
  | 'GOALS'
  | 'RETENTION'
  | 'LOCATIONS'
  | 'DEVICES';

export type CreateSharedLinkInput = {
  appId: string;
  environment?: EnvironmentKind;
  /** 1 to 120 characters; readers see it. */
  name: string;
  /** At least one. */
  reports: Array<SharedReport>;
  /** Its comparison is PREVIOUS, YEAR or NONE. */
  scope?: ViewScopeInput;
  /** 8 to 256 characters. Left out, the link alone opens the reports. */
  password?: string | null | undefined;
  /** Left out, it works until it is revoked. */
  expiresAt?: string | null | undefined;
  /**
   * Origins of the pages that may embed the reports, at most 20, such as https://www.example.com; `*` alone for any.
   * Left out, none may. It limits browsers that show the page of the link, not requests over GraphQL.
   */
  frameOrigins?: Array<string>;
  /** Whether the page says what it is made with. */
  poweredBy?: boolean;
};

export type RevokeSharedLinkInput = {
  id: string;
};

export type OpenSharedLinkInput = {
  token: string;
  password: string;
};

/**
 * SECOND_FACTOR: a passkey, a code after the password, or the OpenID provider. PROVIDER: the OpenID provider; the owner may do
 * without it.
 */
export type SignInRule =
  | 'ANY'
  | 'SECOND_FACTOR'
  | 'PROVIDER';

/**
 * How a session was opened. CODE: by password and a code of an authenticator app, or a recovery code. PROVIDER: by the OpenID
 * provider.
 */
export type SignInMethod =
  | 'PASSWORD'
  | 'CODE'
  | 'PASSKEY'
  | 'PROVIDER';

export type SimulatedStepKind =
  | 'SCREEN'
  | 'SURFACE'
  | 'DECISION';

/** Whether runs come to a step. */
export type SimulatedReach =
  /** Some do. */
  | 'REACHED'
  /** None is known to, but some stop before it where it is not known how they go on. */
  | 'POSSIBLE'
  /** There is a way, which none of the runs takes. */
  | 'NOBODY'
  /** No way from the entry leads there. */
  | 'NO_WAY';

export type SimulatedWayKind =
  /** Of a screen, when it is submitted. */
  | 'NEXT'
  /** A button that jumps, or ends the flow. */
  | 'BUTTON'
  /** An outcome of a button that asks for a permission. */
  | 'PERMISSION'
  /** An option of a choice that branches. */
  | 'OPTION'
  /** The end of a loader, an animation or a video. */
  | 'COMPLETE'
  /** A case of a decision. */
  | 'CASE'
  /** The else of a decision. */
  | 'ELSE'
  /** An outcome of a surface. */
  | 'OUTCOME'
  /** Any other outcome of a surface. */
  | 'FALLBACK';

/** Where a product is bought. */
export type FlowTemplateProvider =
  | 'REVENUECAT'
  | 'SUPERWALL'
  | 'STRIPE'
  /** In the app's own code, which the surface's host key tells of. */
  | 'APP';

export type FlowTemplateProductInput = {
  /** Of one of the template's products. */
  key: string;
  provider: FlowTemplateProvider;
  /**
   * The offering of RevenueCat, the placement of Superwall, the payment link of Stripe. Left out, the editor asks for it
   * where it is needed.
   */
  reference?: string;
};

/**
 * A template with what makes it an app's. The colors and the font are those of the app's branding: the first color, or
 * that with "primary" in its name, for buttons, the next one, or that with "accent", for what stands out.
 */
export type FlowTemplateInput = {
  /** Of a template of `flowTemplates`. */
  id: string;
  /** The app's name in the texts. Left out: the name that it has here. */
  appName?: string | null | undefined;
  /** Where the products are bought; those left out are sold by the app's own code. */
  products?: Array<FlowTemplateProductInput>;
};

export type ChartMarkKind =
  | 'FLOW_PUBLISHED'
  | 'CHANNEL_PINNED'
  | 'CHANNEL_UNASSIGNED'
  | 'EXPERIMENT_STARTED'
  | 'EXPERIMENT_STOPPED'
  | 'EXPERIMENT_ENDED'
  | 'EXPERIMENT_PROMOTED'
  /** A good part of the events of a day was rejected. */
  | 'INGEST_REFUSED';

export type ViewPeriod =
  | 'TODAY'
  | 'YESTERDAY'
  | 'LAST_30_MINUTES'
  | 'LAST_24_HOURS'
  | 'LAST_7_DAYS'
  | 'LAST_28_DAYS'
  | 'LAST_30_DAYS'
  | 'LAST_91_DAYS'
  | 'MONTH_TO_DATE'
  | 'LAST_MONTH'
  | 'YEAR_TO_DATE'
  | 'LAST_12_MONTHS'
  | 'ALL_TIME'
  /** The days `from` to `to`. */
  | 'CUSTOM';

export type ViewComparison =
  /** The range before, of the same length. */
  | 'PREVIOUS'
  /** The same days a year before. */
  | 'YEAR'
  | 'NONE'
  /** The same range of the segment `against`. */
  | 'SEGMENT'
  /** The same range of the version of a flow `against`: its id. */
  | 'VERSION'
  /** The same range of a variant of an experiment: `against` is the experiment's id, a slash and the variant's key. */
  | 'ARM';

/** As ViewScope; at most 16 KiB of JSON. */
export type ViewScopeInput = {
  period?: ViewPeriod;
  from?: string | null | undefined;
  to?: string | null | undefined;
  timeZone?: string | null | undefined;
  grain?: Grain | null | undefined;
  platform?: Platform | null | undefined;
  segmentId?: string | null | undefined;
  cross?: CrossFilters | null | undefined;
  comparison?: ViewComparison;
  against?: string | null | undefined;
  matchWeekdays?: boolean;
};

export type CreateSavedViewInput = {
  appId: string;
  /** No other view of the app has it. */
  name: string;
  scope: ViewScopeInput;
};

/** Parts to change; what is left out stays. */
export type UpdateSavedViewInput = {
  id: string;
  name?: string | null | undefined;
  /** Replaces the scope. */
  scope?: ViewScopeInput | null | undefined;
};

export type DeleteSavedViewInput = {
  id: string;
};

export type CreateNoteInput = {
  appId: string;
  environment?: EnvironmentKind;
  /** What it stands at: from the year 2000 to a year from now. */
  at: string;
  /** 1 to 280 characters. */
  text: string;
};

/** Parts to change; what is left out stays. */
export type UpdateNoteInput = {
  id: string;
  at?: string | null | undefined;
  text?: string | null | undefined;
};

export type DeleteNoteInput = {
  id: string;
};

export type AccountVariables = Exact<{ [key: string]: never; }>;


export type Account = { viewer: { sessions: Array<{ id: string, current: boolean, device: string, address: string, method: SignInMethod, signedInAt: string, lastSeenAt: string }> | null, secondFactor: { totpSince: string | null, recoveryCodesLeft: number, passkeys: Array<{ id: string, name: string, createdAt: string, lastUsedAt: string | null, cloned: boolean }> } | null, closedWorkspaces: Array<{ id: string, name: string, rule: SignInRule }> } | null, signInOptions: { passkeys: boolean, provider: string } };

export type BeginTotpVariables = Exact<{ [key: string]: never; }>;


export type BeginTotp = { beginTotp: { secret: string, image: string } };

export type ConfirmTotpVariables = Exact<{
  code: string;
}>;


export type ConfirmTotp = { confirmTotp: { codes: Array<string> } };

export type RemoveTotpVariables = Exact<{ [key: string]: never; }>;


export type RemoveTotp = { removeTotp: { userId: string } };

export type ReplaceRecoveryCodesVariables = Exact<{ [key: string]: never; }>;


export type ReplaceRecoveryCodes = { replaceRecoveryCodes: { codes: Array<string> } };

export type BeginPasskeyVariables = Exact<{ [key: string]: never; }>;


export type BeginPasskey = { beginPasskey: { token: string, options: unknown } };

export type AddPasskeyVariables = Exact<{
  token: string;
  name: string;
  credential: unknown;
}>;


export type AddPasskey = { addPasskey: { id: string } };

export type RenamePasskeyVariables = Exact<{
  id: string;
  name: string;
}>;


export type RenamePasskey = { renamePasskey: { id: string } };

export type RemovePasskeyVariables = Exact<{
  id: string;
}>;


export type RemovePasskey = { removePasskey: string };

export type EndSessionVariables = Exact<{
  id: string;
}>;


export type EndSession = { endSession: string };

export type EndOtherSessionsVariables = Exact<{ [key: string]: never; }>;


export type EndOtherSessions = { endOtherSessions: number };

export type ChangePasswordVariables = Exact<{
  current: string;
  next: string;
}>;


export type ChangePassword = { changePassword: { userId: string } };

export type AlertsVariables = Exact<{
  app: string;
  environment: EnvironmentKind;
}>;


export type Alerts = { app: { alerts: { totalCount: number, nodes: Array<{ id: string, name: string, paused: boolean, rule: unknown, slackUrl: string, slackDelivery: { state: ScheduledReportState, reason: string, at: string } | null, state: { firing: boolean, since: string | null, judged: string, value: number | null, low: number | null, high: number | null } | null }> } | null, goals: { nodes: Array<{ id: string, name: string }> } | null, segments: { nodes: Array<{ id: string, name: string }> } | null } | null };

export type AlertPreviewVariables = Exact<{
  app: string;
  environment: EnvironmentKind;
  rule: AlertRuleInput;
}>;


export type AlertPreview = { app: { alertPreview: { points: Array<{ start: string, value: number | null, low: number | null, high: number | null, breach: boolean }>, firings: Array<{ start: string, end: string | null }> } | null } | null };

export type CreateAlertVariables = Exact<{
  input: CreateAlertInput;
}>;


export type CreateAlert = { createAlert: { id: string } };

export type UpdateAlertVariables = Exact<{
  input: UpdateAlertInput;
}>;


export type UpdateAlert = { updateAlert: { id: string } };

export type DeleteAlertVariables = Exact<{
  input: DeleteAlertInput;
}>;


export type DeleteAlert = { deleteAlert: string };

export type CreateFirstAppVariables = Exact<{
  workspace: string;
  name: string;
}>;


export type CreateFirstApp = { createApp: { id: string } };

export type UnreadVariables = Exact<{
  workspace: string;
}>;


export type Unread = { workspace: { unreadNotifications: number | null } | null };

export type NotificationsVariables = Exact<{
  workspace: string;
}>;


export type Notifications = { workspace: { notifications: { totalCount: number, nodes: Array<{ id: string, severity: NotificationSeverity, title: string, text: string, createdAt: string, unread: boolean, about: { appId: string | null, environment: EnvironmentKind | null, channelId: string | null, experimentId: string | null, alertId: string | null, flowId: string | null } }> } | null } | null };

export type ReadNotificationsVariables = Exact<{
  workspace: string;
  until?: string | null | undefined;
}>;


export type ReadNotifications = { markAllNotificationsRead: { marked: number } };

export type RequestPasswordResetVariables = Exact<{
  email: string;
}>;


export type RequestPasswordReset = { requestPasswordReset: boolean };

export type ResetPasswordVariables = Exact<{
  token: string;
  password: string;
}>;


export type ResetPassword = { resetPassword: boolean };

export type SessionVariables = Exact<{ [key: string]: never; }>;


export type Session = { viewer: { userId: string, email: string, name: string, closedWorkspaces: Array<{ id: string }>, workspaces: { nodes: Array<{ role: Role, capabilities: Array<Capability>, workspace: { id: string, name: string, apps: { nodes: Array<{ id: string, name: string }> } } }> } } | null };

export type SignInVariables = Exact<{
  email: string;
  password: string;
  code?: string | null | undefined;
}>;


export type SignIn = { signIn: { userId: string } };

export type SignInOptionsVariables = Exact<{ [key: string]: never; }>;


export type SignInOptions = { signInOptions: { passkeys: boolean, provider: string, passwordReset: boolean } };

export type BeginPasskeySignInVariables = Exact<{ [key: string]: never; }>;


export type BeginPasskeySignIn = { beginPasskeySignIn: { token: string, options: unknown } };

export type SignInWithPasskeyVariables = Exact<{
  token: string;
  credential: unknown;
}>;


export type SignInWithPasskey = { signInWithPasskey: { userId: string } };

export type SignOutVariables = Exact<{ [key: string]: never; }>;


export type SignOut = { signOut: { userId: string } | null };

export type AutomationVariables = Exact<{
  id: string;
  app: string;
  environment: EnvironmentKind;
}>;


export type Automation = { automation: { id: string, name: string, environment: EnvironmentKind, state: AutomationState, draft: unknown, version: number, createdAt: string, updatedAt: string, problems: Array<{ severity: ProblemSeverity, code: string, pointer: string, message: string }>, versions: Array<{ number: number, definition: unknown, publishedAt: string }>, figures: { entered: number, running: number, completed: number, exited: number, failed: number, converted: number, nodes: Array<{ node: string, waiting: number, delivered: number, pending: number, undelivered: number, suppressed: number, unsubscribed: number, steps: Array<{ result: string, reason: string, count: number }> }> } } | null, app: { webhookEndpoints: Array<{ id: string, name: string }> } | null };

export type ExplanationVariables = Exact<{
  id: string;
  person: string;
}>;


export type Explanation = { automation: { explanation: { appUserId: string, state: AutomationState, mayEnterAt: string | null, never: boolean, marketingConsent: string, entries: Array<{ version: number, key: string, event: string, enteredAt: string, state: string, node: string, dueAt: string | null, endedAt: string | null, reason: string, convertedAt: string | null, steps: Array<{ node: string, result: string, reason: string, at: string }>, deliveries: Array<{ id: string, node: string, state: string, attempts: number, nextAttemptAt: string | null, createdAt: string, log: Array<{ number: number, at: string, status: number, error: string }> }> }> } } | null };

export type TestRunVariables = Exact<{
  id: string;
  days: number;
}>;


export type TestRun = { automation: { testRun: { from: string, to: string, events: number, complete: boolean, entered: number, exited: number, waiting: number, messages: number, skipped: Array<{ result: string, reason: string, count: number }>, examples: Array<{ appUserId: string, node: string, at: string, body: unknown }> } } | null };

export type EmailPreviewVariables = Exact<{
  id: string;
  node: string;
  user?: string | null | undefined;
}>;


export type EmailPreview = { automation: { emailPreview: { to: string, subject: string, text: string, html: string } } | null };

export type SendTestEmailVariables = Exact<{
  automation: string;
  node: string;
  user?: string | null | undefined;
}>;


export type SendTestEmail = { sendAutomationTestEmail: { to: string, accepted: boolean, reason: string } };

export type SaveAutomationVariables = Exact<{
  id: string;
  name?: string | null | undefined;
  definition?: unknown;
}>;


export type SaveAutomation = { saveAutomation: { problems: Array<{ code: string }> } };

export type PublishAutomationVariables = Exact<{
  id: string;
}>;


export type PublishAutomation = { publishAutomation: { version: number } };

export type ActivateAutomationVariables = Exact<{
  id: string;
}>;


export type ActivateAutomation = { activateAutomation: { state: AutomationState } };

export type PauseAutomationVariables = Exact<{
  id: string;
}>;


export type PauseAutomation = { pauseAutomation: { state: AutomationState } };

export type ArchiveAutomationVariables = Exact<{
  id: string;
}>;


export type ArchiveAutomation = { archiveAutomation: { state: AutomationState } };

export type AddPeopleToAutomationVariables = Exact<{
  id: string;
  people: Array<string> | string;
}>;


export type AddPeopleToAutomation = { addPeopleToAutomation: { entered: number } };

export type AutomationsVariables = Exact<{
  app: string;
  environment: EnvironmentKind;
  after?: string | null | undefined;
}>;


export type Automations = { app: { automations: { pageInfo: { hasNextPage: boolean, endCursor: string | null }, nodes: Array<{ id: string, name: string, state: AutomationState, version: number, updatedAt: string, figures: { entered: number, running: number, completed: number, exited: number, failed: number, converted: number } }> } | null, webhookEndpoints: Array<{ id: string, name: string, url: string, enabled: boolean, disabledReason: string, failingSince: string | null, secrets: number, notifications: boolean, pending: number }>, automationLimits: { cap: number, capDays: number, quietFrom: string | null, quietUntil: string | null, timeZone: string } } | null };

export type CreateAutomationVariables = Exact<{
  app: string;
  environment: EnvironmentKind;
  name: string;
  definition: unknown;
}>;


export type CreateAutomation = { createAutomation: { id: string } };

export type SetAutomationLimitsVariables = Exact<{
  input: SetAutomationLimitsInput;
}>;


export type SetAutomationLimits = { setAutomationLimits: { cap: number } };

export type CreateEndpointVariables = Exact<{
  app: string;
  environment: EnvironmentKind;
  name: string;
  url: string;
}>;


export type CreateEndpoint = { createWebhookEndpoint: { secret: string, endpoint: { id: string } } };

export type UpdateEndpointVariables = Exact<{
  input: UpdateWebhookEndpointInput;
}>;


export type UpdateEndpoint = { updateWebhookEndpoint: { id: string } };

export type RotateEndpointVariables = Exact<{
  id: string;
}>;


export type RotateEndpoint = { rotateWebhookSecret: { secret: string } };

export type RetireEndpointVariables = Exact<{
  id: string;
}>;


export type RetireEndpoint = { retireWebhookSecret: { secrets: number } };

export type ReplayWebhooksVariables = Exact<{
  input: ReplayWebhooksInput;
}>;


export type ReplayWebhooks = { replayWebhooks: { deliveries: number } };

export type WebhookDeliveriesVariables = Exact<{
  id: string;
  first: number;
  before?: string | null | undefined;
  state?: WebhookState | null | undefined;
}>;


export type WebhookDeliveries = { webhookEndpoint: { deliveries: Array<Delivery> } | null };

export type Delivery = { id: string, webhookId: string, automationId: string | null, node: string, appUserId: string, body: string, state: string, attempts: number, nextAttemptAt: string | null, createdAt: string, finishedAt: string | null, log: Array<{ number: number, at: string, status: number, error: string, answer: string, tookMs: number }> };

export type EmailSuppressionsVariables = Exact<{
  app: string;
  environment: EnvironmentKind;
  email?: string | null | undefined;
  after?: string | null | undefined;
}>;


export type EmailSuppressions = { app: { emailSuppressions: { totalCount: number, pageInfo: { hasNextPage: boolean, endCursor: string | null }, nodes: Array<{ id: string, email: string, reason: EmailSuppressionReason, appUserId: string, createdAt: string, automation: { id: string, name: string } | null }> } | null } | null };

export type RemoveEmailSuppressionVariables = Exact<{
  id: string;
}>;


export type RemoveEmailSuppression = { removeEmailSuppression: { id: string } };

export type BrandingVariables = Exact<{
  app: string;
}>;


export type Branding = { app: { id: string, branding: unknown } | null };

export type SaveBrandingVariables = Exact<{
  app: string;
  branding: unknown;
}>;


export type SaveBranding = { updateBranding: { id: string } };

export type ChannelsVariables = Exact<{
  app: string;
  environment: EnvironmentKind;
}>;


export type Channels = { app: { environment: { publishableKeys: { nodes: Array<{ key: string }> } | null, channels: { totalCount: number, nodes: Array<{ id: string, name: string, archivedAt: string | null, assignment: AssignmentKind, assignmentVersion: number, updatedAt: string, automaticReturn: boolean, version: { id: string, number: number, label: string, flow: { id: string, name: string } } | null, experiment: { id: string, name: string } | null, explanation: { reason: string, refusal: string | null } }> } | null }, flows: { nodes: Array<{ id: string, name: string, versions: { nodes: Array<{ id: string, number: number, label: string, createdAt: string }> } }> } | null } | null };

export type ChannelHistoryVariables = Exact<{
  id: string;
}>;


export type ChannelHistory = { channel: { history: { nodes: Array<{ assignmentVersion: number, assignment: AssignmentKind, reason: string, createdAt: string, changedBy: { name: string, email: string } | null, version: { number: number, label: string, flow: { id: string, name: string } } | null, experiment: { name: string } | null }> } } | null };

export type ChannelTrafficVariables = Exact<{
  flow: string;
  environment: EnvironmentKind;
  channel: string;
}>;


export type ChannelTraffic = { flowAnalytics: { overview: { runs: number } | null } | null };

export type PinVariables = Exact<{
  id: string;
  version: string;
  dryRun: boolean;
}>;


export type Pin = { pinChannel: { channel: { assignmentVersion: number }, warnings: Array<{ code: string, only: Platform, stepId: string }> } };

export type CreateChannelVariables = Exact<{
  app: string;
  environment: EnvironmentKind;
  name: string;
}>;


export type CreateChannel = { createChannel: { id: string } };

export type ChannelWatchVariables = Exact<{
  id: string;
}>;


export type ChannelWatch = { channelWatch: { state: ChannelWatchState, sentence: string, runs: number, previousRuns: number, plannedRuns: number | null, endsAt: string, leftAt: string | null, returned: boolean, version: { number: number }, previous: { id: string, number: number }, metrics: Array<{ metric: ChannelWatchMetricKind, previous: number | null, current: number | null, harm: boolean }> } | null };

export type SetAutomaticReturnVariables = Exact<{
  id: string;
  on: boolean;
}>;


export type SetAutomaticReturn = { setAutomaticReturn: { id: string, automaticReturn: boolean } };

export type ConditionsVariables = Exact<{
  app: string;
}>;


export type Conditions = { app: { goals: { nodes: Array<{ id: string, name: string, condition: unknown }> } | null, flows: { nodes: Array<{ id: string, name: string }> } | null } | null };

export type ConditionSuggestionsVariables = Exact<{
  app: string;
  scope: ScopeInput;
  flows: AppFlowScope;
}>;


export type ConditionSuggestions = { app: { appFlowOverview: { nodes: Array<{ flowId: string }> } | null, productAnalytics: { events: { nodes: Array<{ name: string, visitors: number, builtIn: boolean }> } | null, screens: { nodes: Array<{ value: string, kind: ViewKind, visitors: number }> } | null } | null } | null };

export type ConditionStepsVariables = Exact<{
  scope: FlowAnalyticsScope;
}>;


export type ConditionSteps = { flowAnalytics: { funnel: { steps: Array<{ id: string, name: string }> } | null } | null };

export type OAuthRequestVariables = Exact<{
  token: string;
}>;


export type OAuthRequest = { oauthRequest: { client: string, host: string, scopes: Array<Capability>, declineUrl: string } };

export type ApproveOAuthRequestVariables = Exact<{
  token: string;
  workspace: string;
  app?: string | null | undefined;
  scopes: Array<Capability> | Capability;
}>;


export type ApproveOAuthRequest = { approveOAuthRequest: { url: string } };

export type ComponentContent = { revision: number, tree: unknown, slots: Array<{ layerId: string, name: string }>, overridable: Array<{ layerId: string, path: Array<string> }> | null };

export type ComponentsVariables = Exact<{
  app: string;
  after?: string | null | undefined;
}>;


export type Components = { app: { components: { nodes: Array<{ id: string, name: string, revision: number, content: ComponentContent | null }>, pageInfo: { hasNextPage: boolean, endCursor: string | null } } | null } | null };

export type ComponentAtVariables = Exact<{
  id: string;
  revision: number;
}>;


export type ComponentAt = { component: { content: ComponentContent | null } | null };

export type ComponentUsesVariables = Exact<{
  id: string;
}>;


export type ComponentUses = { component: { usedIn: Array<{ flowId: string, name: string, instances: number }> } | null };

export type CreateComponentVariables = Exact<{
  app: string;
  name: string;
  content: ComponentContentInput;
}>;


export type CreateComponent = { createComponent: { id: string, revision: number } };

export type UpdateComponentVariables = Exact<{
  id: string;
  name?: string | null | undefined;
  content?: ComponentContentInput | null | undefined;
  revision?: number | null | undefined;
}>;


export type UpdateComponent = { updateComponent: { id: string, revision: number } };

export type DeleteComponentVariables = Exact<{
  id: string;
}>;


export type DeleteComponent = { deleteComponent: string };

export type NewestVersionVariables = Exact<{
  flow: string;
}>;


export type NewestVersion = { flow: { versions: { nodes: Array<{ id: string, number: number }> } } | null };

export type StepNumbersVariables = Exact<{
  scope: FlowAnalyticsScope;
}>;


export type StepNumbers = { flowAnalytics: { funnel: { runs: number, steps: Array<{ id: string, reach: number, people: number, drop: number }>, exits: Array<{ runs: number, from: { id: string, isStep: boolean }, to: { id: string, isStep: boolean } }>, decisions: Array<{ node: string, case: string, runs: number }> } | null } | null };

export type DraftHistoryVariables = Exact<{
  flow: string;
  after?: string | null | undefined;
}>;


export type DraftHistory = { draftHistory: { nodes: Array<{ revision: number, edits: number, from: string, to: string, person: string | null, changes: Array<string> }>, pageInfo: { hasNextPage: boolean, endCursor: string | null } } };

export type OldestDraftVariables = Exact<{
  flow: string;
}>;


export type OldestDraft = { draft: { oldestRevision: number } };

export type DraftThenVariables = Exact<{
  flow: string;
  revision: number;
}>;


export type DraftThen = { draftAt: { document: unknown } };

export type DraftWayBackVariables = Exact<{
  flow: string;
  revision: number;
}>;


export type DraftWayBack = { draftAt: { wayBack: { operations: unknown } } };

export type DraftVariables = Exact<{
  flow: string;
}>;


export type Draft = { draft: { name: string, canEdit: boolean, revision: number, document: unknown } };

export type EditDraftVariables = Exact<{
  flow: string;
  base: number;
  client: string;
  sequence: number;
  steps: Array<EditStepInput> | EditStepInput;
}>;


export type EditDraft = { editDraft: { revision: number, reset: boolean, outcomes: Array<{ step: unknown, inverse: unknown, refusal: { code: string, node: string, by: string | null } | null }>, others: Array<{ revision: number, clientId: string, sequence: number, person: string | null, steps: unknown }> } };

export type DraftEditsVariables = Exact<{
  flow: string;
  after: number;
}>;


export type DraftEdits = { draftEdits: { revision: number, reset: boolean, edits: Array<{ revision: number, clientId: string, sequence: number, person: string | null, steps: unknown }>, people: Array<{ clientId: string, name: string, screen: string | null, layers: Array<string>, pointer: { screen: string, x: number, y: number } | null }> | null } };

export type AnnounceInDraftVariables = Exact<{
  input: AnnounceInDraftInput;
}>;


export type AnnounceInDraft = { announceInDraft: { clientId: string } };

export type DraftProblemsVariables = Exact<{
  flow: string;
}>;


export type DraftProblems = { draft: { problems: Array<{ severity: ProblemSeverity, code: string, message: string, hint: string, stepId: string, layerId: string, property: Array<string>, pointer: string, fix: unknown }> } };

export type DraftSimulationVariables = Exact<{
  flow: string;
  environment: EnvironmentKind;
}>;


export type DraftSimulation = { simulateDraft: { revision: number, runs: number, users: number, version: number | null, draft: { unknown: number, steps: Array<{ id: string, name: string, kind: SimulatedStepKind, reach: SimulatedReach, users: number }>, ways: Array<{ from: string, kind: SimulatedWayKind, node: string, key: string, users: number }>, questions: Array<{ stepId: string, fieldKey: string, asked: number, answered: number, options: Array<{ id: string, runs: number }> }> }, published: { steps: Array<{ id: string, name: string, users: number }>, ways: Array<{ from: string, kind: SimulatedWayKind, node: string, key: string, users: number }> } | null } | null };

export type ExperimentsVariables = Exact<{
  app: string;
  environment: EnvironmentKind;
}>;


export type Experiments = { app: { experiments: { totalCount: number, nodes: Array<{ id: string, name: string, status: ExperimentStatus, startedAt: string | null, endsAt: string | null, stoppedAt: string | null, channel: { name: string }, variants: Array<{ key: string, name: string, weight: number }> }> } | null } | null };

export type ExperimentReportVariables = Exact<{
  id: string;
  zone: string;
}>;


export type ExperimentReport = { experiment: { name: string, status: ExperimentStatus, splitBy: ExperimentSplitBy, channel: { name: string }, goals: Array<{ primary: boolean, goal: { id: string } }>, variants: Array<{ id: string, key: string, name: string, weight: number, version: { number: number, flow: { name: string } } | null }> } | null, experimentResults: { verdict: ExperimentVerdict, variant: string | null, sentence: string, startedAt: string, endsAt: string | null, stoppedAt: string | null, daysLeft: number | null, peoplePerVariant: number, crossed: number, tooManyCrossed: boolean, unrecorded: number, notRendered: boolean, exposed: { warning: boolean, enough: boolean, p: number, people: Array<{ variant: string, people: number }> }, culprits: Array<{ dimension: string, value: string, p: number }>, metrics: Array<{ metric: ExperimentMetricKind, unit: ExperimentUnit, phase: ExperimentPhase, primary: boolean, goal: { id: string, name: string } | null, variants: Array<{ variant: string, people: number, maturing: number, value: number | null, interval: { low: number, high: number } | null }>, comparisons: Array<{ variant: string, difference: number, lift: number | null, p: number, chanceToWin: number | null, verdict: ExperimentVerdict, sentence: string, interval: { low: number, high: number } | null }>, series: Array<{ day: string, variants: Array<{ variant: string, people: number, value: number | null, interval: { low: number, high: number } | null }> }> }> } | null };

export type ExperimentDetailVariables = Exact<{
  id: string;
}>;


export type ExperimentDetail = { experiment: { id: string, name: string, status: ExperimentStatus, splitBy: ExperimentSplitBy, endsAt: string | null, planner: unknown, channel: { id: string, name: string }, goals: Array<{ primary: boolean, goal: { id: string, name: string } }>, variants: Array<{ id: string, key: string, name: string, weight: number, version: { id: string, number: number, label: string, flow: { name: string } } | null }> } | null };

export type ExperimentPlanVariables = Exact<{
  id: string;
}>;


export type ExperimentPlan = { experimentPlan: { measuredBaseline: number | null, measuredPeople: number, baseline: number, effect: number, peoplePerVariant: number, lastFortnight: number, days: number | null } | null };

export type ExperimentChoicesVariables = Exact<{
  app: string;
  environment: EnvironmentKind;
}>;


export type ExperimentChoices = { app: { environment: { channels: { nodes: Array<{ id: string, name: string, version: { id: string } | null }> } | null }, flows: { nodes: Array<{ id: string, name: string, versions: { nodes: Array<{ id: string, number: number, label: string }> } }> } | null, goals: { nodes: Array<{ id: string, name: string }> } | null } | null };

export type CreateExperimentVariables = Exact<{
  input: CreateExperimentInput;
}>;


export type CreateExperiment = { createExperiment: { id: string } };

export type UpdateExperimentVariables = Exact<{
  input: UpdateExperimentInput;
}>;


export type UpdateExperiment = { updateExperiment: { id: string } };

export type StartExperimentVariables = Exact<{
  id: string;
  dryRun: boolean;
}>;


export type StartExperiment = { startExperiment: { id: string } };

export type StopExperimentVariables = Exact<{
  id: string;
  dryRun: boolean;
}>;


export type StopExperiment = { stopExperiment: { id: string } };

export type PromoteExperimentVariables = Exact<{
  id: string;
  variant: string;
}>;


export type PromoteExperiment = { promoteExperiment: { id: string } };

export type ExtendExperimentVariables = Exact<{
  id: string;
  endsAt: string;
}>;


export type ExtendExperiment = { extendExperiment: { id: string } };

export type DeleteExperimentVariables = Exact<{
  id: string;
}>;


export type DeleteExperiment = { deleteExperiment: string };

export type ParquetExportVariables = Exact<{
  app: string;
  environment: EnvironmentKind;
}>;


export type ParquetExport = { app: { parquetExport: { id: string, endpoint: string, region: string, bucket: string, prefix: string, accessKeyId: string, frequency: ParquetExportFrequency, nextRunAt: string | null, succeededAt: string | null, lastRun: { state: ParquetExportState, startedAt: string, finishedAt: string | null, files: number, unchanged: number, removed: number, rows: number, bytes: number, problem: string } | null } | null } | null };

export type SaveParquetExportVariables = Exact<{
  input: SaveParquetExportInput;
}>;


export type SaveParquetExport = { saveParquetExport: { id: string } };

export type CheckParquetExportVariables = Exact<{
  input: CheckParquetExportInput;
}>;


export type CheckParquetExport = { checkParquetExport: { works: boolean, problem: string } };

export type RunParquetExportVariables = Exact<{
  id: string;
}>;


export type RunParquetExport = { runParquetExport: { id: string } };

export type RemoveParquetExportVariables = Exact<{
  id: string;
}>;


export type RemoveParquetExport = { removeParquetExport: string };

export type FlowReportVariables = Exact<{
  flow: string;
  scope: FlowAnalyticsScope;
  compared: FlowAnalyticsScope;
  compare: boolean;
  grain: Grain;
  by: CohortDimension;
  first: number;
}>;


export type FlowReport = { flow: { name: string, versions: { nodes: Array<{ id: string, number: number, label: string }> } } | null, flowAnalytics: { overview: { starts: number, completions: number, completionRate: number | null, paywallViewers: number, purchases: number, conversionRate: number | null, revenue: number, revenuePerStart: number | null, incomplete: boolean, timeToComplete: { median: number | null } } | null, timeseries: Array<{ bucket: string, starts: number, completions: number, completionRate: number | null, purchases: number, revenue: number, incomplete: boolean }> | null, funnel: { runs: number, people: number, incomplete: boolean, steps: Array<{ id: string, name: string, kind: FlowStepKind, reach: number, people: number, fromStart: number | null, completed: number, skipped: number, drop: number, open: number, medianSeconds: number | null }>, arrivals: Array<{ runs: number, from: { id: string, isStep: boolean }, to: { id: string, isStep: boolean } }>, exits: Array<{ runs: number, from: { id: string, isStep: boolean }, to: { id: string, isStep: boolean } }> } | null, stepDuration: { steps: Array<{ id: string, name: string, visits: number, median: number | null, p90: number | null }> } | null, cohorts: { totalCount: number, nodes: Array<{ value: string, starts: number, completions: number, completionRate: number | null, purchases: number, revenue: number }> } | null } | null, compared?: { overview: { starts: number, completions: number, completionRate: number | null, paywallViewers: number, purchases: number, conversionRate: number | null, revenue: number, revenuePerStart: number | null, incomplete: boolean, timeToComplete: { median: number | null } } | null, timeseries: Array<{ bucket: string, starts: number, completions: number, completionRate: number | null, purchases: number, revenue: number, incomplete: boolean }> | null, cohorts: { totalCount: number, nodes: Array<{ value: string, starts: number, completions: number, completionRate: number | null, purchases: number, revenue: number }> } | null } | null };

export type FlowsVariables = Exact<{
  app: string;
  environment: EnvironmentKind;
  scope: AppFlowScope;
  archived: boolean;
}>;


export type Flows = { app: { flows: { totalCount: number, nodes: Array<{ id: string, name: string, archivedAt: string | null, updatedAt: string, draftRevision: number, versions: { totalCount: number, nodes: Array<{ id: string, number: number, label: string, createdAt: string }> } }> } | null, environment: { channels: { nodes: Array<{ id: string, name: string, version: { id: string, flow: { id: string } } | null, experiment: { id: string, name: string, variants: Array<{ version: { flow: { id: string } } | null }> } | null }> } | null }, appFlowOverview: { nodes: Array<{ flowId: string, starts: number, completions: number, completionRate: number | null, purchases: number, revenue: number }> } | null } | null };

export type CreateFlowVariables = Exact<{
  app: string;
  name: string;
  manifest?: unknown;
  template?: FlowTemplateInput | null | undefined;
}>;


export type CreateFlow = { createFlow: { id: string } };

export type FlowToStartVariables = Exact<{
  flow: string;
}>;


export type FlowToStart = { flow: { name: string, draft: unknown } | null };

export type FlowThumbnailVariables = Exact<{
  id: string;
}>;


export type FlowThumbnail = { flow: { draft: unknown } | null };

export type LookVariables = Exact<{
  app: string;
  workspace: string;
}>;


export type Look = { app: { branding: unknown } | null, workspace: { media: { nodes: Array<{ id: string, path: string }>, pageInfo: { hasNextPage: boolean } } | null } | null };

export type NamedMediaVariables = Exact<{
  workspace: string;
  ids?: Array<string> | string | null | undefined;
}>;


export type NamedMedia = { workspace: { media: { nodes: Array<{ id: string, path: string }> } | null } | null };

export type RecentRunsVariables = Exact<{
  scope: FlowAnalyticsScope;
}>;


export type RecentRuns = { flowAnalytics: { recent: { complete: boolean, nodes: Array<{ id: string, appUserId: string, customUserId: string, startedAt: string, lastAt: string, state: FlowRunState, platform: string, country: string, locale: string, variant: string, versionId: string, path: Array<{ stepId: string }> }> } | null } | null };

export type FlowRunVariables = Exact<{
  scope: FlowAnalyticsScope;
  id: string;
}>;


export type FlowRun = { flowAnalytics: { run: { run: { appUserId: string, customUserId: string, startedAt: string, lastAt: string, state: FlowRunState, versionId: string, platform: string, locale: string, country: string, city: string, device: string, variant: string, path: Array<{ stepId: string, at: string, seconds: number | null }> }, events: Array<{ name: string, at: string, seq: number | null, stepId: string, properties: unknown }> } | null } | null };

export type RunVersionVariables = Exact<{
  id: string;
}>;


export type RunVersion = { flowVersion: { number: number, label: string, manifest: unknown } | null };

export type CopyFlowVariables = Exact<{
  flow: string;
  app: string;
  name: string;
}>;


export type CopyFlow = { copyFlow: { fontsAdded: Array<string>, flow: { id: string, name: string }, missing: Array<{ kind: MissingPartKind, name: string }> } };

export type ImportFlowVariables = Exact<{
  app: string;
  name: string;
  file: File;
}>;


export type ImportFlow = { importFlow: { fontsAdded: Array<string>, flow: { id: string, name: string }, missing: Array<{ kind: MissingPartKind, name: string }> } };

export type FillFlowVariables = Exact<{
  flow: string;
  manifest?: unknown;
  template?: FlowTemplateInput | null | undefined;
  file?: File | null | undefined;
}>;


export type FillFlow = { fillFlow: { fontsAdded: Array<string>, flow: { id: string, name: string }, missing: Array<{ kind: MissingPartKind, name: string }> } };

export type FlowNameVariables = Exact<{
  flow: string;
}>;


export type FlowName = { flow: { name: string } | null };

export type FlowVersionsVariables = Exact<{
  app: string;
  flow: string;
}>;


export type FlowVersions = { flow: { id: string, name: string, archivedAt: string | null, draft: unknown, draftRevision: number, updatedAt: string, problems: Array<{ severity: ProblemSeverity, code: string, pointer: string, message: string, stepId: string | null }>, publishRequest: { revision: number, label: string, text: string, createdAt: string, apiKeyName: string | null, createdBy: { name: string, email: string } | null } | null, versions: { totalCount: number, nodes: Array<{ id: string, number: number, label: string, createdAt: string, createdBy: { name: string, email: string } | null }> } } | null, app: { environments: Array<{ kind: EnvironmentKind, channels: { nodes: Array<{ id: string, name: string, version: { id: string, number: number, flow: { id: string, name: string } } | null, experiment: { id: string, name: string, variants: Array<{ version: { id: string, number: number, flow: { id: string } } | null }> } | null }> } | null }> } | null };

export type VersionManifestVariables = Exact<{
  id: string;
}>;


export type VersionManifest = { flowVersion: { manifest: unknown } | null };

export type SaveDraftVariables = Exact<{
  flow: string;
  revision: number;
  draft: unknown;
}>;


export type SaveDraft = { saveDraft: { flow: { draftRevision: number }, problems: Array<{ severity: ProblemSeverity, code: string, pointer: string, message: string, stepId: string | null }> } };

export type PublishFlowVariables = Exact<{
  id: string;
  revision?: number | null | undefined;
  label: string;
  dryRun: boolean;
}>;


export type PublishFlow = { publishFlow: { version: { id: string, number: number } } };

export type DeclinePublishVariables = Exact<{
  flow: string;
}>;


export type DeclinePublish = { declinePublish: { id: string } };

export type DraftAuthorsVariables = Exact<{
  flow: string;
}>;


export type DraftAuthors = { draftHistory: { nodes: Array<{ revision: number, person: string | null, to: string, changes: Array<string> }> } };

export type PreviewLinkVariables = Exact<{
  flow: string;
  version?: string | null | undefined;
}>;


export type PreviewLink = { createPreviewLink: { token: string, expiresAt: string } };

export type FlowReachVariables = Exact<{
  flow: string;
}>;


export type FlowReach = { flowAnalytics: { cohorts: { nodes: Array<{ value: string, starts: number }> } | null, timeseriesCohorts: Array<{ value: string, points: Array<{ starts: number }> }> | null } | null };

export type HistoryPreviewVariables = Exact<{
  app: string;
  id: string;
  timeZone: string;
}>;


export type HistoryPreview = { app: { historyImport: { id: string, source: HistorySource, fileName: string, preview: { leftOut: number, problem: string, events: Array<{ line: number, name: string, at: string, appUserId: string, page: string | null, source: string | null, country: string | null, properties: string | null }>, rejects: Array<{ line: number, code: string, message: string }>, totals: Array<{ day: string, dimension: string, value: string, visitors: number, sessions: number, views: number }> } } | null } | null };

export type HistoryImportsVariables = Exact<{
  app: string;
  environment: EnvironmentKind;
}>;


export type HistoryImports = { app: { historyImports: Array<{ id: string, source: HistorySource, fileName: string, state: HistoryImportState, problem: string, timeZone: string, bytes: number, received: number, readBytes: number, createdAt: string, finishedAt: string | null, lines: number, stored: number, duplicates: number, rejected: number, leftOut: number }> | null } | null };

export type CreateHistoryImportVariables = Exact<{
  input: CreateHistoryImportInput;
}>;


export type CreateHistoryImport = { createHistoryImport: { id: string, received: number } };

export type UploadHistoryPartVariables = Exact<{
  id: string;
  position: number;
  file: File;
}>;


export type UploadHistoryPart = { uploadHistoryPart: { id: string, received: number } };

export type StartHistoryImportVariables = Exact<{
  id: string;
  timeZone: string;
}>;


export type StartHistoryImport = { startHistoryImport: { id: string, state: HistoryImportState } };

export type RemoveHistoryImportVariables = Exact<{
  id: string;
}>;


export type RemoveHistoryImport = { removeHistoryImport: string };

export type HistoryRejectsVariables = Exact<{
  app: string;
  id: string;
}>;


export type HistoryRejects = { app: { historyImport: { rejects: Array<{ line: number, eventId: string, code: string, message: string }> } | null } | null };

export type MediaVariables = Exact<{
  workspace: string;
  after?: string | null | undefined;
}>;


export type Media = { workspace: { media: { totalCount: number, pageInfo: { hasNextPage: boolean, endCursor: string | null }, nodes: Array<{ id: string, name: string, type: MediaType, path: string, contentType: string, sizeBytes: number, createdAt: string }> } | null } | null };

export type UploadMediaVariables = Exact<{
  workspace: string;
  type: MediaType;
  file: File;
}>;


export type UploadMedia = { uploadMedia: { id: string, name: string, path: string } };

export type RenameMediaVariables = Exact<{
  id: string;
  name: string;
}>;


export type RenameMedia = { renameMedia: { id: string } };

export type ArchiveMediaVariables = Exact<{
  id: string;
}>;


export type ArchiveMedia = { archiveMedia: { id: string } };

export type MediaUsesVariables = Exact<{
  asset: string;
  app: string;
}>;


export type MediaUses = { app: { mediaUses: { branding: boolean, flows: Array<{ flowId: string, name: string, draft: boolean, version: number | null }> } | null } | null };

export type DraftToReplaceInVariables = Exact<{
  flow: string;
}>;


export type DraftToReplaceIn = { flow: { draft: unknown, draftRevision: number } | null };

export type ReplaceInDraftVariables = Exact<{
  flow: string;
  revision: number;
  draft: unknown;
}>;


export type ReplaceInDraft = { saveDraft: { flow: { draftRevision: number } } };

export type PeopleVariables = Exact<{
  app: string;
  environment: EnvironmentKind;
  search?: string | null | undefined;
  first: number;
  after?: string | null | undefined;
}>;


export type People = { app: { people: { totalCount: number, pageInfo: { hasNextPage: boolean, endCursor: string | null }, nodes: Array<{ customUserId: string, email: string, firstName: string, lastName: string, country: string, createdAt: string | null, devices: Array<{ appUserId: string }>, activity: { status: PersonStatus | null, language: string, firstSeenAt: string | null, lastSeenAt: string | null, starts: number, completions: number, revenueUsd: number } }> } | null } | null };

export type PersonVariables = Exact<{
  app: string;
  environment: EnvironmentKind;
  device?: string | null | undefined;
  custom?: string | null | undefined;
  first: number;
}>;


export type Person = { app: { flows: { nodes: Array<{ id: string, name: string }> } | null, person: { customUserId: string, email: string, firstName: string, lastName: string, phone: string, locale: string, country: string, timezone: string, attributes: unknown, createdAt: string | null, identifiedAt: string | null, marketingConsent: Consent, marketingConsentAt: string | null, topicConsents: Array<{ topic: string, consent: Consent, at: string }>, consentLog: Array<{ at: string, topic: string | null, consent: Consent, appUserId: string }>, devices: Array<{ appUserId: string, linkedAt: string }>, activity: { status: PersonStatus | null, language: string, firstSeenAt: string | null, lastSeenAt: string | null, starts: number, completions: number, revenueUsd: number }, timeline: { totalCount: number, nodes: Array<{ at: string, kind: PersonTimelineKind, appUserId: string, id: string, name: string, detail: string, endedAt: string | null, flowId: string | null, automationId: string | null, usd: number | null }> } } | null } | null };

export type ExportPersonVariables = Exact<{
  input: ExportPersonInput;
}>;


export type ExportPerson = { exportPerson: { devices: number, endCursor: string | null, records: Array<{ table: string, row: unknown }> } };

export type ErasePersonVariables = Exact<{
  input: ErasePersonInput;
}>;


export type ErasePerson = { erasePerson: { id: string, finishedAt: string | null, devices: number, removed: Array<{ table: string, rows: number }> } };

export type AcquisitionVariables = Exact<{
  app: string;
  scope: ScopeInput;
  grain: Grain;
  dimension: AttributionDimension;
  orderBy: SessionMetric;
  ascending: boolean;
  first: number;
  search?: string | null | undefined;
}>;


export type Acquisition = { app: { productAnalytics: { series: Array<ValueLine> | null, table: { totalCount: number, nodes: Array<BreakdownFigures> } | null } | null } | null };

export type LocationsVariables = Exact<{
  app: string;
  scope: ScopeInput;
  grain: Grain;
  dimension: LocationDimension;
  orderBy: SessionMetric;
  ascending: boolean;
  first: number;
  search?: string | null | undefined;
  map: boolean;
}>;


export type Locations = { app: { productAnalytics: { series: Array<ValueLine> | null, table: { totalCount: number, nodes: Array<BreakdownFigures> } | null, map?: { nodes: Array<BreakdownFigures> } | null } | null } | null };

export type DevicesVariables = Exact<{
  app: string;
  scope: ScopeInput;
  grain: Grain;
  dimension: TechnologyDimension;
  orderBy: SessionMetric;
  ascending: boolean;
  first: number;
  search?: string | null | undefined;
}>;


export type Devices = { app: { productAnalytics: { series: Array<ValueLine> | null, table: { totalCount: number, nodes: Array<BreakdownFigures> } | null } | null } | null };

export type EngagementFigures = { value: string, visitors: number, sessions: number, views: number | null, averageSecondsOnPage: number | null, entries: number | null, exits: number | null, exitRate: number | null, bounceRate: number | null, averageSessionSeconds: number | null, revenue: number | null };

export type EngagementVariables = Exact<{
  app: string;
  scope: ScopeInput;
  grain: Grain;
  dimension: EngagementDimension;
  metric: EngagementMetric;
  orderBy: EngagementMetric;
  ascending: boolean;
  first: number;
  search?: string | null | undefined;
}>;


export type Engagement = { app: { productAnalytics: { engagementSeries: Array<ValueLine> | null, engagement: { totalCount: number, nodes: Array<EngagementFigures> } | null } | null } | null };

export type EventsVariables = Exact<{
  app: string;
  scope: ScopeInput;
  grain: Grain;
  metric: EventSeriesMetric;
  orderBy: EventMetric;
  ascending: boolean;
  first: number;
  search?: string | null | undefined;
}>;


export type Events = { app: { productAnalytics: { eventsSeries: Array<ValueLine> | null, events: { totalCount: number, nodes: Array<{ name: string, count: number, visitors: number, sessions: number, lastSeen: string, builtIn: boolean }> } | null } | null } | null };

export type RecentEventsVariables = Exact<{
  app: string;
  environment: EnvironmentKind;
  name: string;
  range?: RangeInput | null | undefined;
  after?: string | null | undefined;
}>;


export type RecentEvents = { app: { recentEvents: { nodes: Array<{ eventId: string, occurredAt: string, appUserId: string, customUserId: string, page: string, country: string, platform: string, properties: unknown, attribution: unknown, customProperties: unknown }>, pageInfo: { hasNextPage: boolean, endCursor: string | null } } | null } | null };

export type FunnelsVariables = Exact<{
  app: string;
}>;


export type Funnels = { app: { funnels: { totalCount: number, nodes: Array<{ id: string, name: string, definition: unknown }> } | null } | null };

export type FunnelVariables = Exact<{
  app: string;
  scope: ScopeInput;
  input: FunnelInput;
}>;


export type Funnel = { app: { productAnalytics: { funnel: { entered: number, converted: number, open: number, rate: number | null, medianSeconds: number | null, p90Seconds: number | null, steps: Array<{ name: string, entered: number, fromPrevious: number | null, fromFirst: number | null, medianSeconds: number | null, p90Seconds: number | null, dropped: number, open: number, nothingNext: number, next: Array<{ kind: FunnelNextKind, name: string, count: number }> }> } | null } | null } | null };

export type FunnelSeriesVariables = Exact<{
  app: string;
  scope: ScopeInput;
  input: FunnelInput;
  grain: Grain;
}>;


export type FunnelSeries = { app: { productAnalytics: { funnelSeries: Array<{ bucket: string, entered: number, converted: number, open: number, rate: number | null }> | null } | null } | null };

export type FunnelBreakdownVariables = Exact<{
  app: string;
  scope: ScopeInput;
  input: FunnelInput;
  dimension: GoalDimension;
}>;


export type FunnelBreakdown = { app: { productAnalytics: { funnelBreakdown: { rows: Array<{ value: string, country: string, region: string, entered: number, converted: number, open: number, rate: number | null }>, other: { value: string, country: string, region: string, entered: number, converted: number, open: number, rate: number | null } | null } | null } | null } | null };

export type FunnelVisitorsVariables = Exact<{
  app: string;
  scope: ScopeInput;
  input: FunnelInput;
  step: number;
}>;


export type FunnelVisitors = { app: { productAnalytics: { funnelVisitors: { totalCount: number, nodes: Array<{ appUserId: string, customUserId: string, country: string, device: string, source: string, lastSeen: string }> } | null } | null } | null };

export type CreateFunnelVariables = Exact<{
  input: CreateFunnelInput;
}>;


export type CreateFunnel = { createFunnel: { id: string } };

export type UpdateFunnelVariables = Exact<{
  input: UpdateFunnelInput;
}>;


export type UpdateFunnel = { updateFunnel: { id: string } };

export type DeleteFunnelVariables = Exact<{
  input: DeleteFunnelInput;
}>;


export type DeleteFunnel = { deleteFunnel: string };

export type GoalsVariables = Exact<{
  app: string;
  scope: ScopeInput;
  orderBy: GoalMetric;
  ascending: boolean;
  first: number;
  search?: string | null | undefined;
}>;


export type Goals = { app: { productAnalytics: { goals: { totalCount: number, nodes: Array<{ goalId: string, name: string, converters: number, conversions: number, rate: number | null, revenue: number | null }> } | null } | null } | null };

export type GoalVariables = Exact<{
  app: string;
  scope: ScopeInput;
  goal: string;
  grain: Grain;
  dimension: GoalDimension;
}>;


export type Goal = { app: { productAnalytics: { goalSeries: Array<{ bucket: string, visitors: number, converters: number, conversions: number, rate: number | null, revenue: number | null }> | null, goalBreakdown: { totalCount: number, nodes: Array<{ value: string, country: string, region: string, visitors: number, converters: number, conversions: number, rate: number | null, revenue: number | null }> } | null } | null } | null };

export type CreateGoalVariables = Exact<{
  input: CreateGoalInput;
}>;


export type CreateGoal = { createGoal: { id: string } };

export type UpdateGoalVariables = Exact<{
  input: UpdateGoalInput;
}>;


export type UpdateGoal = { updateGoal: { id: string } };

export type DeleteGoalVariables = Exact<{
  input: DeleteGoalInput;
}>;


export type DeleteGoal = { deleteGoal: string };

export type IngestHealthVariables = Exact<{
  app: string;
  environment: EnvironmentKind;
  range: RangeInput;
  grain: IngestGrain;
}>;


export type IngestHealth = { app: { ingestHealth: { exact: boolean, accepted: number, duplicates: number, ignored: number, namesOverBudget: number, sessionEventsOverLimit: number, runEventsOverLimit: number, runsWithoutStart: number, assignmentsLeftOut: number, correctedTimes: number, events: number, visitors: number, rejected: Array<{ code: string, count: number, samples: Array<{ receivedAt: string, eventId: string, name: string, message: string }> }>, delay: { p50: number, p90: number, p99: number } | null, points: Array<{ bucket: string, accepted: number, duplicates: number, ignored: number, rejected: number, events: number }> } | null } | null };

export type HomePoint = { bucket: string, visitors: number, sessions: number, views: number, events: number, newVisitors: number, bounceRate: number | null, averageSessionSeconds: number | null, viewsPerSession: number | null, revenue: number };

export type HomeVariables = Exact<{
  app: string;
  environment: EnvironmentKind;
  scope: ScopeInput;
  compared: ScopeInput;
  compare: boolean;
  grain: Grain;
  live: boolean;
}>;


export type Home = { app: { live?: { count: number } | null, productAnalytics: { range: { start: string, end: string }, summary: { visitors: number, sessions: number, views: number, events: number, newVisitors: number, bounceRate: number | null, averageSessionSeconds: number | null, viewsPerSession: number | null, revenue: number } | null, series: Array<HomePoint> | null, overview: { channel: Array<{ value: string, visitors: number, revenue: number }>, referrer: Array<{ value: string, visitors: number, revenue: number }>, source: Array<{ value: string, visitors: number, revenue: number }>, campaign: Array<{ value: string, visitors: number, revenue: number }>, page: Array<{ value: string, visitors: number, views: number }>, entry: Array<{ value: string, visitors: number, sessions: number }>, exit: Array<{ value: string, visitors: number, sessions: number }>, country: Array<{ value: string, visitors: number, revenue: number }>, device: Array<{ value: string, visitors: number, revenue: number }>, browser: Array<{ value: string, visitors: number, revenue: number }>, os: Array<{ value: string, visitors: number, revenue: number }>, event: Array<{ name: string, visitors: number, count: number }> } | null } | null, compared?: { summary: { visitors: number, sessions: number, views: number, events: number, newVisitors: number, bounceRate: number | null, averageSessionSeconds: number | null, viewsPerSession: number | null, revenue: number } | null, series: Array<HomePoint> | null } | null } | null };

export type FirstEventVariables = Exact<{
  app: string;
  kind: EnvironmentKind;
}>;


export type FirstEvent = { app: { environment: { publishableKeys: { nodes: Array<{ key: string }> } | null }, ingestHealth: { accepted: number } | null } | null };

export type HomeLayoutVariables = Exact<{
  app: string;
}>;


export type HomeLayout = { app: { homeLayout: { cards: Array<HomeCard>, default: boolean } | null } | null };

export type SetHomeLayoutVariables = Exact<{
  input: SetHomeLayoutInput;
}>;


export type SetHomeLayout = { setHomeLayout: { cards: Array<HomeCard>, default: boolean } };

export type HomeGoalsVariables = Exact<{
  app: string;
  scope: ScopeInput;
  first: number;
}>;


export type HomeGoals = { app: { productAnalytics: { goals: { totalCount: number, nodes: Array<{ goalId: string, name: string, converters: number, rate: number | null }> } | null } | null } | null };

export type HomeFlowsVariables = Exact<{
  app: string;
  scope: AppFlowScope;
  first: number;
}>;


export type HomeFlows = { app: { flows: { nodes: Array<{ id: string, name: string }> } | null, appFlowOverview: { nodes: Array<{ flowId: string, starts: number, completionRate: number | null }> } | null } | null };

export type HomeExperimentsVariables = Exact<{
  app: string;
  environment: EnvironmentKind;
  first: number;
}>;


export type HomeExperiments = { app: { experiments: { totalCount: number, nodes: Array<{ id: string, name: string, status: ExperimentStatus, startedAt: string | null, endsAt: string | null, stoppedAt: string | null, channel: { name: string } }> } | null } | null };

export type HomeRevenueVariables = Exact<{
  scope: RevenueScope;
  grain: Grain;
}>;


export type HomeRevenue = { revenue: { totals: { net: number, gross: number, refunds: number, customers: number } | null, series: Array<{ bucket: string, totals: { net: number } }> | null } | null };

export type ImportedTotalsVariables = Exact<{
  app: string;
  scope: ScopeInput;
  grain: Grain;
}>;


export type ImportedTotals = { app: { importedTotals: { leftOut: boolean, sources: Array<HistorySource>, visitors: number, series: Array<{ bucket: string, visitors: number, sessions: number, views: number, bounceRate: number | null, averageSessionSeconds: number | null, viewsPerSession: number | null }> } | null } | null };

export type ImportedRowsVariables = Exact<{
  app: string;
  scope: ScopeInput;
  dimension: ImportedDimension;
}>;


export type ImportedRows = { app: { importedTotals: { leftOut: boolean, sources: Array<HistorySource>, rows: Array<{ value: string, visitors: number, sessions: number, views: number }> } | null } | null };

export type LiveNowVariables = Exact<{
  app: string;
  environment: EnvironmentKind;
  platform?: Platform | null | undefined;
  segment?: string | null | undefined;
}>;


export type LiveNow = { live: { count: number, people: { totalCount: number, nodes: Array<{ appUserId: string, page: string, country: string, city: string, platform: string, device: string, lastSeenAt: string }> }, places: Array<{ country: string, city: string, latitude: number | null, longitude: number | null, visitors: number }>, minutes: Array<{ minute: string, visitors: number, events: number }>, pages: Array<{ page: string, visitors: number }> } };

export type PathsVariables = Exact<{
  app: string;
  scope: ScopeInput;
  input: PathsInput;
}>;


export type Paths = { app: { productAnalytics: { paths: { sessions: number, nodes: Array<{ node: number, step: number, kind: PathKind | null, name: string | null, sessions: number, ended: number, continued: number }>, links: Array<{ from: number, to: number, sessions: number }> } | null } | null } | null };

export type PathAnchorsVariables = Exact<{
  app: string;
  scope: ScopeInput;
}>;


export type PathAnchors = { app: { productAnalytics: { screens: { nodes: Array<{ value: string, kind: ViewKind, visitors: number }> } | null, events: { nodes: Array<{ name: string, builtIn: boolean, visitors: number }> } | null } | null } | null };

export type RetentionVariables = Exact<{
  app: string;
  scope: ScopeInput;
  grain: Grain;
  cohort: Grain;
  dimension: RetentionDimension;
  orderBy: RetentionMetric;
  ascending: boolean;
  first: number;
  search?: string | null | undefined;
}>;


export type Retention = { app: { productAnalytics: { retention: { visitors: number, days: Array<{ offset: number, returned: number, eligible: number, rate: number | null }> } | null, retentionCurve: Array<{ offset: number, returned: number, eligible: number, rate: number | null }> | null, retentionSeries: Array<{ bucket: string, new: number, returning: number }> | null, retentionCohorts: Array<{ bucket: string, size: number, offsets: Array<{ offset: number, returned: number, eligible: number, rate: number | null }> }> | null, retentionBreakdown: { totalCount: number, nodes: Array<{ value: string, visitors: number, days: Array<{ offset: number, returned: number, eligible: number, rate: number | null }> }> } | null } | null } | null };

export type RevenueReportVariables = Exact<{
  scope: RevenueScope;
  grain: Grain;
  by: RevenueDimension;
  first: number;
}>;


export type RevenueReport = { revenue: { totals: { gross: number, refunds: number, chargebacks: number, net: number, new: number, renewal: number, tax: number, commission: number, proceeds: number, transactions: number, refunded: number, refundRate: number | null, customers: number, unconverted: number, withoutPersonRows: number, withoutPerson: number } | null, series: Array<{ bucket: string, totals: { net: number, new: number, renewal: number } }> | null, subscriptions: { churnRate: number | null, churned: number, activeAtStart: number, state: { active: number, trials: number, mrr: number, arr: number }, movement: { new: number, reactivation: number, expansion: number, contraction: number, churn: number }, trials: { started: number, converted: number, pending: number, abandoned: number, conversionRate: number | null } } | null, subscriptionSeries: Array<{ bucket: string, state: { mrr: number, active: number } }> | null, breakdown: { totalCount: number, nodes: Array<{ value: string, totals: { gross: number, refunds: number, net: number, customers: number, refundRate: number | null }, subscriptions: { active: number, mrr: number }, trials: { started: number, conversionRate: number | null } }> } | null } | null };

export type VisitorsVariables = Exact<{
  app: string;
  scope: ScopeInput;
  orderBy: VisitorMetric;
  ascending: boolean;
  first: number;
  search?: string | null | undefined;
}>;


export type Visitors = { app: { productAnalytics: { visitors: { totalCount: number, nodes: Array<{ appUserId: string, customUserId: string, firstSeen: string | null, lastSeen: string, sessions: number, views: number, events: number, country: string, city: string, platform: string, device: string, browser: string, os: string, source: string, channel: string, revenueUsd: number, runs: number, completedRuns: number }> } | null } | null } | null };

export type TimelineVariables = Exact<{
  app: string;
  scope: ScopeInput;
  user: string;
}>;


export type Timeline = { app: { productAnalytics: { timeline: { totalCount: number, nodes: Array<{ startedAt: string, session: { seconds: number, views: number, events: number, entry: string, exit: string, country: string, city: string, platform: string, device: string, browser: string, os: string, source: string, channel: string } | null, run: { flowId: string, versionId: string, variant: string, state: FlowRunState, seconds: number } | null }> } | null } | null } | null };

export type AnnotationsVariables = Exact<{
  app: string;
  environment: EnvironmentKind;
  range: RangeInput;
}>;


export type Annotations = { app: { chartMarks: Array<{ at: string, kind: ChartMarkKind, name: string, author: { name: string, email: string } | null }> | null, notes: { nodes: Array<{ id: string, at: string, text: string, editable: boolean, author: { name: string, email: string } | null }> } | null } | null };

export type CreateNoteVariables = Exact<{
  input: CreateNoteInput;
}>;


export type CreateNote = { createNote: { id: string } };

export type UpdateNoteVariables = Exact<{
  input: UpdateNoteInput;
}>;


export type UpdateNote = { updateNote: { id: string } };

export type DeleteNoteVariables = Exact<{
  input: DeleteNoteInput;
}>;


export type DeleteNote = { deleteNote: string };

export type BreakdownFigures = { value: string, country: string, region: string, visitors: number, sessions: number, views: number, events: number, newVisitors: number, bounceRate: number | null, averageSessionSeconds: number | null, viewsPerSession: number | null, revenue: number };

export type ValueLine = { value: string, country: string, region: string, points: Array<{ bucket: string, value: number | null }> };

export type FlowSidesVariables = Exact<{
  app: string;
  flow: string;
}>;


export type FlowSides = { flow: { versions: { nodes: Array<{ id: string, number: number, label: string }> } } | null, app: { experiments: { nodes: Array<{ id: string, name: string, channel: { environment: { kind: EnvironmentKind } }, variants: Array<{ key: string, name: string, version: { flow: { id: string } } | null }> }> } | null } | null };

export type AnybodyVariables = Exact<{
  app: string;
  scope: ScopeInput;
}>;


export type Anybody = { app: { productAnalytics: { summary: { events: number } | null } | null } | null };

export type SegmentsVariables = Exact<{
  app: string;
}>;


export type Segments = { app: { segments: { nodes: Array<{ id: string, name: string, windowDays: number, importedCount: number, rules: unknown }> } | null } | null };

export type FilterValuesVariables = Exact<{
  app: string;
  scope: ScopeInput;
  search: string;
  attribution?: AttributionDimension;
  isAttribution?: boolean;
  location?: LocationDimension;
  isLocation?: boolean;
  engagement?: EngagementDimension;
  isEngagement?: boolean;
  technology?: TechnologyDimension;
  isTechnology?: boolean;
  isEvent?: boolean;
  isGoal?: boolean;
}>;


export type FilterValues = { app: { productAnalytics: { attribution?: { nodes: Array<{ value: string, visitors: number }> } | null, demographic?: { nodes: Array<{ value: string, visitors: number }> } | null, engagement?: { nodes: Array<{ value: string, visitors: number }> } | null, technology?: { nodes: Array<{ value: string, visitors: number }> } | null, events?: { nodes: Array<{ name: string, visitors: number }> } | null, goals?: { nodes: Array<{ goalId: string, name: string, converters: number }> } | null } | null } | null };

export type SavedViewsVariables = Exact<{
  app: string;
}>;


export type SavedViews = { app: { savedViews: { nodes: Array<{ id: string, name: string, scope: { period: ViewPeriod, from: string | null, to: string | null, timeZone: string | null, grain: Grain | null, platform: Platform | null, segmentId: string | null, cross: unknown, comparison: ViewComparison, against: string | null, matchWeekdays: boolean } }> } | null } | null };

export type CreateSavedViewVariables = Exact<{
  input: CreateSavedViewInput;
}>;


export type CreateSavedView = { createSavedView: { id: string } };

export type UpdateSavedViewVariables = Exact<{
  input: UpdateSavedViewInput;
}>;


export type UpdateSavedView = { updateSavedView: { id: string } };

export type DeleteSavedViewVariables = Exact<{
  input: DeleteSavedViewInput;
}>;


export type DeleteSavedView = { deleteSavedView: string };

export type SegmentEstimateVariables = Exact<{
  app: string;
  environment: EnvironmentKind;
  rules: SegmentRulesInput;
  days: number;
}>;


export type SegmentEstimate = { app: { segmentEstimate: number | null } | null };

export type SegmentNamesVariables = Exact<{
  app: string;
  environment: EnvironmentKind;
}>;


export type SegmentNames = { app: { goals: { nodes: Array<{ id: string, name: string, condition: unknown }> } | null, flows: { nodes: Array<{ id: string, name: string, versions: { nodes: Array<{ id: string, number: number }> } }> } | null, experiments: { nodes: Array<{ name: string, variants: Array<{ id: string, key: string, name: string }> }> } | null } | null };

export type SegmentSuggestionsVariables = Exact<{
  app: string;
  environment: EnvironmentKind;
  scope: ScopeInput;
}>;


export type SegmentSuggestions = { app: { people: { nodes: Array<{ attributes: unknown, locale: string, timezone: string, country: string }> } | null, productAnalytics: { events: { nodes: Array<{ name: string }> } | null, sources: { nodes: Array<{ value: string }> } | null, mediums: { nodes: Array<{ value: string }> } | null, campaigns: { nodes: Array<{ value: string }> } | null, countries: { nodes: Array<{ value: string }> } | null } | null } | null };

export type CreateSegmentVariables = Exact<{
  input: CreateSegmentInput;
}>;


export type CreateSegment = { createSegment: { id: string } };

export type UpdateSegmentVariables = Exact<{
  input: UpdateSegmentInput;
}>;


export type UpdateSegment = { updateSegment: { id: string } };

export type DeleteSegmentVariables = Exact<{
  input: DeleteSegmentInput;
}>;


export type DeleteSegment = { deleteSegment: string };

export type SettingsVariables = Exact<{
  app: string;
  workspace: string;
}>;


export type Settings = { app: { id: string, name: string, allowedOrigins: Array<string>, ignoreBots: boolean, completionWindowDays: number, purchaseWindowDays: number, lapseMinutes: number, retention: Array<{ kind: EventKind, days: number }>, environments: Array<{ kind: EnvironmentKind, publishableKeys: { nodes: Array<{ id: string, key: string, createdAt: string, revokedAt: string | null }> } | null, identityProof: { mode: IdentityProofMode, secrets: Array<{ createdAt: string }>, days: Array<{ day: string, proved: number, missing: number, wrong: number }> } | null }> } | null, workspace: { id: string, name: string, signInRule: SignInRule, plan: { key: string, name: string } | null, usage: { month: string, liveUsers: number | null, liveUsersLimit: number | null, events: number, apps: number, appsLimit: number | null, experiments: number, pause: string | null, graceDaysLeft: number | null, days: Array<{ day: string, liveUsers: number, newLiveUsers: number, events: number }>, byApp: Array<{ appId: string, name: string, liveUsers: number, events: number }> } | null, notificationMail: { sends: boolean, address: string, confirmed: boolean, kinds: Array<NotificationKind> } | null, members: { nodes: Array<{ id: string, role: Role, user: { id: string, name: string, email: string } }> } | null, invitations: { nodes: Array<{ id: string, email: string, role: Role, expiresAt: string }> } | null, apiKeys: { nodes: Array<{ id: string, name: string, lastFour: string, clientHost: string | null, createdAt: string, lastUsedAt: string | null, revokedAt: string | null, scopes: Array<Capability>, app: { name: string } | null, user: { name: string, email: string } }> } | null } | null };

export type SetSignInRuleVariables = Exact<{
  workspace: string;
  rule: SignInRule;
}>;


export type SetSignInRule = { setSignInRule: { id: string } };

export type InviteVariables = Exact<{
  workspace: string;
  email: string;
  role: Role;
}>;


export type Invite = { inviteMember: { setupToken: string } };

export type RevokeInvitationVariables = Exact<{
  id: string;
}>;


export type RevokeInvitation = { revokeInvitation: string };

export type ChangeRoleVariables = Exact<{
  workspace: string;
  user: string;
  role: Role;
}>;


export type ChangeRole = { changeMemberRole: { id: string } };

export type RemoveMemberVariables = Exact<{
  workspace: string;
  user: string;
}>;


export type RemoveMember = { removeMember: string };

export type TransferOwnershipVariables = Exact<{
  workspace: string;
  user: string;
}>;


export type TransferOwnership = { transferOwnership: { id: string, role: Role } };

export type SetNotificationMailVariables = Exact<{
  workspace: string;
  kinds: Array<NotificationKind> | NotificationKind;
}>;


export type SetNotificationMail = { setNotificationMail: { kinds: Array<NotificationKind> } };

export type ConfirmMailVariables = Exact<{ [key: string]: never; }>;


export type ConfirmMail = { sendMailConfirmation: boolean };

export type TestMailVariables = Exact<{
  workspace: string;
}>;


export type TestMail = { sendTestMail: { accepted: boolean, reason: string } };

export type RotateKeyVariables = Exact<{
  app: string;
  environment: EnvironmentKind;
}>;


export type RotateKey = { rotatePublishableKey: { id: string, key: string } };

export type RevokeKeyVariables = Exact<{
  id: string;
}>;


export type RevokeKey = { revokePublishableKey: { id: string } };

export type SetIdentityProofVariables = Exact<{
  app: string;
  environment: EnvironmentKind;
  mode: IdentityProofMode;
}>;


export type SetIdentityProof = { setIdentityProof: { mode: IdentityProofMode } };

export type RotateIdentitySecretVariables = Exact<{
  app: string;
  environment: EnvironmentKind;
}>;


export type RotateIdentitySecret = { rotateIdentitySecret: { secret: string } };

export type RetireIdentitySecretVariables = Exact<{
  app: string;
  environment: EnvironmentKind;
}>;


export type RetireIdentitySecret = { retireIdentitySecret: { mode: IdentityProofMode } };

export type CreateApiKeyVariables = Exact<{
  workspace: string;
  name: string;
  scopes: Array<Capability> | Capability;
  app?: string | null | undefined;
}>;


export type CreateApiKey = { createApiKey: { secret: string } };

export type RevokeApiKeyVariables = Exact<{
  id: string;
}>;


export type RevokeApiKey = { revokeApiKey: { id: string } };

export type UpdateAppVariables = Exact<{
  input: UpdateAppInput;
}>;


export type UpdateApp = { updateApp: { id: string } };

export type SetRetentionVariables = Exact<{
  input: SetRetentionInput;
}>;


export type SetRetention = { setRetention: { id: string } };

export type SqlAccessVariables = Exact<{
  workspace: string;
}>;


export type SqlAccess = { workspace: { sqlRoles: Array<{ id: string, name: string, appId: string | null, environment: EnvironmentKind | null, rotatedAt: string }> | null, sqlViews: Array<{ name: string, columns: Array<{ name: string, type: string }> }> | null } | null };

export type CreateSqlRoleVariables = Exact<{
  workspace: string;
  app?: string | null | undefined;
  environment: EnvironmentKind;
}>;


export type CreateSqlRole = { createSqlRole: { url: string } };

export type RotateSqlRoleVariables = Exact<{
  id: string;
}>;


export type RotateSqlRole = { rotateSqlRole: { url: string } };

export type DropSqlRoleVariables = Exact<{
  id: string;
}>;


export type DropSqlRole = { dropSqlRole: string };

export type AuditLogVariables = Exact<{
  workspace: string;
  filter: AuditFilter;
  after?: string | null | undefined;
}>;


export type AuditLog = { workspace: { auditLog: { totalCount: number, nodes: Array<{ id: string, createdAt: string, action: string, subject: string, detail: unknown, apiKeyId: string | null, user: { id: string, name: string, email: string } | null, names: Array<{ id: string, name: string }> }>, pageInfo: { hasNextPage: boolean, endCursor: string | null } } | null } | null };

export type RevenueSourcesVariables = Exact<{
  app: string;
}>;


export type RevenueSources = { app: { revenueSources: Array<{ id: string, provider: RevenueProvider, name: string, stores: Array<string>, path: string, archivedAt: string | null, lastDeliveryAt: string | null, lastError: string, lastErrorAt: string | null, secrets: Array<{ id: string, lastFour: string, createdAt: string }> }> } | null };

export type CreateRevenueSourceVariables = Exact<{
  app: string;
  provider: RevenueProvider;
  name: string;
}>;


export type CreateRevenueSource = { createRevenueSource: { secret: string | null, source: { id: string } } };

export type AddRevenueSecretVariables = Exact<{
  id: string;
  secret?: string | null | undefined;
}>;


export type AddRevenueSecret = { addRevenueSecret: { secret: string | null } };

export type RemoveRevenueSecretVariables = Exact<{
  id: string;
  secret: string;
}>;


export type RemoveRevenueSecret = { removeRevenueSecret: { id: string } };

export type TestRevenueSourceVariables = Exact<{
  id: string;
}>;


export type TestRevenueSource = { testRevenueSource: { accepted: boolean, status: number, state: RevenueDeliveryState | null, reason: string, milliseconds: number } };

export type ArchiveRevenueSourceVariables = Exact<{
  id: string;
}>;


export type ArchiveRevenueSource = { archiveRevenueSource: { id: string } };

export type UnmappedRevenueVariables = Exact<{
  app: string;
  environment: EnvironmentKind;
}>;


export type UnmappedRevenue = { app: { unmappedRevenue: { after: string | null, nodes: Array<{ provider: RevenueProvider, subject: string, productId: string, store: string, rows: number, amount: number, unconverted: number, lastAt: string, personIds: Array<string> }> } } | null };

export type MapRevenueVariables = Exact<{
  input: MapRevenueInput;
}>;


export type MapRevenue = { mapRevenue: boolean };

export type ScheduledReportsVariables = Exact<{
  app: string;
}>;


export type ScheduledReports = { app: { scheduledReports: Array<{ id: string, environment: EnvironmentKind, frequency: ReportFrequency, timeZone: string, destination: ReportDestination, slackUrl: string, active: boolean, nextAt: string, createdBy: string, own: boolean, last: { state: ScheduledReportState, reason: string, at: string } | null }> | null } | null };

export type ScheduledReportPreviewVariables = Exact<{
  app: string;
  environment: EnvironmentKind;
  frequency: ReportFrequency;
  timeZone: string;
}>;


export type ScheduledReportPreview = { app: { scheduledReportPreview: { subject: string, html: string, text: string } | null } | null };

export type CreateScheduledReportVariables = Exact<{
  input: CreateScheduledReportInput;
}>;


export type CreateScheduledReport = { createScheduledReport: { id: string } };

export type UpdateScheduledReportVariables = Exact<{
  input: UpdateScheduledReportInput;
}>;


export type UpdateScheduledReport = { updateScheduledReport: { id: string, active: boolean } };

export type DeleteScheduledReportVariables = Exact<{
  id: string;
}>;


export type DeleteScheduledReport = { deleteScheduledReport: string };

export type SendScheduledReportVariables = Exact<{
  id: string;
}>;


export type SendScheduledReport = { sendScheduledReport: { accepted: boolean, reason: string } };

export type SharedViewVariables = Exact<{ [key: string]: never; }>;


export type SharedView = { sharedView: { name: string, environment: EnvironmentKind, reports: Array<SharedReport>, segment: string | null, expiresAt: string | null, poweredBy: boolean, app: { id: string, name: string }, scope: { period: ViewPeriod, from: string | null, to: string | null, timeZone: string | null, grain: Grain | null, platform: Platform | null, segmentId: string | null, cross: unknown, comparison: ViewComparison, against: string | null, matchWeekdays: boolean } } | null };

export type OpenSharedLinkVariables = Exact<{
  input: OpenSharedLinkInput;
}>;


export type OpenSharedLink = { openSharedLink: { key: string } };

export type SharedLinksVariables = Exact<{
  app: string;
  environment: EnvironmentKind;
}>;


export type SharedLinks = { app: { sharedLinks: { totalCount: number, nodes: Array<{ id: string, name: string, reports: Array<SharedReport>, hasPassword: boolean, expiresAt: string | null, lastOpenedAt: string | null, createdAt: string, author: { name: string, email: string } | null }> } | null } | null };

export type CreateSharedLinkVariables = Exact<{
  input: CreateSharedLinkInput;
}>;


export type CreateSharedLink = { createSharedLink: { token: string } };

export type RevokeSharedLinkVariables = Exact<{
  input: RevokeSharedLinkInput;
}>;


export type RevokeSharedLink = { revokeSharedLink: { id: string } };

export type StartVariables = Exact<{
  app: string;
  kind: EnvironmentKind;
}>;


export type Start = { app: { environment: { publishableKeys: { nodes: Array<{ key: string }> } | null, channels: { nodes: Array<{ id: string, name: string, assignment: AssignmentKind, version: { flow: { id: string, name: string } } | null }> } | null }, ingestHealth: { accepted: number } | null, flows: { totalCount: number, nodes: Array<{ id: string, name: string, versions: { nodes: Array<{ id: string, number: number }> } }> } | null } | null };

export type SdkPackagesVariables = Exact<{ [key: string]: never; }>;


export type SdkPackages = { sdkPackages: Array<{ name: string, url: string }> };

/** Operations and fragments of the sources by name. */
export type Documents = {
  Account: { data: Account; variables: AccountVariables };
  BeginTotp: { data: BeginTotp; variables: BeginTotpVariables };
  ConfirmTotp: { data: ConfirmTotp; variables: ConfirmTotpVariables };
  RemoveTotp: { data: RemoveTotp; variables: RemoveTotpVariables };
  ReplaceRecoveryCodes: { data: ReplaceRecoveryCodes; variables: ReplaceRecoveryCodesVariables };
  BeginPasskey: { data: BeginPasskey; variables: BeginPasskeyVariables };
  AddPasskey: { data: AddPasskey; variables: AddPasskeyVariables };
  RenamePasskey: { data: RenamePasskey; variables: RenamePasskeyVariables };
  RemovePasskey: { data: RemovePasskey; variables: RemovePasskeyVariables };
  EndSession: { data: EndSession; variables: EndSessionVariables };
  EndOtherSessions: { data: EndOtherSessions; variables: EndOtherSessionsVariables };
  ChangePassword: { data: ChangePassword; variables: ChangePasswordVariables };
  Alerts: { data: Alerts; variables: AlertsVariables };
  AlertPreview: { data: AlertPreview; variables: AlertPreviewVariables };
  CreateAlert: { data: CreateAlert; variables: CreateAlertVariables };
  UpdateAlert: { data: UpdateAlert; variables: UpdateAlertVariables };
  DeleteAlert: { data: DeleteAlert; variables: DeleteAlertVariables };
  CreateFirstApp: { data: CreateFirstApp; variables: CreateFirstAppVariables };
  Unread: { data: Unread; variables: UnreadVariables };
  Notifications: { data: Notifications; variables: NotificationsVariables };
  ReadNotifications: { data: ReadNotifications; variables: ReadNotificationsVariables };
  RequestPasswordReset: { data: RequestPasswordReset; variables: RequestPasswordResetVariables };
  ResetPassword: { data: ResetPassword; variables: ResetPasswordVariables };
  Session: { data: Session; variables: SessionVariables };
  SignIn: { data: SignIn; variables: SignInVariables };
  SignInOptions: { data: SignInOptions; variables: SignInOptionsVariables };
  BeginPasskeySignIn: { data: BeginPasskeySignIn; variables: BeginPasskeySignInVariables };
  SignInWithPasskey: { data: SignInWithPasskey; variables: SignInWithPasskeyVariables };
  SignOut: { data: SignOut; variables: SignOutVariables };
  Automation: { data: Automation; variables: AutomationVariables };
  Explanation: { data: Explanation; variables: ExplanationVariables };
  TestRun: { data: TestRun; variables: TestRunVariables };
  EmailPreview: { data: EmailPreview; variables: EmailPreviewVariables };
  SendTestEmail: { data: SendTestEmail; variables: SendTestEmailVariables };
  SaveAutomation: { data: SaveAutomation; variables: SaveAutomationVariables };
  PublishAutomation: { data: PublishAutomation; variables: PublishAutomationVariables };
  ActivateAutomation: { data: ActivateAutomation; variables: ActivateAutomationVariables };
  PauseAutomation: { data: PauseAutomation; variables: PauseAutomationVariables };
  ArchiveAutomation: { data: ArchiveAutomation; variables: ArchiveAutomationVariables };
  AddPeopleToAutomation: { data: AddPeopleToAutomation; variables: AddPeopleToAutomationVariables };
  Automations: { data: Automations; variables: AutomationsVariables };
  CreateAutomation: { data: CreateAutomation; variables: CreateAutomationVariables };
  SetAutomationLimits: { data: SetAutomationLimits; variables: SetAutomationLimitsVariables };
  CreateEndpoint: { data: CreateEndpoint; variables: CreateEndpointVariables };
  UpdateEndpoint: { data: UpdateEndpoint; variables: UpdateEndpointVariables };
  RotateEndpoint: { data: RotateEndpoint; variables: RotateEndpointVariables };
  RetireEndpoint: { data: RetireEndpoint; variables: RetireEndpointVariables };
  ReplayWebhooks: { data: ReplayWebhooks; variables: ReplayWebhooksVariables };
  WebhookDeliveries: { data: WebhookDeliveries; variables: WebhookDeliveriesVariables };
  EmailSuppressions: { data: EmailSuppressions; variables: EmailSuppressionsVariables };
  RemoveEmailSuppression: { data: RemoveEmailSuppression; variables: RemoveEmailSuppressionVariables };
  Branding: { data: Branding; variables: BrandingVariables };
  SaveBranding: { data: SaveBranding; variables: SaveBrandingVariables };
  Channels: { data: Channels; variables: ChannelsVariables };
  ChannelHistory: { data: ChannelHistory; variables: ChannelHistoryVariables };
  ChannelTraffic: { data: ChannelTraffic; variables: ChannelTrafficVariables };
  Pin: { data: Pin; variables: PinVariables };
  CreateChannel: { data: CreateChannel; variables: CreateChannelVariables };
  ChannelWatch: { data: ChannelWatch; variables: ChannelWatchVariables };
  SetAutomaticReturn: { data: SetAutomaticReturn; variables: SetAutomaticReturnVariables };
  Conditions: { data: Conditions; variables: ConditionsVariables };
  ConditionSuggestions: { data: ConditionSuggestions; variables: ConditionSuggestionsVariables };
  ConditionSteps: { data: ConditionSteps; variables: ConditionStepsVariables };
  OAuthRequest: { data: OAuthRequest; variables: OAuthRequestVariables };
  ApproveOAuthRequest: { data: ApproveOAuthRequest; variables: ApproveOAuthRequestVariables };
  Components: { data: Components; variables: ComponentsVariables };
  ComponentAt: { data: ComponentAt; variables: ComponentAtVariables };
  ComponentUses: { data: ComponentUses; variables: ComponentUsesVariables };
  CreateComponent: { data: CreateComponent; variables: CreateComponentVariables };
  UpdateComponent: { data: UpdateComponent; variables: UpdateComponentVariables };
  DeleteComponent: { data: DeleteComponent; variables: DeleteComponentVariables };
  NewestVersion: { data: NewestVersion; variables: NewestVersionVariables };
  StepNumbers: { data: StepNumbers; variables: StepNumbersVariables };
  DraftHistory: { data: DraftHistory; variables: DraftHistoryVariables };
  OldestDraft: { data: OldestDraft; variables: OldestDraftVariables };
  DraftThen: { data: DraftThen; variables: DraftThenVariables };
  DraftWayBack: { data: DraftWayBack; variables: DraftWayBackVariables };
  Draft: { data: Draft; variables: DraftVariables };
  EditDraft: { data: EditDraft; variables: EditDraftVariables };
  DraftEdits: { data: DraftEdits; variables: DraftEditsVariables };
  AnnounceInDraft: { data: AnnounceInDraft; variables: AnnounceInDraftVariables };
  DraftProblems: { data: DraftProblems; variables: DraftProblemsVariables };
  DraftSimulation: { data: DraftSimulation; variables: DraftSimulationVariables };
  Experiments: { data: Experiments; variables: ExperimentsVariables };
  ExperimentReport: { data: ExperimentReport; variables: ExperimentReportVariables };
  ExperimentDetail: { data: ExperimentDetail; variables: ExperimentDetailVariables };
  ExperimentPlan: { data: ExperimentPlan; variables: ExperimentPlanVariables };
  ExperimentChoices: { data: ExperimentChoices; variables: ExperimentChoicesVariables };
  CreateExperiment: { data: CreateExperiment; variables: CreateExperimentVariables };
  UpdateExperiment: { data: UpdateExperiment; variables: UpdateExperimentVariables };
  StartExperiment: { data: StartExperiment; variables: StartExperimentVariables };
  StopExperiment: { data: StopExperiment; variables: StopExperimentVariables };
  PromoteExperiment: { data: PromoteExperiment; variables: PromoteExperimentVariables };
  ExtendExperiment: { data: ExtendExperiment; variables: ExtendExperimentVariables };
  DeleteExperiment: { data: DeleteExperiment; variables: DeleteExperimentVariables };
  ParquetExport: { data: ParquetExport; variables: ParquetExportVariables };
  SaveParquetExport: { data: SaveParquetExport; variables: SaveParquetExportVariables };
  CheckParquetExport: { data: CheckParquetExport; variables: CheckParquetExportVariables };
  RunParquetExport: { data: RunParquetExport; variables: RunParquetExportVariables };
  RemoveParquetExport: { data: RemoveParquetExport; variables: RemoveParquetExportVariables };
  FlowReport: { data: FlowReport; variables: FlowReportVariables };
  Flows: { data: Flows; variables: FlowsVariables };
  CreateFlow: { data: CreateFlow; variables: CreateFlowVariables };
  FlowToStart: { data: FlowToStart; variables: FlowToStartVariables };
  FlowThumbnail: { data: FlowThumbnail; variables: FlowThumbnailVariables };
  Look: { data: Look; variables: LookVariables };
  NamedMedia: { data: NamedMedia; variables: NamedMediaVariables };
  RecentRuns: { data: RecentRuns; variables: RecentRunsVariables };
  FlowRun: { data: FlowRun; variables: FlowRunVariables };
  RunVersion: { data: RunVersion; variables: RunVersionVariables };
  CopyFlow: { data: CopyFlow; variables: CopyFlowVariables };
  ImportFlow: { data: ImportFlow; variables: ImportFlowVariables };
  FillFlow: { data: FillFlow; variables: FillFlowVariables };
  FlowName: { data: FlowName; variables: FlowNameVariables };
  FlowVersions: { data: FlowVersions; variables: FlowVersionsVariables };
  VersionManifest: { data: VersionManifest; variables: VersionManifestVariables };
  SaveDraft: { data: SaveDraft; variables: SaveDraftVariables };
  PublishFlow: { data: PublishFlow; variables: PublishFlowVariables };
  DeclinePublish: { data: DeclinePublish; variables: DeclinePublishVariables };
  DraftAuthors: { data: DraftAuthors; variables: DraftAuthorsVariables };
  PreviewLink: { data: PreviewLink; variables: PreviewLinkVariables };
  FlowReach: { data: FlowReach; variables: FlowReachVariables };
  HistoryPreview: { data: HistoryPreview; variables: HistoryPreviewVariables };
  HistoryImports: { data: HistoryImports; variables: HistoryImportsVariables };
  CreateHistoryImport: { data: CreateHistoryImport; variables: CreateHistoryImportVariables };
  UploadHistoryPart: { data: UploadHistoryPart; variables: UploadHistoryPartVariables };
  StartHistoryImport: { data: StartHistoryImport; variables: StartHistoryImportVariables };
  RemoveHistoryImport: { data: RemoveHistoryImport; variables: RemoveHistoryImportVariables };
  HistoryRejects: { data: HistoryRejects; variables: HistoryRejectsVariables };
  Media: { data: Media; variables: MediaVariables };
  UploadMedia: { data: UploadMedia; variables: UploadMediaVariables };
  RenameMedia: { data: RenameMedia; variables: RenameMediaVariables };
  ArchiveMedia: { data: ArchiveMedia; variables: ArchiveMediaVariables };
  MediaUses: { data: MediaUses; variables: MediaUsesVariables };
  DraftToReplaceIn: { data: DraftToReplaceIn; variables: DraftToReplaceInVariables };
  ReplaceInDraft: { data: ReplaceInDraft; variables: ReplaceInDraftVariables };
  People: { data: People; variables: PeopleVariables };
  Person: { data: Person; variables: PersonVariables };
  ExportPerson: { data: ExportPerson; variables: ExportPersonVariables };
  ErasePerson: { data: ErasePerson; variables: ErasePersonVariables };
  Acquisition: { data: Acquisition; variables: AcquisitionVariables };
  Locations: { data: Locations; variables: LocationsVariables };
  Devices: { data: Devices; variables: DevicesVariables };
  Engagement: { data: Engagement; variables: EngagementVariables };
  Events: { data: Events; variables: EventsVariables };
  RecentEvents: { data: RecentEvents; variables: RecentEventsVariables };
  Funnels: { data: Funnels; variables: FunnelsVariables };
  Funnel: { data: Funnel; variables: FunnelVariables };
  FunnelSeries: { data: FunnelSeries; variables: FunnelSeriesVariables };
  FunnelBreakdown: { data: FunnelBreakdown; variables: FunnelBreakdownVariables };
  FunnelVisitors: { data: FunnelVisitors; variables: FunnelVisitorsVariables };
  CreateFunnel: { data: CreateFunnel; variables: CreateFunnelVariables };
  UpdateFunnel: { data: UpdateFunnel; variables: UpdateFunnelVariables };
  DeleteFunnel: { data: DeleteFunnel; variables: DeleteFunnelVariables };
  Goals: { data: Goals; variables: GoalsVariables };
  Goal: { data: Goal; variables: GoalVariables };
  CreateGoal: { data: CreateGoal; variables: CreateGoalVariables };
  UpdateGoal: { data: UpdateGoal; variables: UpdateGoalVariables };
  DeleteGoal: { data: DeleteGoal; variables: DeleteGoalVariables };
  IngestHealth: { data: IngestHealth; variables: IngestHealthVariables };
  Home: { data: Home; variables: HomeVariables };
  FirstEvent: { data: FirstEvent; variables: FirstEventVariables };
  HomeLayout: { data: HomeLayout; variables: HomeLayoutVariables };
  SetHomeLayout: { data: SetHomeLayout; variables: SetHomeLayoutVariables };
  HomeGoals: { data: HomeGoals; variables: HomeGoalsVariables };
  HomeFlows: { data: HomeFlows; variables: HomeFlowsVariables };
  HomeExperiments: { data: HomeExperiments; variables: HomeExperimentsVariables };
  HomeRevenue: { data: HomeRevenue; variables: HomeRevenueVariables };
  ImportedTotals: { data: ImportedTotals; variables: ImportedTotalsVariables };
  ImportedRows: { data: ImportedRows; variables: ImportedRowsVariables };
  LiveNow: { data: LiveNow; variables: LiveNowVariables };
  Paths: { data: Paths; variables: PathsVariables };
  PathAnchors: { data: PathAnchors; variables: PathAnchorsVariables };
  Retention: { data: Retention; variables: RetentionVariables };
  RevenueReport: { data: RevenueReport; variables: RevenueReportVariables };
  Visitors: { data: Visitors; variables: VisitorsVariables };
  Timeline: { data: Timeline; variables: TimelineVariables };
  Annotations: { data: Annotations; variables: AnnotationsVariables };
  CreateNote: { data: CreateNote; variables: CreateNoteVariables };
  UpdateNote: { data: UpdateNote; variables: UpdateNoteVariables };
  DeleteNote: { data: DeleteNote; variables: DeleteNoteVariables };
  FlowSides: { data: FlowSides; variables: FlowSidesVariables };
  Anybody: { data: Anybody; variables: AnybodyVariables };
  Segments: { data: Segments; variables: SegmentsVariables };
  FilterValues: { data: FilterValues; variables: FilterValuesVariables };
  SavedViews: { data: SavedViews; variables: SavedViewsVariables };
  CreateSavedView: { data: CreateSavedView; variables: CreateSavedViewVariables };
  UpdateSavedView: { data: UpdateSavedView; variables: UpdateSavedViewVariables };
  DeleteSavedView: { data: DeleteSavedView; variables: DeleteSavedViewVariables };
  SegmentEstimate: { data: SegmentEstimate; variables: SegmentEstimateVariables };
  SegmentNames: { data: SegmentNames; variables: SegmentNamesVariables };
  SegmentSuggestions: { data: SegmentSuggestions; variables: SegmentSuggestionsVariables };
  CreateSegment: { data: CreateSegment; variables: CreateSegmentVariables };
  UpdateSegment: { data: UpdateSegment; variables: UpdateSegmentVariables };
  DeleteSegment: { data: DeleteSegment; variables: DeleteSegmentVariables };
  Settings: { data: Settings; variables: SettingsVariables };
  SetSignInRule: { data: SetSignInRule; variables: SetSignInRuleVariables };
  Invite: { data: Invite; variables: InviteVariables };
  RevokeInvitation: { data: RevokeInvitation; variables: RevokeInvitationVariables };
  ChangeRole: { data: ChangeRole; variables: ChangeRoleVariables };
  RemoveMember: { data: RemoveMember; variables: RemoveMemberVariables };
  TransferOwnership: { data: TransferOwnership; variables: TransferOwnershipVariables };
  SetNotificationMail: { data: SetNotificationMail; variables: SetNotificationMailVariables };
  ConfirmMail: { data: ConfirmMail; variables: ConfirmMailVariables };
  TestMail: { data: TestMail; variables: TestMailVariables };
  RotateKey: { data: RotateKey; variables: RotateKeyVariables };
  RevokeKey: { data: RevokeKey; variables: RevokeKeyVariables };
  SetIdentityProof: { data: SetIdentityProof; variables: SetIdentityProofVariables };
  RotateIdentitySecret: { data: RotateIdentitySecret; variables: RotateIdentitySecretVariables };
  RetireIdentitySecret: { data: RetireIdentitySecret; variables: RetireIdentitySecretVariables };
  CreateApiKey: { data: CreateApiKey; variables: CreateApiKeyVariables };
  RevokeApiKey: { data: RevokeApiKey; variables: RevokeApiKeyVariables };
  UpdateApp: { data: UpdateApp; variables: UpdateAppVariables };
  SetRetention: { data: SetRetention; variables: SetRetentionVariables };
  SqlAccess: { data: SqlAccess; variables: SqlAccessVariables };
  CreateSqlRole: { data: CreateSqlRole; variables: CreateSqlRoleVariables };
  RotateSqlRole: { data: RotateSqlRole; variables: RotateSqlRoleVariables };
  DropSqlRole: { data: DropSqlRole; variables: DropSqlRoleVariables };
  AuditLog: { data: AuditLog; variables: AuditLogVariables };
  RevenueSources: { data: RevenueSources; variables: RevenueSourcesVariables };
  CreateRevenueSource: { data: CreateRevenueSource; variables: CreateRevenueSourceVariables };
  AddRevenueSecret: { data: AddRevenueSecret; variables: AddRevenueSecretVariables };
  RemoveRevenueSecret: { data: RemoveRevenueSecret; variables: RemoveRevenueSecretVariables };
  TestRevenueSource: { data: TestRevenueSource; variables: TestRevenueSourceVariables };
  ArchiveRevenueSource: { data: ArchiveRevenueSource; variables: ArchiveRevenueSourceVariables };
  UnmappedRevenue: { data: UnmappedRevenue; variables: UnmappedRevenueVariables };
  MapRevenue: { data: MapRevenue; variables: MapRevenueVariables };
  ScheduledReports: { data: ScheduledReports; variables: ScheduledReportsVariables };
  ScheduledReportPreview: { data: ScheduledReportPreview; variables: ScheduledReportPreviewVariables };
  CreateScheduledReport: { data: CreateScheduledReport; variables: CreateScheduledReportVariables };
  UpdateScheduledReport: { data: UpdateScheduledReport; variables: UpdateScheduledReportVariables };
  DeleteScheduledReport: { data: DeleteScheduledReport; variables: DeleteScheduledReportVariables };
  SendScheduledReport: { data: SendScheduledReport; variables: SendScheduledReportVariables };
  SharedView: { data: SharedView; variables: SharedViewVariables };
  OpenSharedLink: { data: OpenSharedLink; variables: OpenSharedLinkVariables };
  SharedLinks: { data: SharedLinks; variables: SharedLinksVariables };
  CreateSharedLink: { data: CreateSharedLink; variables: CreateSharedLinkVariables };
  RevokeSharedLink: { data: RevokeSharedLink; variables: RevokeSharedLinkVariables };
  Start: { data: Start; variables: StartVariables };
  SdkPackages: { data: SdkPackages; variables: SdkPackagesVariables };
  Delivery: { data: Delivery };
  ComponentContent: { data: ComponentContent };
  EngagementFigures: { data: EngagementFigures };
  HomePoint: { data: HomePoint };
  BreakdownFigures: { data: BreakdownFigures };
  ValueLine: { data: ValueLine };
};
