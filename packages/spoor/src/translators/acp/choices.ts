import type { SessionConfigOption, SessionModeState } from "@agentclientprotocol/sdk";
import type { Mode, OfferedAgent } from "./offered-agents.ts";

/** What the user has chosen for a session. `DEFAULT_MODEL` leaves the model to the agent. */
export interface Choices {
  agent: string;
  model: string;
  mode: Mode;
}

export const DEFAULT_MODEL = "default";

/** Thrown for an option or a value that is not offered. */
export class ChoiceError extends Error {
  override readonly name = "ChoiceError";
}

/** Changes one option. What the others cannot keep falls back to a default, because they depend on the agent. */
export function choose(offered: readonly OfferedAgent[], now: Choices, id: string, value: string): Choices {
  const option = optionsOf(offered, now).find((each) => each.id === id);
  if (!option) {
    const known = optionsOf(offered, now).map((each) => each.id);
    throw new ChoiceError(`There is no option ${id}. Known: ${known.join(", ")}.`);
  }
  const values = valuesOf(option);
  if (!values.includes(value))
    throw new ChoiceError(`${value} cannot be chosen for ${id}. Known: ${values.join(", ")}.`);
  return fitting(offered, { ...now, [id]: value });
}

/**
 * The nearest choices that are offered. An agent that is not installed here any more stays chosen, so that the error of the
 * next prompt names it.
 */
export function fitting(offered: readonly OfferedAgent[], wanted: Choices): Choices {
  const agent = offered.find(({ name }) => name === wanted.agent);
  if (!agent) return wanted;
  const isListed = agent.models.some(({ id }) => id === wanted.model);
  const first = agent.needsModel ? (agent.models[0]?.id ?? DEFAULT_MODEL) : DEFAULT_MODEL;
  return {
    agent: agent.name,
    model: isListed || (wanted.model === DEFAULT_MODEL && !agent.needsModel) ? wanted.model : first,
    // The safest of what the agent can do.
    mode: agent.modes.includes(wanted.mode)
      ? wanted.mode
      : (safest.find((mode) => agent.modes.includes(mode)) ?? "ask"),
  };
}

const safest: readonly Mode[] = ["ask", "deny", "auto"];

/** All options with their values, as every answer lists them. */
export function optionsOf(offered: readonly OfferedAgent[], { agent, model, mode }: Choices): SessionConfigOption[] {
  const chosen = offered.find(({ name }) => name === agent);
  const agents = offered.map(({ name, title }) => ({ value: name, name: title }));
  const models = (chosen?.models ?? []).map(({ id, title }) => ({ value: id, name: title }));
  const none = { value: DEFAULT_MODEL, name: "The agent's default" };
  return [
    {
      ...{ type: "select", id: "agent", name: "Agent", description: "The agent that answers the next prompt." },
      category: "_spoor_agent",
      currentValue: agent,
      options: withCurrent(agents, agent),
    },
    {
      ...{ type: "select", id: "model", name: "Model", category: "model", currentValue: model },
      options: withCurrent(chosen?.needsModel ? models : [none, ...models], model),
    },
    {
      ...{ type: "select", id: "mode", name: "Permission", category: "mode", currentValue: mode },
      options: modesOf(chosen, mode).map(({ id, ...words }) => ({ value: id, ...words })),
    },
  ];
}

/** The same for editors that know modes but no options. */
export function modeStateOf(offered: readonly OfferedAgent[], { agent, mode }: Choices): SessionModeState {
  const chosen = offered.find(({ name }) => name === agent);
  return { currentModeId: mode, availableModes: modesOf(chosen, mode) };
}

const modesOf = (agent: OfferedAgent | undefined, current: Mode) =>
  (Object.keys(modeWords) as Mode[])
    .filter((mode) => mode === current || agent?.modes.includes(mode))
    .map((id) => ({ id, ...modeWords[id] }));

const modeWords: Readonly<Record<Mode, { name: string; description: string }>> = {
  ask: { name: "Ask", description: "Ask before actions that need permission." },
  auto: { name: "Allow", description: "Allow everything that no rule blocks." },
  deny: { name: "Refuse", description: "Refuse every action that needs permission." },
};

/** A value that is in use is listed, even if it is no longer offered. */
const withCurrent = (list: readonly { value: string; name: string }[], current: string) =>
  list.some(({ value }) => value === current) ? [...list] : [...list, { value: current, name: current }];

const valuesOf = (option: SessionConfigOption): string[] =>
  option.type === "select" ? option.options.flatMap((each) => ("value" in each ? [each.value] : [])) : [];
