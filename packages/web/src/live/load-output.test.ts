import { type Envelope, viewOf } from "@spoor/protocol";
import type { EventList } from "@spoor/protocol/client";
import { expect, it } from "vitest";
import { loadOutput } from "./load-output.ts";

const run = (...events: [type: string, data: Envelope["data"]][]): Envelope[] =>
  events.map(([type, data], sequence) => ({
    schema_version: "1",
    event_id: `evt_${sequence}`,
    run_id: "run_1",
    sequence,
    occurred_at: "2026-11-02T09:00:00Z",
    type,
    data,
  }));

/** Lists events two at a time, with the filters of the server. */
const listOf = (envelopes: readonly Envelope[]) => ({
  async *list(
    _: unknown,
    { after = -1, event_type = [] }: { after?: number; event_type?: string | readonly string[] } = {},
  ) {
    const wanted = envelopes.filter(({ sequence, type }) => sequence > after && event_type.includes(type));
    for (let at = 0; at < wanted.length; at += 2) {
      const data = wanted.slice(at, at + 2);
      yield { object: "list", data, has_more: at + 2 < wanted.length, next_after_sequence: 0 } as EventList;
    }
  },
});

const chunk = (tool_call_id: string, data: string, stream = "stdout"): [string, Envelope["data"]] => [
  "tool.shell.output_chunk",
  { tool_call_id, data, stream },
];

const events = run(
  ["run.created", {}],
  ["tool.shell.command", { tool_call_id: "a", command_string: "one" }],
  ["tool.shell.command", { tool_call_id: "b", command_string: "two" }],
  chunk("a", "first\n"),
  chunk("b", "other\n"),
  chunk("a", "bad\n", "stderr"),
  ["tool.shell.exited", { tool_call_id: "a", exit_code: 0, stdout_bytes: 6, stderr_bytes: 4 }],
  chunk("b", "more\n"),
  ["tool.shell.exited", { tool_call_id: "b", exit_code: 1, stdout_bytes: 11, stderr_bytes: 0 }],
  ["tool.shell.command", { tool_call_id: "b", command_string: "three" }],
  chunk("b", "third\n"),
);

const whole = viewOf(events);
const outputOf = ({ head, tail, omittedBytes } = whole.shells[0] ?? expect.unreachable()) => ({
  head,
  tail,
  omittedBytes,
});

it("reads the output of one command, as the view of the whole run has it", async () => {
  const load = (call: string, sequence: number, index = 0) =>
    loadOutput(listOf(events), "run_1", call, { sequence, index });
  expect(await load("a", 1)).toMatchObject(outputOf(whole.shells[0]));
  expect(await load("b", 2)).toMatchObject(outputOf(whole.shells[1]));
  // The second command of a call, from the beginning of the command or of the call.
  expect(await load("b", 9)).toMatchObject(outputOf(whole.shells[2]));
  expect(await load("b", 2, 1)).toMatchObject(outputOf(whole.shells[2]));
});

it("finds nothing where no command begins", async () => {
  expect(await loadOutput(listOf(events), "run_1", "nobody", { sequence: 0 })).toBeUndefined();
  expect(await loadOutput(listOf(events), "run_1", "a", { sequence: 400 })).toBeUndefined();
});
