import type { Identity, ResolvedFlow } from '../api/types';
import { buildCompletionResponses } from '../flow/answers';
import type { DecisionTelemetry, LandingFault } from '../flow/landing';
import { abandonFlow, currentActiveLayers, type StepOptions, startFlow, submitResponse } from '../flow/machine';
import type { PrimaryResponse, SdkAttributes, StepResponse } from '../flow/responses';
import { buildTerminalSnapshot, type FlowTerminalSnapshot, type TerminalPayloadOptions } from '../flow/snapshot';
import {
  type FlowSession,
  type FlowState,
  findExternalSurface,
  findScreen,
  initFlowState,
  replaceSdkAttributes,
} from '../flow/state';
import { Listeners } from '../host/listeners';
import type { Layer, SurfaceOutcome } from '../manifest/types';
import { bypassProperties, captureEvents } from './capture';
import type { FlowEventContext, FlowEventInput } from './flow-event';

/** A purchase as a paywall reported it (wire.md §5.3). Price and currency come together or not at all. */
export interface PurchaseCommerce {
  productId: string;
  offeringId?: string;
  packageId?: string;
  price?: number;
  currency?: string;
  periodType?: 'normal' | 'intro' | 'trial';
}

/** How far the record of a run has come (flow-analytics.md §1): what has to outlive a redirect. */
export interface RunPlace {
  /** UUID that all events of the run carry. */
  runId: string;
  /** Number of the next event, from 0. */
  nextSeq: number;
  /** The screen or surface that was last recorded as viewed; null before the first. */
  stepId: string | null;
}

/** A screen or surface that a run came to. */
export interface FlowStep {
  kind: 'screen' | 'surface';
  /** Its id in the manifest. */
  stepId: string;
  /** Where the run came from; null at its first step. */
  fromStepId: string | null;
}

export interface FlowRunOptions {
  flow: ResolvedFlow;
  /** Channel that was asked for. */
  channelId: string;
  session: Partial<Pick<FlowSession, 'locale' | 'platform' | 'sdkAttributes'>>;
  /** Id of the run, a UUID. */
  runId: string;
  /** A run in progress that is taken up again, after a payment on another page: nothing is started anew. */
  resumeFrom?: { state: FlowState; place?: RunPlace };
  now(): number;
  /** Sends an event. Identity and context are read now, so that later changes do not reach back. */
  emit(event: FlowEventInput): void;
  /** Who the run belongs to, for the snapshot. */
  subject(): Identity;
  context(): FlowEventContext;
  terminalPayload?: TerminalPayloadOptions;
  onFlowCompleted?(snapshot: FlowTerminalSnapshot): void;
  onFlowAbandoned?(snapshot: FlowTerminalSnapshot): void;
  /** Takes every screen and surface that the run comes to, in the order of the events that record them. */
  onStep?(step: FlowStep): void;
  onFault?(fault: LandingFault): void;
}

/**
 * One run of a flow: the machine, its events in the order of runtime.md §12, and the terminal callback. Hosts
 * subscribe to its state.
 */
export class FlowRun {
  private current: FlowState;
  private readonly recorded: RunPlace;
  private viewedScreenId: string | null = null;
  private readonly seenProviders = new Set<string>();
  private readonly listeners = new Listeners();
  private disposed = false;

  /** @internal */
  constructor(private readonly options: FlowRunOptions) {
    const { resumeFrom } = options;
    this.current = resumeFrom?.state ?? initFlowState(options.flow.manifest, options.session);
    this.recorded = { runId: options.runId, nextSeq: 0, stepId: null, ...resumeFrom?.place };
    this.viewedScreenId = this.current.currentScreenId;
  }

  get flow(): ResolvedFlow {
    return this.options.flow;
  }

  get channelId(): string {
    return this.options.channelId;
  }

  get state(): FlowState {
    return this.current;
  }

  /** How far the record of this run has come. */
  get place(): RunPlace {
    return { ...this.recorded };
  }

  subscribe = this.listeners.add;

  /** Starts the run once; a run that was taken up again goes on where it was. */
  start(): void {
    if (this.current.status !== 'idle' || this.disposed) return;
    const decisions: DecisionTelemetry[] = [];
    const next = startFlow(this.current, this.stepOptions(decisions));
    if (next === this.current) return;
    this.current = next;
    this.emit({ name: 'flow_started' });
    this.observeAttribution();
    this.emitDecisions(decisions);
    this.emitPosition(next);
    this.publish();
  }

  /** Submits a response. Returns whether it changed anything. */
  respond(response: StepResponse): boolean {
    const before = this.current;
    if (this.disposed) return false;
    const layers = currentActiveLayers(before);
    const decisions: DecisionTelemetry[] = [];
    const next = submitResponse(before, response, this.stepOptions(decisions));
    if (next === before) return false;
    this.current = next;
    if (before.currentScreenId !== null) this.emitStep(before.currentScreenId, layers, response, next, decisions);
    this.emitPosition(next);
    this.publish();
    return true;
  }

  /** Reports how an external surface ended. Returns false when it is not the pending one. */
  reportExternalSurfaceOutcome(
    nodeId: string,
    outcome: SurfaceOutcome,
    extra: { sdkKeyPatch?: SdkAttributes; commerce?: PurchaseCommerce } = {},
  ): boolean {
    const before = this.current;
    const node = findExternalSurface(before.manifest, nodeId);
    const decisions: DecisionTelemetry[] = [];
    const response: StepResponse = {
      kind: 'external_surface_outcome',
      nodeId,
      outcome,
      ...(extra.sdkKeyPatch ? { sdkKeyPatch: extra.sdkKeyPatch } : {}),
    };
    const next = this.disposed ? before : submitResponse(before, response, this.stepOptions(decisions));
    if (next === before) return false;
    this.current = next;
    const provider = node?.config.provider ?? 'unspecified';
    this.emit({
      name: 'surface_outcome',
      stepId: nodeId,
      properties: { surface_node_id: nodeId, provider, outcome },
    });
    if (outcome === 'purchase_completed' && extra.commerce) this.emitPurchase(nodeId, provider, extra.commerce);
    this.emitDecisions(decisions);
    this.emitPosition(next);
    this.publish();
    return true;
  }

  /** Abandons a running run: event, state, callback. */
  abandon(): void {
    if (this.disposed) return;
    this.end(true);
  }

  /**
   * The run leaves the screen for good. A run that is not over is recorded as abandoned; the host took it away
   * itself and is not told.
   */
  dispose(): void {
    if (this.disposed) return;
    this.end(false);
    this.disposed = true;
  }

  /** Replaces host and attribution attributes; what surfaces wrote stays on top. */
  setAttributes(attributes: SdkAttributes): void {
    if (this.disposed || this.current.status !== 'running') return;
    this.current = replaceSdkAttributes(this.current, attributes);
    this.observeAttribution();
    this.publish();
  }

  /** Records that the system opened a link: its scheme, and its host for https. */
  trackExternalLinkOpened(link: { layerId: string; href: string }): void {
    const [, scheme = '', host] =
      /^([a-z][a-z0-9+.-]*):(?:\/\/(?:[^/?#@]*@)?([^/?#:]+))?/i.exec(link.href.trim()) ?? [];
    this.emit({
      name: 'external_link_opened',
      stepId: this.current.currentScreenId,
      properties: {
        layerId: link.layerId,
        hrefScheme: scheme.toLowerCase(),
        ...(scheme.toLowerCase() === 'https' && host ? { linkHost: host.toLowerCase() } : {}),
      },
    });
  }

  /** Records the two moments of an in-app review prompt. */
  trackAppReview(moment: 'shown' | 'dismissed', layerId: string): void {
    this.emit({
      name: moment === 'shown' ? 'app_review_prompt_shown' : 'app_review_prompt_dismissed',
      stepId: this.current.currentScreenId,
      properties: { layer_id: layerId },
    });
  }

  private emit(event: FlowEventInput): void {
    const { runId, nextSeq } = this.recorded;
    this.recorded.nextSeq += 1;
    this.options.emit({ ...event, runId, seq: nextSeq });
  }

  /** Records that a screen or surface shows, and where from. */
  private emitVisit(kind: FlowStep['kind'], stepId: string, event: FlowEventInput): void {
    const fromStepId = this.recorded.stepId;
    this.recorded.stepId = stepId;
    this.emit({ ...event, stepId, fromStepId });
    this.options.onStep?.({ kind, stepId, fromStepId });
  }

  private stepOptions(decisions: DecisionTelemetry[]): StepOptions {
    return {
      now: new Date(this.options.now()).toISOString(),
      onDecisionEvaluated: (telemetry) => decisions.push(telemetry),
      onFault: (fault) => this.options.onFault?.(fault),
    };
  }

  private emitStep(
    stepId: string,
    layers: readonly Layer[],
    response: StepResponse,
    next: FlowState,
    decisions: DecisionTelemetry[],
  ): void {
    const primary: PrimaryResponse = response.kind === 'screen_commit' ? response.primary : response;
    const failedAuth =
      (primary.kind === 'oauth_login_resolve' || primary.kind === 'email_password_auth_resolve') && !primary.success;
    // Checkboxes can switch branches, so the answers are recorded against what showed after them.
    const shown = response.kind === 'screen_commit' ? layersAfter(this.current, stepId, layers) : layers;
    for (const event of captureEvents(stepId, shown, response)) this.emit(event);
    this.emitDecisions(decisions);
    if (failedAuth || primary.kind === 'go_back') return;
    if (primary.kind === 'skip') {
      const properties = bypassProperties(layers);
      this.emit({ name: 'step_skipped', stepId, ...(properties ? { properties } : {}) });
    } else if (next.status === 'running') {
      const properties = primary.kind === 'go_to_screen' ? bypassProperties(layers) : undefined;
      this.emit({ name: 'step_completed', stepId, ...(properties ? { properties } : {}) });
    }
  }

  private emitDecisions(decisions: DecisionTelemetry[]): void {
    for (const { decisionNodeId, matchedCaseId, clauseDigest } of decisions) {
      this.emit({
        name: 'decision_evaluated',
        properties: {
          decision_node_id: decisionNodeId,
          matched_case_id: matchedCaseId,
          used_else_branch: matchedCaseId === null,
          clause_digest: clauseDigest,
        },
      });
    }
  }

  /** Records where the run stands now: a screen, a surface, or its end. */
  private emitPosition(state: FlowState): void {
    if (state.status === 'completed') {
      this.viewedScreenId = null;
      this.emit({
        name: 'flow_completed',
        properties: { responseCount: Object.keys(buildCompletionResponses(state)).length },
      });
      this.announceTerminal('onFlowCompleted');
    } else if (state.pendingExternalSurface) {
      this.viewedScreenId = null;
      this.emitSurfacePresented(state.pendingExternalSurface.nodeId);
    } else if (state.currentScreenId !== this.viewedScreenId) {
      this.viewedScreenId = state.currentScreenId;
      if (state.currentScreenId !== null) this.emitVisit('screen', state.currentScreenId, { name: 'step_viewed' });
    }
  }

  private emitSurfacePresented(nodeId: string): void {
    const config = findExternalSurface(this.current.manifest, nodeId)?.config;
    const offering = config?.provider === 'revenuecat' ? config.offeringId : undefined;
    this.emitVisit('surface', nodeId, {
      name: 'surface_presented',
      properties: {
        surface_node_id: nodeId,
        provider: config?.provider ?? 'unspecified',
        ...(offering ? { offering_id: offering } : {}),
      },
    });
  }

  private emitPurchase(nodeId: string, provider: string, commerce: PurchaseCommerce): void {
    // Payments by link are booked by the processor's verified webhook alone.
    if (provider !== 'revenuecat' && provider !== 'superwall') return;
    const { productId, offeringId, packageId, price, currency, periodType } = commerce;
    if (!productId) return;
    const priced = price !== undefined && price >= 0 && currency !== undefined && /^[A-Za-z]{3}$/.test(currency);
    this.emit({
      name: 'iap_purchase',
      stepId: nodeId,
      properties: {
        provider,
        surface_node_id: nodeId,
        product_id: productId.slice(0, 256),
        ...(offeringId ? { offering_id: offeringId.slice(0, 128) } : {}),
        ...(packageId ? { package_id: packageId.slice(0, 128) } : {}),
        ...(priced ? { price, currency: currency.toUpperCase() } : {}),
        ...(periodType ? { period_type: periodType } : {}),
      },
    });
  }

  /** Records each attribution provider the first time the run's attributes name it. */
  private observeAttribution(): void {
    const provider = this.current.session.sdkAttributes['attribution.provider'];
    const id = typeof provider === 'string' ? provider.trim().toLowerCase() : '';
    if (!/^[a-z0-9_-]+$/.test(id) || this.seenProviders.has(id)) return;
    this.seenProviders.add(id);
    this.emit({ name: 'attribution_context_observed', properties: { attribution_provider: id } });
  }

  private end(tellHost: boolean): void {
    if (this.current.status !== 'running') return;
    this.emit({ name: 'flow_abandoned', stepId: this.current.currentScreenId });
    this.current = abandonFlow(this.current, new Date(this.options.now()).toISOString());
    if (tellHost) this.announceTerminal('onFlowAbandoned');
    this.publish();
  }

  /** Calls the host after the state is out, so that it may unmount the flow from the callback. */
  private announceTerminal(callback: 'onFlowCompleted' | 'onFlowAbandoned'): void {
    const { flow, channelId, subject, context, terminalPayload } = this.options;
    const { appVersion, customProperties } = context();
    const snapshot = buildTerminalSnapshot({
      state: this.current,
      correlation: { ...flow, channelId },
      subject: subject(),
      ...(appVersion === undefined ? {} : { appVersion }),
      ...(customProperties === undefined ? {} : { customProperties }),
      ...(terminalPayload === undefined ? {} : { options: terminalPayload }),
    });
    if (snapshot) void Promise.resolve().then(() => this.options[callback]?.(snapshot));
  }

  private publish(): void {
    this.listeners.tell();
  }
}

/** The layers of the screen that was answered, with its conditionals resolved by what was answered. */
function layersAfter(state: FlowState, screenId: string, before: readonly Layer[]): readonly Layer[] {
  if (!findScreen(state.manifest, screenId)) return before;
  return currentActiveLayers({ ...state, currentScreenId: screenId });
}
