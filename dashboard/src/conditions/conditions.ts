import type { DataOf } from '../graphql/graphql';
import type { GoalConditionInput } from '../graphql/schema.gen';

export type Kind = 'event' | 'page' | 'screen' | 'flow' | 'purchase';
export type Named = { id: string; name: string };

type Suggesting = NonNullable<DataOf<'ConditionSuggestions'>['app']>;

export type Happened = NonNullable<NonNullable<DataOf<'ConditionSuggestions'>['app']>['productAnalytics']>;

/** What the form holds of a condition: everything as text, whatever kind is chosen. */
export type Draft = {
  kind: Kind;
  /** Of an event, a page or a screen. */
  text: string;
  contains: boolean;
  flow: string;
  outcome: 'STARTED' | 'COMPLETED' | 'STEP_REACHED';
  step: string;
  /** By commas. */
  products: string;
  least: string;
};

export const emptyDraft: Draft = {
  kind: 'event',
  text: '',
  contains: false,
  flow: '',
  outcome: 'COMPLETED',
  step: '',
  products: '',
  least: '',
};

export const kindNames: Record<Kind, string> = {
  event: 'Event',
  page: 'Page',
  screen: 'Screen',
  flow: 'Flow',
  purchase: 'Purchase',
};

export const outcomeNames: Record<Draft['outcome'], string> = {
  STARTED: 'Started',
  COMPLETED: 'Completed',
  STEP_REACHED: 'Step reached',
};

const providerNames = { REVENUECAT: 'RevenueCat', SUPERWALL: 'Superwall', STRIPE: 'Stripe' } as const;

/** The condition that a form asks for; undefined while it lacks something. `before` keeps what the form does not show. */
export function conditionOf(draft: Draft, before?: GoalConditionInput): GoalConditionInput | undefined {
  const text = draft.text.trim();
  switch (draft.kind) {
    case 'event':
      return text ? { event: { name: text } } : undefined;
    case 'page':
    case 'screen':
      return text ? { [draft.kind]: { op: draft.contains ? 'CONTAINS' : 'IS', name: text } } : undefined;
    case 'flow': {
      const reached = draft.outcome === 'STEP_REACHED';
      if (!draft.flow || (reached && !draft.step.trim())) return undefined;
      return { flow: { flowId: draft.flow, outcome: draft.outcome, ...(reached && { step: draft.step.trim() }) } };
    }
    case 'purchase': {
      const { provider, maxUsd } = before?.purchase ?? {};
      const products = draft.products
        .split(',')
        .map((product) => product.trim())
        .filter((product) => product !== '');
      const least = Number(draft.least);
      if (draft.least.trim() && !(least >= 0)) return undefined;
      return {
        purchase: {
          ...(provider && { provider }),
          ...(maxUsd != null && { maxUsd }),
          ...(products.length > 0 && { products }),
          ...(draft.least.trim() && { minUsd: least }),
        },
      };
    }
  }
}

/** The form of a condition. */
export function draftOf(condition: GoalConditionInput): Draft {
  const { event, page, screen, flow, purchase } = condition;
  const view = page ?? screen;
  if (event) return { ...emptyDraft, text: event.name };
  if (view) return { ...emptyDraft, kind: page ? 'page' : 'screen', text: view.name, contains: view.op === 'CONTAINS' };
  if (flow) return { ...emptyDraft, kind: 'flow', flow: flow.flowId, outcome: flow.outcome, step: flow.step ?? '' };
  return {
    ...emptyDraft,
    kind: 'purchase',
    products: (purchase?.products ?? []).join(', '),
    least: purchase?.minUsd == null ? '' : String(purchase.minUsd),
  };
}

const stepName = (step: string, steps: readonly Named[]) => steps.find(({ id }) => id === step)?.name ?? step;

/** What a goal or a step is called when nobody names it. */
export function nameOf(draft: Draft, flows: readonly Named[], steps: readonly Named[] = []): string {
  const text = draft.text.trim();
  switch (draft.kind) {
    case 'event':
      return text;
    case 'page':
    case 'screen':
      return text && `Viewed ${text}`;
    case 'flow': {
      const flow = flows.find(({ id }) => id === draft.flow)?.name;
      if (!flow) return '';
      const outcome = {
        STARTED: 'started',
        COMPLETED: 'completed',
        STEP_REACHED: `reached ${stepName(draft.step, steps)}`,
      };
      return `${flow} ${outcome[draft.outcome]}`.trim();
    }
    case 'purchase':
      return 'Purchase';
  }
}

/** A condition in words. */
export function describe(condition: GoalConditionInput, flows: readonly Named[], steps: readonly Named[] = []): string {
  const { event, page, screen, flow, purchase } = condition;
  const view = page ?? screen;
  if (event) return `Event is ${event.name}`;
  if (view) return `${page ? 'Page' : 'Screen'} ${view.op === 'CONTAINS' ? 'contains' : 'is'} ${view.name}`;
  if (flow) {
    const name = flows.find(({ id }) => id === flow.flowId)?.name ?? 'A deleted flow';
    if (flow.outcome === 'STEP_REACHED') return `Flow ${name} reached the step ${stepName(flow.step ?? '', steps)}`;
    return `Flow ${name} ${flow.outcome === 'STARTED' ? 'started' : 'completed'}`;
  }
  const of = purchase?.products?.length ? ` of ${purchase.products.join(' or ')}` : '';
  const by = purchase?.provider ? ` by ${providerNames[purchase.provider]}` : '';
  const amounts = [
    purchase?.minUsd == null ? '' : `at least $${purchase.minUsd}`,
    purchase?.maxUsd == null ? '' : `at most $${purchase.maxUsd}`,
  ].filter(Boolean);
  return `Purchase${of}${by}${amounts.length ? ` for ${amounts.join(' and ')}` : ''}`;
}

/** Flows in the order of how many runs they had, those without any last. */
export function byRuns(flows: readonly Named[], app: Pick<Suggesting, 'appFlowOverview'> | null | undefined): Named[] {
  const place = new Map(app?.appFlowOverview?.nodes.map(({ flowId }, i) => [flowId, i]));
  return flows.toSorted((a, b) => (place.get(a.id) ?? Infinity) - (place.get(b.id) ?? Infinity) || 0);
}

/** Goals that what happened suggests and that there are not yet: events that most visitors triggered, completed flows,
 * purchases, and pages that say that they are missing. */
export function suggested(
  happened: Happened | null | undefined,
  flows: readonly Named[],
  goals: readonly { condition: unknown }[],
): Draft[] {
  const events = (happened?.events?.nodes ?? []).filter(({ builtIn }) => !builtIn).slice(0, 5);
  const outbound = events.length && happened?.events?.nodes.find(({ name }) => /outbound/i.test(name));
  const missing = happened?.screens?.nodes.find(({ value, kind }) => kind === 'PAGE' && /404|not-found/i.test(value));
  const drafts: Draft[] = [
    ...events.map(({ name }) => ({ ...emptyDraft, text: name })),
    ...(outbound ? [{ ...emptyDraft, text: outbound.name }] : []),
    ...flows.slice(0, 3).map(({ id }): Draft => ({ ...emptyDraft, kind: 'flow', flow: id })),
    { ...emptyDraft, kind: 'purchase' },
    ...(missing ? [{ ...emptyDraft, kind: 'page' as const, text: missing.value }] : []),
  ];
  const there = new Set(goals.map(({ condition }) => JSON.stringify(draftOf(condition as GoalConditionInput))));
  const names = new Set<string>();
  return drafts.filter((draft) => {
    const key = JSON.stringify(draft);
    if (there.has(key) || names.has(key)) return false;
    names.add(key);
    return true;
  });
}
