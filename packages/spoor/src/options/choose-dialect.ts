import type { Ability, Adapter, Attachment, Dialect, LaunchRequest, LiveDialect } from "../agents/machine.ts";
import { CapabilityError } from "../failures/errors.ts";
import { type OptionName, optionRows } from "./run-options.ts";

export type RunnableDialect = Dialect & { live: LiveDialect };

/** What a run requires of its dialect. */
export interface DialectNeeds {
  request: LaunchRequest;
  /** The dialect that the caller named, if any. */
  name?: string;
  /** Whether the agent must be able to ask for permission. */
  asks: boolean;
  /** Whether text must be streamed. */
  streams: boolean;
}

/**
 * Returns the dialect to run on: the named one, otherwise the first one that supports everything the run asks for. If the
 * agent may ask for permission, a dialect that can ask is preferred. Throws a CapabilityError if no dialect qualifies.
 */
export function chooseRunnableDialect(adapter: Adapter, needs: DialectNeeds): RunnableDialect {
  const { request, name } = needs;
  const live = adapter.dialects.filter((dialect): dialect is RunnableDialect => dialect.live !== undefined);
  const offered = name === undefined ? live : live.filter((dialect) => dialect.name === name);
  const able = offered.filter((dialect) => refusalOf(adapter, dialect, needs) === undefined);
  const best = preferred(able, request) ?? preferred(offered, request);
  if (!best) throw notRunnable(adapter, name, live);
  const refusal = refusalOf(adapter, best, needs);
  if (!refusal) return best;
  const others = live.filter((dialect) => refusalOf(adapter, dialect, needs) === undefined);
  if (others.length === 0) throw refusal;
  const hint = `Its ${others.map((dialect) => dialect.name).join(" and ")} dialect does.`;
  throw new CapabilityError(adapter.name, refusal.capability, `${refusal.message} ${hint}`);
}

/** Whether a dialect declares an ability. */
export const takes = ({ live }: RunnableDialect, ability: Ability): boolean => live.takes?.includes(ability) === true;

const preferred = (dialects: readonly RunnableDialect[], { approve }: LaunchRequest): RunnableDialect | undefined =>
  (approve === "ask" ? dialects.find(({ canAsk }) => canAsk) : undefined) ?? dialects[0];

function refusalOf(
  { name: agent }: Adapter,
  dialect: RunnableDialect,
  { request, asks, streams }: DialectNeeds,
): CapabilityError | undefined {
  const where = `on its ${dialect.name} dialect`;
  for (const [ability, words] of abilitiesNeeded(request)) {
    if (takes(dialect, ability)) continue;
    const reason = dialect.live.refuses?.[ability] ?? `${agent} does not support ${words} ${where}.`;
    return new CapabilityError(agent, ability, reason);
  }
  const { deny } = dialect.live;
  if (request.approve === "deny" && deny && "cannot" in deny) return new CapabilityError(agent, "approve", deny.cannot);
  if (asks && !dialect.canAsk) {
    return new CapabilityError(agent, "onApprovalRequest", `${agent} does not ask for permission ${where}.`);
  }
  if (streams && !dialect.streams.text) {
    return new CapabilityError(agent, "textStreaming", `${agent} does not stream text ${where}.`);
  }
  return undefined;
}

/** The abilities a request needs of a dialect, each with the phrase that error messages use. */
function abilitiesNeeded(request: LaunchRequest): [Ability, string][] {
  return optionRows.flatMap(([option, { needs = {} }]) => {
    const words: Record<string, string> = typeof needs === "string" ? { [option]: needs } : { ...needs };
    const needed = byValue[option]?.(request) ?? (isSet(request[option as keyof LaunchRequest]) ? [option] : []);
    return [...new Set(needed)].flatMap((each): [Ability, string][] => {
      const phrase = words[each];
      return phrase === undefined ? [] : [[each as Ability, phrase]];
    });
  });
}

/** Options whose value decides which abilities they need. Any other option needs its ability when it is set. */
const byValue: Readonly<Partial<Record<OptionName, (request: LaunchRequest) => Ability[]>>> = {
  attachments: ({ attachments = [] }) => attachments.map(abilityForAttachment),
  systemPromptMode: ({ systemPrompt, systemPromptMode }) =>
    systemPrompt !== undefined && systemPromptMode === "replace" ? ["systemPromptReplace"] : [],
  mcpServers: ({ mcpServers = [], remoteMcpServers = [] }) => [
    ...mcpServers.map((): Ability => "mcpServers"),
    ...remoteMcpServers.map(({ transport }): Ability => (transport === "sse" ? "sseMcpServers" : "remoteMcpServers")),
  ],
};

function abilityForAttachment(attachment: Attachment): Ability {
  if (attachment.mimeType.startsWith("image/")) return "url" in attachment ? "imageUrls" : "images";
  return "base64" in attachment && /^(text\/|application\/(json|pdf)$)/.test(attachment.mimeType)
    ? "documents"
    : "files";
}

const isSet = (value: unknown): boolean =>
  value !== undefined && value !== false && !(Array.isArray(value) && value.length === 0);

function notRunnable(adapter: Adapter, name: string | undefined, live: readonly RunnableDialect[]): CapabilityError {
  const offered = live.length > 0 ? ` Spoor can run it in: ${live.map((dialect) => dialect.name).join(", ")}.` : "";
  const on = name === undefined ? "" : ` in the dialect "${name}"`;
  return new CapabilityError(adapter.name, "dialect", `${adapter.name} cannot be run${on}.${offered}`);
}
