/** A definition while it is edited (docs/automations.md). What the editor does not know of stays as it is. */
export type Step = { id: string; type: string } & Record<string, unknown>;
export type Definition = { trigger: Record<string, unknown>; nodes: Step[] } & Record<string, unknown>;

/** Where a step can stand: behind another one, on one of its branches; `after` is undefined for the first step. */
export type Spot = { after?: string; branch: string };

export const stepTypes = ['delay', 'waitForEvent', 'condition', 'split', 'email', 'webhook', 'exit'] as const;
export type StepType = (typeof stepTypes)[number];

/** Reads a draft, which may hold anything: what has no list of steps begins with none. */
export function readDefinition(draft: unknown): Definition {
  const read = typeof draft === 'object' && draft !== null ? (draft as Record<string, unknown>) : {};
  const trigger = read.trigger as Definition['trigger'] | undefined;
  const nodes = Array.isArray(read.nodes) ? (read.nodes as Step[]) : [];
  return { ...read, trigger: trigger ?? { type: 'event', event: '' }, nodes };
}

/** What a place in a definition (a JSON pointer) is to be shown as: a step or the trigger, and the member of it. */
export function placeOf({ nodes }: Definition, pointer: string): { step?: Step; member: string } {
  const [first, number, ...members] = pointer.split('/').slice(1);
  if (first !== 'nodes') return { member: [number, ...members].filter(Boolean).join(' ') };
  return { step: nodes[Number(number)], member: members.join(' ') };
}

/** The branches on which a step leads on, in their order. */
export function branchesOf(step: Step): string[] {
  if (step.type === 'exit') return [];
  if (step.type === 'condition' || step.type === 'waitForEvent') return ['then', 'else'];
  if (step.type === 'split') return armsOf(step).map((_, i) => String(i));
  return ['next'];
}

type Arm = { weight: number; next?: string };

export const armsOf = (step: Step): Arm[] => (Array.isArray(step.arms) ? (step.arms as Arm[]) : []);

export function targetOf(step: Step, branch: string): string | undefined {
  const to = step.type === 'split' ? armsOf(step)[Number(branch)]?.next : step[branch];
  return typeof to === 'string' && to !== '' ? to : undefined;
}

function lead(step: Step, branch: string, to: string | undefined): Step {
  if (step.type === 'split')
    return {
      ...step,
      arms: armsOf(step).map((arm, i) => (String(i) === branch ? put(arm, 'next', to) : arm)),
    };
  return put(step, branch, to) as Step;
}

/** An object with a member, or without it. */
function put<T extends object>(object: T, name: string, value: unknown): T {
  const { [name]: _, ...others } = object as Record<string, unknown>;
  return (value === undefined ? others : { ...others, [name]: value }) as T;
}

/** Adds a step at a spot; what stood there comes behind it, on its first branch. */
export function addStep(definition: Definition, { after, branch }: Spot, step: Step): Definition {
  const before = definition.nodes.find(({ id }) => id === after);
  const behind = before ? targetOf(before, branch) : definition.nodes[0]?.id;
  const first = branchesOf(step)[0];
  const added = first === undefined ? step : lead(step, first, behind);
  if (!before) return reached({ ...definition, nodes: [added, ...definition.nodes] });
  const nodes = definition.nodes.flatMap((node) => (node === before ? [lead(node, branch, step.id), added] : [node]));
  return reached({ ...definition, nodes });
}

/** Removes a step; what comes on its first branch takes its place, and what only its other branches led to goes too. */
export function removeStep(definition: Definition, id: string): Definition {
  const gone = definition.nodes.find((node) => node.id === id);
  if (!gone) return definition;
  const behind = targetOf(gone, branchesOf(gone)[0] ?? '');
  const others = definition.nodes
    .filter((node) => node !== gone)
    .map((node) =>
      branchesOf(node).reduce(
        (changed, branch) => (targetOf(changed, branch) === id ? lead(changed, branch, behind) : changed),
        node,
      ),
    );
  if (definition.nodes[0] !== gone) return reached({ ...definition, nodes: others });
  const first = others.filter((node) => node.id === behind);
  return reached(
    { ...definition, nodes: [...first, ...others.filter((node) => node.id !== behind)] },
    first.length > 0,
  );
}

/** Moves a step behind the one that follows it. Only steps on one line change places. */
export function moveDown(definition: Definition, id: string): Definition {
  const step = definition.nodes.find((node) => node.id === id);
  const next = step && definition.nodes.find((node) => node.id === targetOf(step, 'next'));
  if (!step || !next || !mayMoveDown(definition, id)) return definition;
  return addStep(removeStep(definition, id), { after: next.id, branch: 'next' }, put(step, 'next', undefined));
}

export function mayMoveDown({ nodes }: Definition, id: string): boolean {
  const step = nodes.find((node) => node.id === id);
  const next = step && nodes.find((node) => node.id === targetOf(step, 'next'));
  const ways = nodes.flatMap((node) => branchesOf(node).filter((branch) => targetOf(node, branch) === next?.id));
  return next !== undefined && branchesOf(next)[0] === 'next' && ways.length === 1;
}

/** Changes a step; branches that it does not have any more are given up. */
export function changeStep(definition: Definition, step: Step): Definition {
  return reached({ ...definition, nodes: definition.nodes.map((node) => (node.id === step.id ? step : node)) });
}

/** Leaves out the steps that nothing leads to: a definition may have none. */
function reached(definition: Definition, any = true): Definition {
  const byId = new Map(definition.nodes.map((node) => [node.id, node]));
  const seen = new Set<string>();
  const visit = (id: string | undefined) => {
    const node = id === undefined ? undefined : byId.get(id);
    if (!node || seen.has(node.id)) return;
    seen.add(node.id);
    for (const branch of branchesOf(node)) visit(targetOf(node, branch));
  };
  if (any) visit(definition.nodes[0]?.id);
  return { ...definition, nodes: definition.nodes.filter(({ id }) => seen.has(id)) };
}

/** A new step of a type, with an id that no other one has. */
export function newStep(definition: Definition, type: StepType, endpoint: string | undefined): Step {
  const taken = new Set(definition.nodes.map(({ id }) => id));
  let number = 1;
  while (taken.has(`${type}-${number}`)) number++;
  const id = `${type}-${number}`;
  switch (type) {
    case 'delay':
      return { id, type, seconds: 3600 };
    case 'waitForEvent':
      return { id, type, event: '', timeoutSeconds: 86_400 };
    case 'condition':
      return { id, type, if: { all: [{ of: 'event', property: '', op: 'exists' }] } };
    case 'split':
      return { id, type, arms: [{ weight: 50 }, { weight: 50 }] };
    case 'email':
      return { id, type, subject: '', body: 'Hi {{person.firstName|there}},\n\n' };
    case 'webhook':
      return { id, type, endpointId: endpoint ?? '', messageType: '' };
    case 'exit':
      return { id, type };
  }
}
