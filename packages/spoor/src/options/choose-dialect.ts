import type { Ability, Adapter, Attachment, Dialect, LaunchRequest, LiveDialect } from "../agents/machine.ts";
import { CapabilityError } from "../failures/errors.ts";

export type RunnableDialect = Dialect & { live: LiveDialect };

export interface WireNeeds {
  request: LaunchRequest;
  /** The wire that was named, if any. */
  name?: string;
  /** Permission must be askable, and text must stream. */
  asks: boolean;
  streams: boolean;
}

/**
 * The wire to run on: the one named, else the agent's best one that can do all that is asked, which for asking
 * permission is the first that can ask. What it cannot do is refused here, before anything runs.
 */
export function chooseWire(adapter: Adapter, needs: WireNeeds): RunnableDialect {
  const { request, name } = needs;
  const live = adapter.dialects.filter((dialect): dialect is RunnableDialect => dialect.live !== undefined);
  const offered = name === undefined ? live : live.filter((dialect) => dialect.name === name);
  const able = offered.filter((dialect) => refusalOf(adapter, dialect, needs) === undefined);
  const best = preferred(able, request) ?? preferred(offered, request);
  if (!best) throw unrunnable(adapter, name, live);
  const refusal = refusalOf(adapter, best, needs);
  if (!refusal) return best;
  const others = live.filter((dialect) => refusalOf(adapter, dialect, needs) === undefined);
  if (others.length === 0) throw refusal;
  const hint = `Its ${others.map((dialect) => dialect.name).join(" and ")} wire can.`;
  throw new CapabilityError(adapter.name, refusal.capability, `${refusal.message} ${hint}`);
}

/** What a wire can be asked for. */
export const takes = ({ live }: RunnableDialect, ability: Ability): boolean => live.takes?.includes(ability) === true;

const preferred = (dialects: readonly RunnableDialect[], { approve }: LaunchRequest): RunnableDialect | undefined =>
  (approve === "ask" ? dialects.find(({ canAsk }) => canAsk) : undefined) ?? dialects[0];

function refusalOf(
  { name: agent }: Adapter,
  dialect: RunnableDialect,
  { request, asks, streams }: WireNeeds,
): CapabilityError | undefined {
  const ability = abilitiesAsked(request).find((each) => !takes(dialect, each));
  const wire = `its ${dialect.name} wire`;
  if (ability !== undefined) {
    const reason = dialect.live.refuses?.[ability] ?? `${agent} takes no ${inWords[ability]} on ${wire}.`;
    return new CapabilityError(agent, ability, reason);
  }
  const { deny } = dialect.live;
  if (request.approve === "deny" && deny && "cannot" in deny) return new CapabilityError(agent, "approve", deny.cannot);
  if (asks && !dialect.canAsk) {
    return new CapabilityError(agent, "onApprovalRequest", `${agent} does not ask for permission on ${wire}.`);
  }
  if (streams && !dialect.streams.text) {
    return new CapabilityError(agent, "textStreaming", `${agent} does not stream text on ${wire}.`);
  }
  return undefined;
}

/** What of a request not every wire can do. */
export function abilitiesAsked(request: LaunchRequest): Ability[] {
  const { systemPrompt, systemPromptMode, mcpServers = [], remoteMcpServers = [], skills = [] } = request;
  const attachments = request.attachments ?? [];
  const isImage = ({ mimeType }: Attachment) => mimeType.startsWith("image/");
  const asked: Record<Ability, boolean> = {
    model: request.model !== undefined,
    systemPrompt: systemPrompt !== undefined,
    systemPromptReplace: systemPrompt !== undefined && systemPromptMode === "replace",
    thinkingEffort: request.thinkingEffort !== undefined,
    thinkingBudgetTokens: request.thinkingBudgetTokens !== undefined,
    maxOutputTokens: request.maxOutputTokens !== undefined,
    resume: request.resume !== undefined,
    fork: request.fork !== undefined,
    noSession: request.noSession === true,
    mcpServers: mcpServers.length > 0,
    remoteMcpServers: remoteMcpServers.some(({ transport }) => transport === "streamable-http"),
    sseMcpServers: remoteMcpServers.some(({ transport }) => transport === "sse"),
    skills: skills.length > 0,
    images: attachments.some((each) => isImage(each) && "base64" in each),
    imageUrls: attachments.some((each) => isImage(each) && "url" in each),
    documents: attachments.some(isDocument),
    files: attachments.some((each) => !isImage(each) && !isDocument(each)),
  };
  return (Object.keys(asked) as Ability[]).filter((ability) => asked[ability]);
}

const isDocument = (attachment: Attachment): boolean =>
  "base64" in attachment && /^(text\/|application\/(json|pdf)$)/.test(attachment.mimeType);

function unrunnable(adapter: Adapter, name: string | undefined, live: readonly RunnableDialect[]): CapabilityError {
  const offered = live.length > 0 ? ` It runs on: ${live.map((dialect) => dialect.name).join(", ")}.` : "";
  const on = name === undefined ? "" : ` on ${name}`;
  return new CapabilityError(adapter.name, "dialect", `${adapter.name} cannot be run${on}.${offered}`);
}

const inWords: Record<Ability, string> = {
  model: "model by name",
  systemPrompt: "system prompt",
  systemPromptReplace: "system prompt in place of its own",
  thinkingEffort: "thinking effort",
  thinkingBudgetTokens: "budget for thinking",
  maxOutputTokens: "limit of output tokens",
  resume: "session to go on with",
  fork: "session to go on with a copy of",
  noSession: "wish to keep no session",
  mcpServers: "MCP servers",
  remoteMcpServers: "MCP servers by address",
  sseMcpServers: "MCP servers over SSE",
  skills: "skills",
  images: "images",
  imageUrls: "images by address",
  documents: "text or PDF to look at",
  files: "files of this kind",
};
