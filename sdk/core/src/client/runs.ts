import type { SessionAttribution } from '../analytics/session-attribution';
import type { ResolvedFlow } from '../api/types';
import type { EventQueue } from '../events/queue';
import { startFlow } from '../flow/machine';
import type { SdkAttributes } from '../flow/responses';
import { type FlowState, initFlowState } from '../flow/state';
import { uuidV4 } from '../host/ids';
import { Listeners } from '../host/listeners';
import { buildFlowEvent } from '../run/build-event';
import { type FlowEventInput, isTerminalFlowEvent } from '../run/flow-event';
import { FlowRun, type FlowRunOptions, type RunPlace } from '../run/flow-run';
import type { HostCallbacks } from './host-callbacks';
import type { RunCallbacks } from './options';
import type { Person } from './person';

/** Makes the runs of a client and records what happens in them. */
export class Runs {
  /** Told when the host's attributes change. */
  readonly changes = new Listeners();

  constructor(
    private readonly person: Person,
    private readonly queue: EventQueue,
    private readonly host: HostCallbacks,
    private readonly attribution: SessionAttribution | null,
  ) {}

  /** Attributes of runs of this flow: the host's, under what is known about the arrival. */
  attributes(flow: ResolvedFlow): SdkAttributes {
    return { ...this.person.config().sdkAttributes, ...this.attribution?.forRun?.(flow) };
  }

  /** The state a run of this flow begins with, without beginning one: what a server renders. */
  preview(flow: ResolvedFlow): FlowState {
    return startFlow(initFlowState(flow.manifest, this.session(flow)));
  }

  /** Makes a run for the person of now. It keeps their id to its end, whoever comes next. */
  create(
    flow: ResolvedFlow,
    channelId: string,
    callbacks: RunCallbacks = {},
    resumed?: { state: FlowState; appUserId: string; place?: RunPlace },
  ): FlowRun {
    const { person } = this;
    const { platform } = person;
    const owner = resumed?.appUserId ?? person.appUserId;
    const channel = channelId.trim();
    return new FlowRun({
      ...callbacks,
      flow,
      channelId: channel,
      session: this.session(flow),
      runId: uuidV4(platform),
      ...(resumed ? { resumeFrom: resumed } : {}),
      now: () => platform.now(),
      emit: (event) => this.emit(flow, channel, owner, event),
      subject: () => person.identity(owner),
      context: () => person.device(),
      onFault: ({ kind, nodeId }) =>
        this.host.report({ code: 'flow_error', reason: kind, message: `the flow ended early at ${nodeId}` }),
    });
  }

  /** Records the start of a run that is never drawn. */
  recordExposure(flow: ResolvedFlow, channelId: string, appUserId: string | undefined): void {
    this.emit(flow, channelId.trim(), appUserId, {
      name: 'flow_started',
      runId: uuidV4(this.person.platform),
      seq: 0,
    });
  }

  private session(flow: ResolvedFlow): FlowRunOptions['session'] {
    const { locale, platform } = this.person.device();
    return { ...(locale ? { locale } : {}), platform, sdkAttributes: this.attributes(flow) };
  }

  private emit(flow: ResolvedFlow, channelId: string, owner: string | undefined, input: FlowEventInput): void {
    if (flow.preview) return;
    const { person } = this;
    const source = { identity: person.identity(owner), context: person.device() };
    const event = buildFlowEvent(person.platform, input, flow, source);
    this.queue.enqueue(event, { channelId, terminal: isTerminalFlowEvent(input.name) });
    this.host.tell({ path: 'flow', event });
  }
}
