import { createJsonMachine, type JsonFrameReader } from "../../kit/json-machine.ts";
import { asArray, asObject, asText, type Json } from "../../kit/json-values.ts";
import { lookUp } from "../../kit/look-up.ts";
import type { Dialect } from "../../machine.ts";
import type { Signal } from "../../signal.ts";
import { failedExit, failure, isRetry, retry } from "../items/codex-failures.ts";
import { Items, itemIn } from "../items/codex-items.ts";
import { plan } from "../items/codex-tool-items.ts";
import { noTokens, tokensOf, tokensSince, usage } from "../items/codex-usage.ts";
import { ModelCalls } from "../items/model-calls.ts";

/**
 * `codex exec --json`: finished items only, and no input. It reports neither the model nor that a thread was resumed.
 */
export const execJson: Dialect = {
  name: "exec-json",
  recognises: (frames) => frames.some(({ value }) => isFrame.test(asText(asObject(value)?.type) ?? "")),
  streams: { text: false, toolCalls: false, thinking: false },
  canAsk: false,
  createMachine: () => createJsonMachine(createExecReader()),
};

const isFrame = /^(?:thread\.started|turn\.(?:started|completed|failed)|item\.(?:started|updated|completed))$/;

function createExecReader(): JsonFrameReader {
  const calls = new ModelCalls(true);
  const items = new Items(calls);
  let tokens = noTokens;
  let retries = 0;
  let plans = 0;
  let lastPlan = "";
  let isOver = false;

  const readers: Record<string, (frame: Json) => Signal[] | undefined> = {
    "thread.started": ({ thread_id: id }) => (asText(id) ? [{ kind: "session", id: asText(id) ?? "" }] : undefined),
    "turn.started": () => {
      items.reset();
      retries = 0;
      isOver = false;
      return [{ kind: "prompt" }];
    },
    "item.started": (frame) => itemRead(frame, (item) => items.started(item)),
    "item.updated": (frame) => itemRead(frame, (item) => items.started(item)),
    "item.completed": (frame) => itemRead(frame, (item) => items.ended(item)),
    error: (frame) => {
      if (!isRetry(asText(frame.message) ?? "")) return failure(frame);
      items.reset();
      return retry(frame, retries++);
    },
    "turn.completed": (frame) => {
      const used = tokensSince(tokensOf(frame.usage), tokens);
      tokens = tokensOf(frame.usage);
      isOver = true;
      return [...usage(used), { kind: "callDone" }, { kind: "promptDone" }];
    },
    "turn.failed": (frame) => {
      isOver = true;
      return [...failure(asObject(frame.error)), { kind: "promptDone" }];
    },
  };

  function itemRead(frame: Json, read: (item: Json) => Signal[] | undefined): Signal[] | undefined {
    const item = itemOfExec(itemIn(frame));
    if (item.type === "todoList") return todoList(item);
    // An item of this type is a warning; a failure is a frame of its own.
    if (item.type === "error") return [{ kind: "note", level: "warn", message: asText(item.message) ?? "" }];
    return read(item);
  }

  /** The whole list comes again when it changes, and once more, unchanged, when the turn ends. */
  function todoList({ items: steps }: Json): Signal[] {
    const reported = JSON.stringify(steps ?? []);
    if (reported === lastPlan) return [];
    lastPlan = reported;
    const id = `plan-${++plans}`;
    const begun = calls.toolStarted(id);
    calls.toolEnded(id);
    return [...begun, ...plan(id, { plan: asArray(steps) })];
  }

  return {
    frame: (frame) => lookUp(readers, asText(frame.type) ?? "")?.(frame),
    exit: (code, signal, stderr) => (isOver ? [] : [failedExit(code, signal, stderr)]),
  };
}

/** `exec` writes the same items in snake case, some with another name. */
function itemOfExec(item: Json): Json {
  const camel = (name: string) => name.replace(/_(\w)/g, (_, letter) => letter.toUpperCase());
  const type = camel(asText(item.type) ?? "");
  const fields = Object.entries(item).map(([name, value]) => [camel(name), value]);
  return { ...Object.fromEntries(fields), type: type === "collabToolCall" ? "collabAgentToolCall" : type };
}
