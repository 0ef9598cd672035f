import path from "node:path";
import type { ToolCallContent } from "@agentclientprotocol/sdk";
import { maybe, type Payload, present, text } from "../translator.ts";
import { boundedJson } from "./bounded.ts";
import { addLocation, type Call, contentOf, readInput, shortLine } from "./calls.ts";
import { diffsOfFiles, diffsOfPatch, wholeDiff } from "./diffs.ts";
import { metaOf, permissionOptions, sessionIdOf } from "./messages.ts";
import { type Handler, open, send, tell, words } from "./state.ts";

/** An action that is not a call of the agent, such as the start of a task, is a call of its own for the editor. */
export const asked: Handler = (state, data, envelope) => {
  const approval_id = text(data, "approval_id");
  const id = maybe(data, "tool_call_id") ?? approval_id;
  const kind = approvalKinds[text(data, "kind")] ?? "other";
  const call = open(state, { ...envelope, data: { ...data, kind } }, id);
  const cwd = text(data, "cwd") || state.cwd;
  readInput(call, text(data, "tool_name"), data.input, cwd);
  const [file, ...others] = call.locations.keys();
  const texts = state.options.textsOf?.(approval_id);
  const diff = text(data, "diff");
  if (texts && file !== undefined) call.diffs.set(file, [wholeDiff(file, texts)]);
  else if (file !== undefined && others.length === 0) addDiffs(call, new Map([[file, diffsOfPatch(file, diff)]]));
  else
    addDiffs(
      call,
      diffsOfFiles(diff, (name) => fileOf(call, name, cwd)),
    );
  const reason = maybe(data, "policy_reason");
  const detail = maybe(data, "detail") ?? maybe(data, "summary");
  // A command says more than the summary of a tool that runs commands, and a tool with its file more than the file.
  const isNamed = call.title !== text(data, "tool_name") && data.input !== undefined;
  const isFile = (words: string) => call.locations.has(path.resolve(cwd, words));
  const summary = maybe(data, "summary") ?? detail;
  const title =
    summary === undefined || (isNamed && (call.kind === "execute" || isFile(summary))) ? call.title : summary;
  // A patch in a form that editors do not know is shown as it is.
  const unread = diff !== "" && call.diffs.size === 0 ? diff : undefined;
  const said = [detail, reason, unread]
    .filter((part) => part !== undefined && part !== title && !isFile(part))
    .join("\n\n");
  const toolCall = {
    toolCallId: call.toolCallId,
    title: shortLine(title),
    kind: call.kind,
    status: "pending" as const,
    content: [...contentOf(call), ...(said === "" ? [] : [{ type: "content" as const, content: words(said) }])],
    ...(call.locations.size > 0 && { locations: [...call.locations.values()] }),
    ...(data.input !== undefined && { rawInput: boundedJson(data.input) }),
  };
  send(state, envelope, { sessionUpdate: "tool_call_update", ...toolCall });
  state.messages.push({
    method: "session/request_permission",
    params: {
      sessionId: sessionIdOf(envelope),
      toolCall,
      options: permissionOptions,
      _meta: { ...metaOf(envelope), "spoor/approval": { approvalId: approval_id } },
    },
  });
  state.approvals.set(approval_id, id);
};

/** The editor is told of every answer, wherever it was given. */
export const answered =
  (isApproved: (data: Payload) => boolean): Handler =>
  (state, data, envelope) => {
    const id = state.approvals.get(text(data, "approval_id"));
    const call = id === undefined ? undefined : state.calls.get(id);
    if (!call || call.status === "completed" || call.status === "failed") return;
    call.status = isApproved(data) ? "in_progress" : "failed";
    // The start of a task is over once it is allowed.
    if (id === data.approval_id && call.status === "in_progress") call.status = "completed";
    const by = maybe(data, "by");
    const comment = maybe(data, "comment");
    if (call.status === "failed" && comment !== undefined) call.result = comment;
    state.messages.push({
      method: "session/update",
      params: {
        sessionId: sessionIdOf(envelope),
        update: {
          sessionUpdate: "tool_call_update",
          toolCallId: call.toolCallId,
          status: call.status,
          ...(comment !== undefined && { content: contentOf(call) }),
        },
        _meta: {
          ...metaOf(envelope),
          "spoor/approval": present({
            approvalId: text(data, "approval_id"),
            decision: maybe(data, "decision") ?? "timed_out",
            by,
          }),
        },
      },
    });
  };

export const question: Handler = (state, data, envelope) => {
  const context = maybe(data, "context");
  const message = [context, text(data, "question")].filter(Boolean).join("\n\n");
  if (!state.options.canAsk) {
    const where = `Answer it with \`spoor answer ${envelope.run_id} "…"\`, or on Spoor's page (\`spoor open\`).`;
    return tell(state, envelope, `\n\nThe agent asks: ${text(data, "question")}\n\n${where}\n\n`);
  }
  const property = { type: "string" as const, title: shortLine(text(data, "question")) || "Answer", minLength: 1 };
  state.messages.push({
    method: "elicitation/create",
    params: {
      mode: "form",
      sessionId: sessionIdOf(envelope),
      message: message || "The agent asks.",
      requestedSchema: { type: "object", properties: { answer: property }, required: ["answer"] },
      _meta: { ...metaOf(envelope), "spoor/question": { interactionId: text(data, "interaction_id") } },
    },
  });
};

function addDiffs(call: Call, files: ReadonlyMap<string, ToolCallContent[]>): void {
  for (const [file, diffs] of files) {
    if (diffs.length === 0) continue;
    call.diffs.set(file, diffs);
    addLocation(call, file);
  }
}

/** The file that a diff names without the first slash, or by its path in the project. */
function fileOf({ locations }: Call, name: string, cwd: string): string {
  const known = [...locations.keys()].find((file) => file === `/${name}` || file === path.resolve(cwd, name));
  return known ?? (`/${name}`.startsWith(`${cwd}/`) ? `/${name}` : path.resolve(cwd, name));
}

/** The kinds of tools that the kinds of approvals stand for. */
const approvalKinds: Readonly<Record<string, string>> = {
  shell_command: "shell",
  shell_exec: "shell",
  git_exec: "shell",
  file_write: "file_write",
  network_egress: "web_fetch",
};
