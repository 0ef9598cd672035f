import type { Envelope } from "@spoor/protocol";
import { expect, it } from "vitest";
import { envelopesOf, withGap } from "../../testing/translators/golden.ts";
import { withWholeTexts } from "./whole-texts.ts";

/** What comes through, as types with the place of the block or the call. */
function through(envelopes: readonly Envelope[]): string[] {
  const { translate } = withWholeTexts({ translate: (envelope) => [envelope], cut: () => [] });
  return envelopes.flatMap(translate).map(({ type, data }) => [type, data.block_index ?? data.tool_call_id].join(" "));
}

const event = (type: string, data: Envelope["data"]): Envelope => ({
  ...{ schema_version: "1", event_id: "evt_1", run_id: "run_1", sequence: 0, occurred_at: "2026-11-02T09:00:00Z" },
  ...{ type, data },
});

it("leaves a run without gaps as it is", () => {
  for (const name of ["success", "subagent-parent"]) {
    expect(through(envelopesOf(name))).toHaveLength(envelopesOf(name).length);
  }
});

it("leaves out pieces after a gap unless they belong to what began after it, and keeps every end", () => {
  expect(
    through([
      event("assistant.message_started", { block_index: 0 }),
      event("assistant.text_delta", { block_index: 0, delta: "one" }),
      event("gap.events_lost", {}),
      event("assistant.text_delta", { block_index: 0, delta: "three" }),
      event("assistant.tool_call_input_delta", { tool_call_id: "c1", delta: "}" }),
      event("assistant.text_complete", { block_index: 0, text: "one two three" }),
      event("assistant.message_started", { block_index: 1 }),
      event("assistant.text_delta", { block_index: 1, delta: "four" }),
      event("tool.shell.output_chunk", { tool_call_id: "c1", data: "out" }),
    ]),
  ).toEqual([
    "assistant.message_started 0",
    "assistant.text_delta 0",
    "gap.events_lost ",
    "assistant.text_complete 0",
    "assistant.message_started 1",
    "assistant.text_delta 1",
    "tool.shell.output_chunk c1",
  ]);
});

it("leaves out nothing but pieces, wherever events are lost", () => {
  const envelopes = envelopesOf("success");
  for (let at = 1; at < envelopes.length - 2; at += 1) {
    const torn = withGap(envelopes, at, 2);
    const kept = through(torn);
    const rest = torn.filter(({ type }) => !type.endsWith("_delta"));
    expect(kept.filter((line) => !/_delta /.test(line))).toHaveLength(rest.length);
  }
});
