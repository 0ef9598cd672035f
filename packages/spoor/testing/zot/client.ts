import type { ChildProcessWithoutNullStreams } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { text } from "node:stream/consumers";
import { expect, vi } from "vitest";

/** A line of the program. */
export type Line = { type: string } & Record<string, unknown>;

/** A client of `zot rpc`, written from its documentation: a line per command, responses by id, events until `done`. */
export function createZotClient(child: ChildProcessWithoutNullStreams) {
  const lines: Line[] = [];
  const stderr = text(child.stderr);
  let errors = "";
  child.stderr.setEncoding("utf8").on("data", (chunk) => {
    errors += chunk;
  });
  child.stdin.on("error", () => {});
  createInterface({ input: child.stdout }).on("line", (line) => lines.push(JSON.parse(line)));
  const ended = once(child, "exit") as Promise<[number | null, NodeJS.Signals | null]>;
  let ids = 0;
  const until = <T>(find: () => T | undefined): Promise<T> =>
    vi.waitFor(
      () => {
        const found = find();
        if (found === undefined) throw new Error(`Not printed yet. So far: ${JSON.stringify(lines).slice(-2_000)}`);
        return found;
      },
      { timeout: 45_000, interval: 20 },
    );
  const client = {
    lines,
    until,
    /** Everything that is on standard error so far. */
    errors: () => errors,
    send: (type: string, fields: object = {}): string => {
      const id = String(++ids);
      child.stdin.write(`${JSON.stringify({ id, type, ...fields })}\n`);
      return id;
    },
    raw: (bytes: string | Uint8Array) => child.stdin.write(bytes),
    response: (id: string) => until(() => lines.find((line) => line.type === "response" && line.id === id)),
    call: (type: string, fields: object = {}) => client.response(client.send(type, fields)),
    /** The events of all prompts that are done, once there are `count` of them. */
    done: (count: number) => until(() => (doneOf(lines) >= count ? eventsOf(lines) : undefined)),
    /** Stops reading and writing, as a client does that crashes. */
    hangUp() {
      child.stdout.destroy();
      child.stdin.destroy();
    },
    kill: (signal: NodeJS.Signals) => child.kill(signal),
    /** Closes the input and returns how the program ended. */
    async close() {
      child.stdin.end();
      const [code] = await ended;
      return { code, stderr: await stderr };
    },
    ended,
  };
  return client;
}

const doneOf = (lines: readonly Line[]): number => lines.filter(({ type }) => type === "done").length;

export const eventsOf = (lines: readonly Line[]): Line[] => lines.filter(({ type }) => type !== "response");

export const typesOf = (lines: readonly Line[]): string[] => lines.map(({ type }) => type);

/**
 * Expects a prompt to be told as zot tells it: a call is written without a break, its result comes between the end of its turn
 * and the next one, and there is one `done`.
 */
export function expectOrderOfZot(events: readonly Readonly<Record<string, unknown> & { type: string }>[]): void {
  let isOpen = false;
  const waiting = new Set<unknown>();
  const started = new Set<unknown>();
  const written = new Set<unknown>();
  for (const { type, id, stop } of events) {
    if (type === "turn_start") expect([isOpen, waiting.size]).toEqual([false, 0]);
    if (/^(assistant|text|tool_use|tool_call)/.test(type)) expect(isOpen, type).toBe(true);
    if (type === "tool_use_start") expect(started.has(id)).toBe(false);
    if (type === "tool_use_start") started.add(id);
    if (type === "tool_use_end") written.add(id);
    if (type === "usage" && isOpen) expect([...started].filter((call) => !written.has(call))).toEqual([]);
    if (type === "tool_call") waiting.add(id);
    if (type === "tool_progress" || type === "tool_result") expect([isOpen, waiting.has(id)]).toEqual([false, true]);
    if (type === "tool_result") waiting.delete(id);
    if (type === "turn_end") expect(isOpen || stop === "aborted").toBe(true);
    isOpen = type === "turn_start" || (isOpen && type !== "turn_end");
  }
  expect(waiting.size).toBe(0);
  expect(events.findIndex(({ type }) => type === "done")).toBe(events.length - 1);
}
