import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { validStream } from "../../testing/arbitrary.ts";
import { recorded } from "../../testing/record.ts";
import { Script } from "../../testing/script.ts";
import { stories } from "../../testing/stories/index.ts";
import { createEventChecker } from "../contract/check-events.ts";
import { envelopeCatalog } from "../envelope/catalog.ts";
import type { Envelope } from "../envelope/envelope.ts";
import { createDecoder } from "./decode.ts";

const decodeAll = (envelopes: Envelope[]) => {
  const decoder = createDecoder();
  return envelopes.flatMap((envelope) => decoder.decode(envelope) ?? []);
};

describe("the decoder", () => {
  it("continues from a saved state without a difference", () => {
    fc.assert(
      fc.property(validStream(), fc.nat(), (events, cut) => {
        const envelopes = recorded(events);
        const at = cut % envelopes.length;
        const before = createDecoder();
        const first = envelopes.slice(0, at).flatMap((envelope) => before.decode(envelope) ?? []);
        const after = createDecoder({ state: JSON.parse(JSON.stringify(before.save())) });
        const rest = envelopes.slice(at).flatMap((envelope) => after.decode(envelope) ?? []);
        expect([...first, ...rest]).toEqual(events);
      }),
    );
  });

  it("does not change a saved state when it reads on", () => {
    const [start, ...rest] = recorded(new Script().begin().turn().message("a", "b").endTurn().end().events);
    const decoder = createDecoder();
    decoder.decode(start as Envelope);
    const saved = decoder.save();
    for (const envelope of rest) decoder.decode(envelope);
    expect(saved).toEqual({ agent: "claude", session: "before", texts: [] });
  });

  it("takes the agent's name from the run's first event", () => {
    const [event] = decodeAll(recorded(new Script({ agent: "codex" }).begin().end().events));
    expect(event).toMatchObject({ type: "session_start", agent: "codex" });
  });

  it("leaves out approvals that gate the run itself, and answers that come after its end", () => {
    const story = stories["approval-before-start"]?.();
    const types = decodeAll((story?.envelopes() ?? []).map((line) => JSON.parse(line))).map(({ type }) => type);
    expect(types).not.toContain("approval_request");
    expect(types).toEqual(story?.events.map(({ type }) => type));
  });

  it("reads an unanswered approval as a refusal", () => {
    const envelopes =
      stories["approval-timed-out"]?.()
        .envelopes()
        .map((line): Envelope => JSON.parse(line)) ?? [];
    expect(decodeAll(envelopes).find(({ type }) => type === "approval_denied")).toMatchObject({
      reason: "No answer after 300 s.",
    });
  });

  it("rebuilds the input of a call whose id is a property of every object", () => {
    const { events } = new Script()
      .begin()
      .turn()
      .tool({ id: "__proto__", name: "t", input: {}, pieces: ["{", "}"] })
      .result("__proto__", "t", "")
      .endTurn()
      .end();
    expect(decodeAll(recorded(events))).toEqual(events);
  });

  it("returns well-formed events when a foreign writer left out all fields", () => {
    for (const { type } of envelopeCatalog) {
      const [base] = recorded(new Script().begin().end().events);
      const decoder = createDecoder({ state: { agent: "x", session: "open", texts: [] } });
      const data = { mcp_server: "s", mcp_tool: "t", decision: "approved", artifact_status: "applied" };
      for (const given of [{}, data]) {
        const event = decoder.decode({ ...(base as Envelope), type, data: given });
        if (!event) continue;
        const shape = createEventChecker({ joined: true })
          .add(event)
          .filter((finding) => finding.kind === "violation" && finding.rule === "base.shape");
        expect([type, shape]).toEqual([type, []]);
      }
    }
  });
});
