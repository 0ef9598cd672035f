import { fail, failureOfExit, interrupted } from "../../kit/failures.ts";
import { asObject, parseObject } from "../../kit/json-values.ts";
import { createStderrTail } from "../../kit/stderr-tail.ts";
import type { Dialect, Frame, Machine } from "../../machine.ts";
import type { Signal } from "../../signal.ts";
import { historyOf } from "./document-history.ts";
import { resultOf } from "./document-result.ts";

/**
 * One JSON document over many lines, printed at the end by `agent exec --json` and `agent --json`. The answer to
 * `chat.history`, which contains a stored session, has the same form.
 */
export const document: Dialect = {
  name: "json",
  // Most single lines of the document are not JSON; the other dialects consist of frames.
  recognises: (frames) => !frames.some(isOfConnection),
  streams: { text: false, toolCalls: false, thinking: false },
  canAsk: false,
  createMachine,
};

function createMachine(): Machine {
  const stderr = createStderrTail();
  let held: string[] = [];
  let isRead = false;

  /** Reports the held lines that belong to no document as logs. */
  function release(): Signal[] {
    const lines = held.filter((line) => line.trim() !== "");
    held = [];
    return lines.map((line) => ({ kind: "log", source: "stdout", line }));
  }

  return {
    line(text) {
      const before = /^\{/.test(text) ? release() : [];
      held.push(text);
      // The document is indented, so only its last line starts with a closing brace.
      if (!/^(\}|\{.*\})\s*$/.test(text)) return held[0]?.startsWith("{") ? before : [...before, ...release()];
      const value = parseObject(held.join("\n"));
      const signals = value && !isRead ? (historyOf(value) ?? resultOf(value)) : undefined;
      if (!signals) return [...before, ...release()];
      isRead = true;
      held = [];
      return [...before, ...signals];
    },
    stderr(line) {
      stderr.add(line);
      return [{ kind: "log", source: "stderr", line }];
    },
    exit(code, signal) {
      const rest = release();
      if (isRead) return rest;
      return [...rest, fail(code === 130 ? interrupted : failureOfExit(code, signal, stderr.text()))];
    },
  };
}

function isOfConnection({ value }: Frame): boolean {
  const frame = asObject(value);
  return frame?.jsonrpc !== undefined || /^(req|res|event)$/.test(`${frame?.type}`);
}
