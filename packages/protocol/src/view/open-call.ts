import type { Envelope } from "../envelope/envelope.ts";
import { turnAt } from "./open-turn.ts";
import { count, key, put, when } from "./payload-fields.ts";
import type { ToolState, ToolView } from "./types-work.ts";
import { add, type Draft } from "./view-draft.ts";
import { isOpenCall } from "./view-index.ts";

export interface CallData {
  readonly tool_name?: unknown;
  readonly kind?: unknown;
  readonly turn_index?: unknown;
  readonly mcp_server?: unknown;
  readonly mcp_tool?: unknown;
}

/** Returns the index of the call with this id. Opens a call whose start was not seen. */
export const callAt = (draft: Draft, id: string, data: CallData, envelope: Envelope): number =>
  draft.lookup.calls.get(id) ?? openCall(draft, id, data, envelope);

/** Returns the call that an event announces. An id that is reused after the end of a call means a new call. */
export function announcedCall(draft: Draft, id: string, data: CallData, envelope: Envelope): number {
  const known = draft.lookup.calls.get(id);
  const call = known === undefined ? undefined : draft.lists.tools.at(known);
  return known !== undefined && call && isOpenCall(call) ? known : openCall(draft, id, data, envelope);
}

/** Sets the tool and the turn of a call as far as the event contains them. */
export function setCallFacts(draft: Draft, tool: number, data: CallData): void {
  joinTurn(draft, tool, data.turn_index);
  const server = key(data.mcp_server);
  const name = key(data.mcp_tool);
  put<ToolView>(draft.lists.tools.edit(tool), {
    name: key(data.tool_name),
    // Writers also use `other` for a kind they do not know.
    kind: data.kind === "other" ? undefined : key(data.kind),
    mcp: server !== undefined && name !== undefined ? { server, tool: name } : undefined,
  });
}

export function setCall({ lists, lookup }: Draft, tool: number, state: ToolState): void {
  const call = lists.tools.edit(tool);
  call.state = state;
  if (isOpenCall(call)) lookup.openCalls.add(tool);
  else lookup.openCalls.delete(tool);
}

export function runCall(draft: Draft, tool: number, envelope: Envelope): void {
  setCall(draft, tool, "running");
  const call = draft.lists.tools.edit(tool);
  put(call, { startedAt: call.startedAt ?? when(envelope) });
}

function openCall(draft: Draft, id: string, data: CallData, envelope: Envelope): number {
  // Open the turn first, so that it precedes the call on the timeline.
  turnAt(draft, data.turn_index);
  const call: ToolView = {
    id,
    name: "",
    kind: "other",
    state: "proposed",
    shells: [],
    files: [],
    approvals: [],
    details: [],
  };
  const tool = add(draft, "tools", put(call, { proposedAt: when(envelope) }));
  draft.lookup.calls.set(id, tool);
  draft.lookup.openCalls.add(tool);
  setCallFacts(draft, tool, data);
  return tool;
}

/** A call belongs to the first turn that an event names for it, otherwise to the current turn. */
function joinTurn(draft: Draft, tool: number, turnIndex: unknown): void {
  const { run, lists } = draft;
  const number = count(turnIndex) ?? (run.turn > 0 ? run.turn : undefined);
  if (number === undefined || lists.tools.at(tool)?.turn !== undefined) return;
  const call = lists.tools.edit(tool);
  call.turn = number;
  const turn = turnAt(draft, number);
  if (turn !== undefined) lists.turns.edit(turn).toolCallIds.push(call.id);
}
