import type { ResolveSource } from '../api/resolver';
import type { ResolvedFlow } from '../api/types';
import type { SvcClient } from '../client/client';
import { loadFailure } from '../client/host-callbacks';
import { SvcError } from '../errors';
import type { LoadFailure } from '../events/report';
import type { SdkAttributes, StepResponse } from '../flow/responses';
import type { FlowTerminalSnapshot, TerminalPayloadOptions } from '../flow/snapshot';
import type { FlowState } from '../flow/state';
import { Listeners } from '../host/listeners';
import type { Platform } from '../host/platform';
import type { SurfaceOutcome } from '../manifest/types';
import type { FlowRun, FlowStep, PurchaseCommerce, RunPlace } from './flow-run';

/** What a flow component shows. */
export type FlowView =
  | { status: 'loading'; flow: null; state: null; error: null }
  | { status: 'failed'; flow: null; state: null; error: Error }
  | { status: 'ready'; flow: ResolvedFlow; state: FlowState; error: null };

/** What a flow component loaded. */
export interface FlowLoaded {
  channelId: string;
  flow: ResolvedFlow;
  /**
   * `given` is `initialData`, `memory` what an earlier load or prefetch left, `preview` what a preview link shows. See
   * {@link ResolveSource}.
   */
  source: ResolveSource | 'memory' | 'given' | 'resumed' | 'preview';
}

/**
 * Why nothing is presented: the code of the service's refusal, or that of the error in the way. Only errors that
 * trying again cannot fix are reasons to skip.
 */
export type FlowSkipReason =
  | 'channel_required'
  | 'channel_not_found'
  | 'channel_unassigned'
  | 'channel_archived'
  | 'version_missing'
  | 'experiment_not_running'
  | 'plan_limit_reached'
  | 'subscription_past_due'
  | 'invalid_key'
  | 'origin_not_allowed'
  | 'preview_invalid'
  | 'preview_expired'
  | 'preview_not_found'
  | 'invalid_config'
  | (string & {});

/** What a host hears of a flow besides its end. Each comes after the state is out, so that it may unmount the flow. */
export interface FlowCallbacks {
  /** The flow is there and its run begins. */
  onLoaded?: (loaded: FlowLoaded) => void;
  /** The run shows its first screen or surface. Once a run. */
  onPresented?: (step: FlowStep) => void;
  /** The run comes to a screen or surface, the first one included. */
  onStep?: (step: FlowStep) => void;
  /** Nothing is presented and trying again cannot help: go on without the flow. */
  onSkipped?: (reason: FlowSkipReason) => void;
  /** The flow could not be loaded. The provider's `onError` hears of it too. */
  onError?: (failure: LoadFailure) => void;
}

export interface FlowControllerOptions extends TerminalPayloadOptions, FlowCallbacks {
  channelId: string;
  /**
   * Token of a preview link, which is run instead of what the channel serves. Nothing of such a run is recorded, kept
   * or sold.
   */
  preview?: string | undefined;
  onFlowCompleted?: (snapshot: FlowTerminalSnapshot) => void;
  onFlowAbandoned?: (snapshot: FlowTerminalSnapshot) => void;
  /** A resolve answer that the host already has, from a server render. */
  initialData?: ResolvedFlow;
  /**
   * Finds a run that goes on after a payment on another page; asked once, at mount, since what it reads is not
   * there on a server.
   *
   * @internal
   */
  resume?: () => ResumableRun | null;
}

/** A run as it was when the visitor left for another page. */
export interface ResumableRun {
  flow: ResolvedFlow;
  state: FlowState;
  /** Who it belongs to; it keeps that id to its end. */
  appUserId: string;
  /** How far its record had come. Without it the events that follow count as another run. */
  place?: RunPlace;
}

const LOADING: FlowView = { status: 'loading', flow: null, state: null, error: null };

/**
 * Loads a channel's flow and runs it, for whichever component shows it. `mount` and `unmount` may come in pairs
 * within one task, as React's StrictMode does: a run is only let go when the task is over.
 */
export class FlowController {
  private view: FlowView = LOADING;
  private run: FlowRun | null = null;
  /** Counts loads, so that an answer that comes after the next load is ignored. */
  private load = 0;
  private mounted = false;
  private pendingUnmount: unknown = null;
  /** An answer came while the component was about to go, and no run was started for it. */
  private missedAnswer = false;
  private readonly listeners = new Listeners();
  private stopListening: (() => void)[] = [];

  constructor(
    private readonly client: SvcClient,
    private readonly platform: Pick<Platform, 'setTimeout' | 'clearTimeout'>,
    private options: FlowControllerOptions,
  ) {
    const flow = options.initialData;
    if (flow && !client.configError)
      this.view = { status: 'ready', flow, state: client.runs.preview(flow), error: null };
  }

  subscribe = this.listeners.add;

  /** The same object until something changed. */
  getView = (): FlowView => this.view;

  /** Takes the callbacks and flags of a later render. What a controller begins with never changes. */
  setOptions(options: FlowControllerOptions): void {
    const { channelId, preview, initialData, resume } = this.options;
    this.options = { ...options, channelId, preview, initialData, resume };
  }

  mount(): void {
    if (this.pendingUnmount !== null) {
      this.platform.clearTimeout(this.pendingUnmount);
      this.pendingUnmount = null;
      if (this.missedAnswer) this.begin();
      return;
    }
    if (this.mounted) return;
    this.mounted = true;
    this.stopListening = [
      this.client.onPersonChange(() => this.restart()),
      this.client.runs.changes.add(() => {
        if (this.run) this.run.setAttributes(this.client.runs.attributes(this.run.flow));
      }),
    ];
    this.begin();
  }

  /** Lets the run go at the end of the task, unless `mount` follows before. */
  unmount(): void {
    if (!this.mounted || this.pendingUnmount !== null) return;
    this.pendingUnmount = this.platform.setTimeout(() => this.release(), 0);
  }

  /** Tries again after a failure. */
  retry(): void {
    if (this.mounted && this.view.status === 'failed') this.restart();
  }

  respond(response: StepResponse): boolean {
    return this.run?.respond(response) ?? false;
  }

  reportExternalSurfaceOutcome(
    nodeId: string,
    outcome: SurfaceOutcome,
    extra: { sdkKeyPatch?: SdkAttributes; commerce?: PurchaseCommerce } = {},
  ): boolean {
    return this.run?.reportExternalSurfaceOutcome(nodeId, outcome, extra) ?? false;
  }

  /**
   * How far the record of the run has come, for a run that is to be taken up again; null while there is none.
   *
   * @internal
   */
  get place(): RunPlace | null {
    return this.run?.place ?? null;
  }

  abandon(): void {
    this.run?.abandon();
  }

  trackExternalLinkOpened(link: { layerId: string; href: string }): void {
    this.run?.trackExternalLinkOpened(link);
  }

  trackAppReview(moment: 'shown' | 'dismissed', layerId: string): void {
    this.run?.trackAppReview(moment, layerId);
  }

  private begin(): void {
    const { initialData, channelId, preview } = this.options;
    if (!this.client.isReady) {
      if (!initialData) this.show(LOADING);
      const load = this.nextLoad();
      void this.client.ready.then(() => {
        if (this.isAwaited(load)) this.begin();
      });
      return;
    }
    if (!this.client.configError && preview === undefined) {
      const resumed = this.options.resume?.();
      if (resumed) {
        this.adopt(resumed.flow, 'resumed', resumed);
        return;
      }
      if (initialData) {
        this.adopt(initialData, 'given');
        return;
      }
      // What memory has starts at once; the answer of the service is for the next run, not for this one.
      const warm = this.client.peek(channelId);
      if (warm) {
        this.adopt(warm, 'memory');
        void this.client.prefetch(channelId);
        return;
      }
    }
    const load = this.nextLoad();
    this.show(LOADING);
    const answer: Promise<Pick<FlowLoaded, 'flow' | 'source'>> =
      preview === undefined
        ? this.client.resolve(channelId)
        : this.client.resolvePreview(preview).then((flow) => ({ flow, source: 'preview' }));
    answer.then(
      ({ flow, source }) => {
        if (this.isAwaited(load)) this.adopt(flow, source);
      },
      (error: unknown) => {
        if (this.isAwaited(load)) this.fail(error);
      },
    );
  }

  private fail(error: unknown): void {
    const shown = error instanceof Error ? error : new SvcError('unknown', String(error));
    this.show({ status: 'failed', flow: null, state: null, error: shown });
    const failure = loadFailure(this.options.channelId, error);
    this.call(() => this.options.onError?.(failure));
    if (!failure.retryable) this.call(() => this.options.onSkipped?.(failure.reason));
  }

  /** Calls the host after the state is out. */
  private call(callback: () => void): void {
    void Promise.resolve().then(() => this.client.host.guard(callback));
  }

  private nextLoad(): number {
    this.missedAnswer = false;
    this.load += 1;
    return this.load;
  }

  /** Whether the answer of this load is still wanted. */
  private isAwaited(load: number): boolean {
    if (load !== this.load || !this.mounted) return false;
    this.missedAnswer = this.pendingUnmount !== null;
    return !this.missedAnswer;
  }

  private adopt(flow: ResolvedFlow, source: FlowLoaded['source'], resumed?: ResumableRun): void {
    const { includeManifestInTerminalPayload, includePathInTerminalPayload, includeAnswerDetailInTerminalPayload } =
      this.options;
    const run = this.client.runs.create(
      flow,
      this.options.channelId,
      {
        terminalPayload: {
          includeManifestInTerminalPayload,
          includePathInTerminalPayload,
          includeAnswerDetailInTerminalPayload,
        },
        onFlowCompleted: (snapshot) => this.options.onFlowCompleted?.(snapshot),
        onFlowAbandoned: (snapshot) => this.options.onFlowAbandoned?.(snapshot),
        onStep: (step) => {
          if (step.fromStepId === null) this.call(() => this.options.onPresented?.(step));
          this.call(() => this.options.onStep?.(step));
        },
      },
      resumed,
    );
    this.run = run;
    const loaded = { channelId: run.channelId, flow, source };
    this.call(() => this.options.onLoaded?.(loaded));
    const publish = () => this.show({ status: 'ready', flow, state: run.state, error: null });
    run.subscribe(publish);
    run.start();
    publish();
  }

  private restart(): void {
    this.run?.dispose();
    this.run = null;
    // Data of a server render or of a payment belongs to the person it was made for.
    const { initialData: _, resume: __, ...rest } = this.options;
    this.options = rest;
    this.begin();
  }

  private release(): void {
    this.pendingUnmount = null;
    this.mounted = false;
    this.load += 1;
    for (const stop of this.stopListening.splice(0)) stop();
    this.run?.dispose();
    this.run = null;
    this.view = LOADING;
  }

  private show(view: FlowView): void {
    this.view = view;
    this.listeners.tell();
  }
}
