import type { Expression, FlowEvent, FlowManifest, FlowState, StepResponse, SurfaceOutcome } from '@svc/core';
import { findExternalSurface, findScreen } from '@svc/core';
import { buildFlowEvent, evaluateExpression, expressionContext } from '@svc/core/internal';
import { FlowRun } from '@svc/core/run';
import type { NodeId } from '../../document/operation';
import { type Given, keptEvents, type Told } from '../port';
import { reportOf } from './purchase';

const platform = {
  now: () => Date.now(),
  randomBytes: (count: number) => crypto.getRandomValues(new Uint8Array(count)),
};

type Resumed = ConstructorParameters<typeof FlowRun>[0]['resumeFrom'];

/** A run of a draft by the machine of the SDK. Its events are kept here and go nowhere. */
export class DraftRun {
  #given: Given | undefined;
  #run: FlowRun | undefined;
  #from: NodeId | null = null;
  #runId = '';
  #events: FlowEvent[] = [];
  #all = 0;
  #count = 0;
  #lost = false;
  #listeners = new Set<() => void>();
  #told = this.#tell();

  /** Lets the run be followed: `told` and `state` are others after each call. */
  subscribe = (listener: () => void) => {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  };

  get told(): Told {
    return this.#told;
  }

  get given(): Given | undefined {
    return this.#given;
  }

  /** Null while there is nothing that could run. */
  get state(): FlowState | null {
    return this.#run?.state ?? null;
  }

  /** Takes another draft, or another way to look at it. The run keeps its place when the step it stands at is there. */
  show(given: Given) {
    this.#given = given;
    const run = this.#run;
    if (!run || run.state.status === 'idle') return this.#begin(false);
    const { state } = run;
    const { locale, platform, attributes } = given;
    const manifest = manifestOf(given);
    if (state.status === 'running' && !stands(state, manifest)) return this.#begin(true);
    const { surfaceKeys } = state.session;
    const session = { locale, platform, sdkAttributes: { ...attributes, ...surfaceKeys }, surfaceKeys };
    this.#run = this.#make(manifest, { state: { ...state, manifest, session }, place: run.place });
    this.#changed();
  }

  /** Whether a condition holds now, by the SDK; undefined without a run, and for what is no condition. */
  holds(expression: unknown): boolean | undefined {
    const { state } = this;
    if (!state) return undefined;
    try {
      return evaluateExpression(expression as Expression, expressionContext(state));
    } catch {
      return undefined;
    }
  }

  restart(from: NodeId | null) {
    this.#from = from;
    if (this.#given) this.#begin(false);
  }

  respond(response: StepResponse) {
    const given = this.#given;
    // Browsers have prompts for few of the permissions, and none of another platform's.
    const asked = given && response.kind === 'permission_outcome';
    this.#run?.respond(asked ? { ...response, outcome: given.permission } : response);
  }

  report(surface: NodeId, outcome: SurfaceOutcome) {
    const node = this.#given && findExternalSurface(manifestOf(this.#given), surface);
    this.#run?.reportExternalSurfaceOutcome(
      surface,
      outcome,
      node && reportOf(node.config, outcome, this.#given?.product),
    );
  }

  /** Notes that a link was followed, which a preview does not do. */
  follow(link: { layerId: string; href: string }) {
    this.#run?.trackExternalLinkOpened(link);
  }

  #begin(lost: boolean) {
    this.#count += 1;
    this.#lost = lost;
    this.#events = [];
    this.#all = 0;
    this.#run = undefined;
    this.#runId = crypto.randomUUID();
    try {
      const manifest = manifestOf(this.#given!);
      const from = this.#from !== null && findScreen(manifest, this.#from) ? this.#from : manifest.entryScreenId;
      const first = this.#make({ ...manifest, entryScreenId: from });
      first.start();
      if (first.state.status !== 'idle')
        this.#run = this.#make(manifest, { state: { ...first.state, manifest }, place: first.place });
    } catch {
      // A draft need not have what a run takes for granted.
    }
    this.#changed();
  }

  #make(manifest: FlowManifest, resumeFrom?: Resumed): FlowRun {
    const { locale, platform: device, attributes } = this.#given!;
    const { flowId } = manifest;
    const context = { platform: device, locale };
    const identity = { appUserId: this.#runId };
    const served = { flowId, versionId: '', assignmentVersion: 1, experimentId: null, variantId: null };
    const run = new FlowRun({
      flow: { ...served, versionNumber: 0, environment: 'test', channelId: '', manifest, mediaMap: {} },
      channelId: '',
      session: { locale, platform: device, sdkAttributes: attributes },
      runId: this.#runId,
      ...(resumeFrom ? { resumeFrom } : {}),
      now: platform.now,
      emit: (input) => {
        this.#events = [...this.#events, buildFlowEvent(platform, input, served, { identity, context })].slice(
          -keptEvents,
        );
        this.#all += 1;
      },
      subject: () => identity,
      context: () => context,
    });
    run.subscribe(() => run === this.#run && this.#changed());
    return run;
  }

  #changed() {
    this.#told = this.#tell();
    for (const listener of this.#listeners) listener();
  }

  #tell(): Told {
    const state = this.#run?.state;
    return {
      run: this.#count,
      lost: this.#lost,
      status: state === undefined ? 'unable' : state.status === 'running' ? 'running' : 'ended',
      step: state?.pendingExternalSurface?.nodeId ?? state?.currentScreenId ?? null,
      events: this.#events,
      dropped: this.#all - this.#events.length,
      answers: state?.responses ?? {},
    };
  }
}

const manifestOf = ({ flow }: Given) => flow as unknown as FlowManifest;

/** Whether the step that a run stands at is in a manifest. */
function stands({ currentScreenId, pendingExternalSurface }: FlowState, manifest: FlowManifest): boolean {
  if (pendingExternalSurface) return findExternalSurface(manifest, pendingExternalSurface.nodeId) !== undefined;
  return findScreen(manifest, currentScreenId) !== undefined;
}
