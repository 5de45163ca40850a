import type { Identity, ResolvedFlow } from '../api/types';
import type { SvcConfig, SvcPlatform } from '../config';
import type { EventQueue } from '../events/queue';
import { normalizeLocale } from '../flow/locale';
import { startFlow } from '../flow/machine';
import type { SdkAttributes } from '../flow/responses';
import { type FlowState, initFlowState } from '../flow/state';
import { uuidV4 } from '../host/ids';
import type { Platform } from '../host/platform';
import { buildFlowEvent, configContext } from '../run/build-event';
import { type FlowEventContext, type FlowEventInput, isTerminalFlowEvent } from '../run/flow-event';
import { FlowRun, type FlowRunOptions, type RunPlace } from '../run/flow-run';
import type { HostCallbacks } from './host-callbacks';
import type { RunCallbacks } from './options';

/** A run that an earlier page or launch began. */
export interface ResumedRun {
  state: FlowState;
  appUserId: string;
  place?: RunPlace;
}

export interface FlowRunsOptions {
  platform: Platform;
  /** Queue of flow events. */
  queue: EventQueue;
  host: HostCallbacks;
  /** Config of now. */
  config(): SvcConfig;
  operatingSystem(): SvcPlatform;
  identity(appUserId: string): Identity;
  /** Attributes that runs of a flow know. */
  attributes(flow: ResolvedFlow): SdkAttributes;
}

/** Makes the runs of a client and sends their events. */
export class FlowRuns {
  constructor(private readonly options: FlowRunsOptions) {}

  /** Returns the state a run of this flow begins with, without beginning one. */
  firstState(flow: ResolvedFlow): FlowState {
    return startFlow(initFlowState(flow.manifest, this.session(flow)));
  }

  /** Makes a run that keeps its owner's id to its end. */
  create(flow: ResolvedFlow, channelId: string, owner: string, callbacks: RunCallbacks, resumed?: ResumedRun): FlowRun {
    const { platform, host, identity } = this.options;
    return new FlowRun({
      ...callbacks,
      flow,
      channelId,
      session: this.session(flow),
      runId: uuidV4(platform),
      ...(resumed ? { resumeFrom: resumed } : {}),
      now: () => platform.now(),
      emit: (event) => this.emit(flow, channelId, owner, event),
      subject: () => identity(owner),
      context: () => this.context(),
      onFault: ({ kind, nodeId }) =>
        host.report({ code: 'flow_error', reason: kind, message: `the flow ended early at ${nodeId}` }),
    });
  }

  /** Records the start of a run that nobody sees: an exposure. */
  recordStart(flow: ResolvedFlow, channelId: string, owner: string): void {
    this.emit(flow, channelId, owner, { name: 'flow_started', runId: uuidV4(this.options.platform), seq: 0 });
  }

  private session(flow: ResolvedFlow): FlowRunOptions['session'] {
    const { locale } = this.options.config();
    return {
      ...(locale ? { locale: normalizeLocale(locale) } : {}),
      platform: this.options.operatingSystem(),
      sdkAttributes: this.options.attributes(flow),
    };
  }

  private emit(flow: ResolvedFlow, channelId: string, owner: string, input: FlowEventInput): void {
    if (flow.preview) return;
    const { platform, queue, host, identity } = this.options;
    const event = buildFlowEvent(platform, input, flow, { identity: identity(owner), context: this.context() });
    queue.enqueue(event, { channelId, terminal: isTerminalFlowEvent(input.name) });
    host.tell({ path: 'flow', event });
  }

  private context(): FlowEventContext & { platform: SvcPlatform } {
    return { ...configContext(this.options.config()), platform: this.options.operatingSystem() };
  }
}
