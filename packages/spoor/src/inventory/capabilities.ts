import type { StatedCapabilities } from "../agents/agent-about.ts";
import type { Adapter, LaunchRequest } from "../agents/machine.ts";

/** What an agent can do over any of its dialects. An absent field means that we do not know. */
export interface Capabilities extends StatedCapabilities {
  supportsTextStreaming: boolean;
  supportsToolCallStreaming: boolean;
  supportsThinkingStreaming: boolean;
  approvalModes: LaunchRequest["approve"][];
  supportsPlugins: boolean;
  pluginFormats: readonly string[];
  authMethods: string[];
}

/**
 * Collects what an agent can do from the facts of its adapter. Starts no program.
 *
 * @example
 * const { approvalModes, supportsTextStreaming } = capabilitiesOf(createClient().adapters.get("claude"));
 * console.log(approvalModes, supportsTextStreaming);
 */
export function capabilitiesOf({ dialects, about }: Adapter): Capabilities {
  const streams = (content: keyof Adapter["dialects"][number]["streams"]) =>
    dialects.some((dialect) => dialect.streams[content]);
  const asks = dialects.some(({ canAsk, live }) => canAsk && live && live.askWarning === undefined);
  return {
    ...about?.capabilities,
    supportsTextStreaming: streams("text"),
    supportsToolCallStreaming: streams("toolCalls"),
    supportsThinkingStreaming: streams("thinking"),
    approvalModes: asks ? ["ask", "auto", "deny"] : ["auto", "deny"],
    supportsPlugins: about?.plugins !== undefined,
    pluginFormats: about?.plugins?.formats ?? [],
    authMethods: [...new Set(about?.auth?.methods.map(({ name }) => name))],
  };
}
