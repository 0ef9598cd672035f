import { contextCompacted, noteOfFrame, recoverableError } from "../../kit/fact-signals.ts";
import { asText, type Json } from "../../kit/json-values.ts";
import { lookUp } from "../../kit/look-up.ts";
import type { Signal } from "../../signal.ts";
import { itemIn } from "../items/codex-items.ts";
import type { Thread } from "./codex-thread.ts";
import { userMessage } from "./user-message.ts";

/** Reads a notification of a thread; returns `undefined` for an unknown one. */
export const readNotification = (method: string, thread: Thread, params: Json): Signal[] | undefined =>
  lookUp(readers, method)?.(thread, params);

type Reader = (thread: Thread, params: Json) => Signal[] | undefined;

const readers: Record<string, Reader> = {
  "turn/started": (thread, params) => thread.turnStarted(params),
  "turn/completed": (thread, params) => thread.turnCompleted(params),
  "turn/plan/updated": (thread, params) => thread.planUpdated(params),
  "turn/diff/updated": (thread, params) => thread.diffUpdated(params),
  "item/started": (thread, params) => thread.items.started(itemIn(params)),
  "item/completed": (thread, params) => {
    const item = itemIn(params);
    if (item.type === "userMessage") return userMessage(item);
    return item.type === "contextCompaction" ? [contextCompacted("")] : thread.items.ended(item);
  },
  "item/agentMessage/delta": pieceOf("text"),
  "item/plan/delta": pieceOf("text"),
  "item/reasoning/summaryTextDelta": pieceOf("thinking"),
  "item/reasoning/textDelta": pieceOf("thinking", "#content"),
  "item/reasoning/summaryPartAdded": ({ items }, { itemId, summaryIndex }) =>
    summaryIndex === 0 ? [] : items.piece("thinking", asText(itemId) ?? "", "\n\n"),
  "item/commandExecution/outputDelta": ({ items }, { itemId, delta }) =>
    items.output(asText(itemId) ?? "", asText(delta) ?? ""),
  "item/commandExecution/terminalInteraction": (thread, params) => thread.terminalInteraction(params),
  "thread/tokenUsage/updated": (thread, params) => thread.tokenUsage(params),
  "thread/settings/updated": (thread, params) => thread.settings(params),
  "mcpServer/startupStatus/updated": (_, { name, status, error }) => {
    if (status !== "failed") return undefined;
    const message = `The MCP server ${asText(name) ?? ""} did not start: ${asText(error) ?? "no reason given"}`;
    return [recoverableError(message, "PLUGIN_ERROR")];
  },
  error: (thread, params) => thread.error(params),
  warning: (_, params) => [noteOfFrame(params, "warn")],
};

function pieceOf(kind: "text" | "thinking", part = ""): Reader {
  return ({ items }, { itemId, delta }) => items.piece(kind, asText(itemId) ?? "", asText(delta) ?? "", part);
}
