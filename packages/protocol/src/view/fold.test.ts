import fc from "fast-check";
import { afterEach, describe, expect, it, vi } from "vitest";
import { validStream } from "../../testing/arbitrary.ts";
import { recorded } from "../../testing/record.ts";
import { storedOnly, stories } from "../../testing/stories/index.ts";
import { after, inTurn, soFar, stream, whole } from "../../testing/view/fold-script.ts";
import { envelopeCatalog } from "../envelope/catalog.ts";
import type { Envelope } from "../envelope/envelope.ts";
import { createRunFold, initialRunView, type RunFoldOptions, viewOf } from "./fold.ts";
import type { RunView } from "./types.ts";

const golden: [name: string, envelopes: Envelope[]][] = [
  ...Object.entries(stories).map(([name, tell]): [string, Envelope[]] => [name, whole(tell())]),
  ...Object.entries(storedOnly).map(([name, make]): [string, Envelope[]] => [
    name,
    make().map((line) => JSON.parse(line)),
  ]),
];

const asJson = (view: RunView): RunView => JSON.parse(JSON.stringify(view));

/** Each field of the catalog, with any value. */
const strangeData = fc.oneof(
  fc.jsonValue(),
  fc.dictionary(
    fc.constantFrom(...new Set(envelopeCatalog.flatMap(({ data }) => Object.keys(data.properties)))),
    fc.oneof(
      fc.constantFrom("c1", "art_1", "", "__proto__", "a.ts", "stdout", "applied", "status", 0, 1, true),
      fc.jsonValue(),
    ),
    { maxKeys: 12 },
  ),
);
const strangeStream: fc.Arbitrary<Envelope[]> = fc
  .array(
    fc.record({
      type: fc.oneof(
        { weight: 9, arbitrary: fc.constantFrom(...envelopeCatalog.map(({ type }) => type)) },
        {
          weight: 1,
          arbitrary: fc.constantFrom(
            "vendor.mystery",
            "__proto__",
            "constructor",
            "snapshot",
            "model.call.started",
            "",
          ),
        },
      ),
      data: strangeData,
    }),
    { maxLength: 60, size: "max" },
  )
  // A round trip through JSON, as for real envelopes: no undefined, no -0.
  .map((events) => JSON.parse(JSON.stringify(stream(...events.map(({ type, data }) => [type, data] as const)))));

const anyStream = fc.oneof(
  validStream().map((events) => recorded(events)),
  strangeStream,
);

describe("folding", () => {
  it("event by event gives the same view as folding all at once", () => {
    fc.assert(
      fc.property(anyStream, (envelopes) => {
        const run = createRunFold({ shellOutputLimit: 20 });
        for (const envelope of envelopes) {
          run.fold(envelope);
          run.snapshot();
        }
        expect(run.snapshot()).toEqual(viewOf(envelopes, { shellOutputLimit: 20 }));
      }),
    );
  });

  it("continues from any view, even one that was sent as JSON", () => {
    fc.assert(
      fc.property(anyStream, fc.nat(), (envelopes, number) => {
        const cut = number % (envelopes.length + 1);
        const options: RunFoldOptions = { shellOutputLimit: 20 };
        const from = asJson(viewOf(envelopes.slice(0, cut), options));
        expect(viewOf(envelopes.slice(cut), { ...options, from })).toEqual(viewOf(envelopes, options));
      }),
    );
  });

  it("never throws and returns plain JSON, whatever an envelope contains", () => {
    fc.assert(
      fc.property(strangeStream, (envelopes) => {
        const view = viewOf(envelopes);
        expect(asJson(view)).toEqual(view);
        for (const { kind, index } of view.timeline) expect(view[kind][index]).toBeDefined();
      }),
      { numRuns: 500 },
    );
  });

  it("ignores values that are not envelopes of the run", () => {
    const run = createRunFold();
    const [first] = stream(["run.created"]);
    const invalid = [null, 3, {}, { ...first, sequence: "0" }, { ...first, sequence: 0.5 }, { ...first, type: 7 }];
    for (const value of invalid) expect(run.fold(value as never)).toBe(false);
    expect(run.snapshot()).toEqual(initialRunView());
    expect(run.fold(first as Envelope)).toBe(true);
    expect(run.fold({ ...(first as Envelope), sequence: 1, run_id: "run_other" })).toBe(false);
  });

  it("applies an envelope once, however often it is delivered", () => {
    const envelopes = soFar(inTurn().message("Once ", "only."));
    const repeated = envelopes.flatMap((envelope, index) => [envelope, ...envelopes.slice(0, index), envelope]);
    expect(viewOf(repeated)).toEqual(viewOf(envelopes));
    expect(viewOf(envelopes).lastSequence).toBe(envelopes.length - 1);
  });

  it("keeps unknown types unchanged and continues", () => {
    const strange = after(soFar(inTurn()), ["vendor.progress", { pct: 40 }], ["snapshot", [1]], ["toString"]);
    const view = viewOf(after(strange, ["assistant.text_delta", { turn_index: 1, delta: "hi", colour: "red" }]));
    expect(view.opaque).toEqual(strange.slice(-3));
    expect(view.timeline.filter(({ kind }) => kind === "opaque")).toHaveLength(3);
    expect(view.messages[0]?.text).toBe("hi");
    expect(view.state).toBe("working");
  });
});

describe("a run whose beginning was pruned", () => {
  const all = soFar(
    inTurn()
      .tool({ id: "c1", name: "Bash", kind: "shell", input: { command: "ls" } })
      .emit("shell_start", { command: "ls", cwd: "/", toolCallId: "c1" })
      .emit("shell_stdout_delta", { delta: "one\n", toolCallId: "c1" })
      .emit("shell_stdout_delta", { delta: "two\n", toolCallId: "c1" })
      .emit("shell_exit", { exitCode: 0, durationMs: 3, toolCallId: "c1" })
      .result("c1", "Bash", "ok")
      .endTurn(),
  );
  const cut = all.findIndex(({ data }) => data.data === "one\n");
  const gap = {
    ...(all[cut] as Envelope),
    type: "gap.events_pruned",
    data: { first_pruned_sequence: 0, last_pruned_sequence: cut, reason: "operator", agent: "claude" },
  };
  const view = viewOf([gap, ...all.slice(cut + 1)]);

  it("shows the gap and the agent", () => {
    expect(view.gaps).toMatchObject([
      { type: "gap.events_pruned", firstSequence: 0, lastSequence: cut, reason: "operator" },
    ]);
    expect(view.agent).toBe("claude");
    expect(view.status).toBe("running");
  });

  it("treats spans whose start was not seen as open, and lets them end", () => {
    expect(view.tools).toMatchObject([
      { id: "c1", name: "Bash", kind: "shell", state: "completed", output: "ok", shells: [0] },
    ]);
    expect(view.shells).toMatchObject([{ omittedBytes: 4, tail: [{ text: "two\n" }], exitCode: 0, running: false }]);
    expect(view.turns).toMatchObject([{ number: 1, status: "completed", toolCallIds: ["c1"] }]);
    expect(view.state).toBe("working");
  });

  it("is working after an answer, even if the question was the first event", () => {
    const asked = stream(["gap.events_pruned"], ["approval.requested", { approval_id: "a" }]);
    expect(viewOf(asked).state).toBe("blocked");
    expect(viewOf(after(asked, ["approval.resolved", { approval_id: "a", decision: "approved" }])).state).toBe(
      "working",
    );
  });
});

describe("golden runs", () => {
  it.each(golden)("%s: nothing stays open, and nothing is opaque", (_, envelopes) => {
    const view = viewOf(envelopes);
    expect(["done", "error"]).toContain(view.state);
    expect(view.opaque).toEqual([]);
    expect(view.messages.filter(({ complete }) => !complete)).toEqual([]);
    expect(view.tools.filter(({ state }) => ["proposed", "waiting", "running"].includes(state))).toEqual([]);
    expect(view.turns.filter(({ status }) => status === "open" || status === "cancelled")).toEqual([]);
    expect(view.shells.filter(({ running }) => running)).toEqual([]);
    expect(view.approvals.filter(({ status }) => status === "pending")).toEqual([]);
    expect(view.end?.status).toBe(view.status);
  });
});

describe("the cost of a delta", () => {
  afterEach(() => vi.restoreAllMocks());

  /** Counts copied elements and payload reads for a number of deltas, with a snapshot after every `every` of them. */
  function workFor(deltas: number, every: number): { copied: number; read: number } {
    let read = 0;
    const run = createRunFold();
    for (const envelope of soFar(manyMessages())) run.fold(envelope);
    run.snapshot();
    const data = new Proxy(
      { turn_index: 1, block_index: MESSAGES, delta: "x" },
      {
        get(target, name) {
          read += 1;
          return Reflect.get(target, name);
        },
      },
    );
    const pieces = stream(...Array.from({ length: deltas }, () => ["assistant.text_delta", data] as const));
    const { lastSequence, runId } = run.snapshot();
    const slice = vi.spyOn(Array.prototype, "slice");
    pieces.forEach((envelope, index) => {
      run.fold({ ...envelope, run_id: runId ?? "", sequence: lastSequence + 1 + index });
      if ((index + 1) % every === 0) run.snapshot();
    });
    const copied = slice.mock.results.reduce((sum, { value }) => sum + (value as unknown[]).length, 0);
    slice.mockRestore();
    return { copied, read };
  }

  const MESSAGES = 2_000;
  const manyMessages = () => {
    const story = inTurn();
    for (let n = 0; n < MESSAGES; n++) story.message(`${n}`);
    return story.emit("message_start", {});
  };

  it("does not grow with the run: lists are copied per snapshot, not per delta", () => {
    const few = workFor(100, 100_000);
    const many = workFor(1_000, 100_000);
    expect(many.copied).toBe(few.copied);
    expect(many.read).toBe(10 * few.read);
    expect(workFor(1_000, 100).copied).toBeLessThanOrEqual(11 * few.copied);
  });

  it("does not grow with the output of a shell: the work is proportional to the new output", () => {
    const cutFor = (chunks: number) => {
      const slice = vi.spyOn(String.prototype, "slice");
      const chunk = ["tool.shell.output_chunk", { stream: "stdout", data: "0123456789" }] as const;
      viewOf(stream(...Array.from({ length: chunks }, () => chunk)), { shellOutputLimit: 1_000 });
      const cut = slice.mock.results.reduce((sum, { value }) => sum + (value as string).length, 0);
      slice.mockRestore();
      return cut;
    };
    const few = cutFor(1_000);
    expect(few).toBeGreaterThan(0);
    expect(cutFor(10_000)).toBeLessThanOrEqual(11 * few);
  });

  it("keeps unchanged items as the same objects, so that a page can skip them", () => {
    const run = createRunFold();
    const envelopes = soFar(inTurn().message("One.").message("Two."));
    for (const envelope of envelopes) run.fold(envelope);
    const before = run.snapshot();
    expect(run.snapshot()).toBe(before);
    for (const envelope of after(envelopes, [
      "assistant.text_delta",
      { turn_index: 1, block_index: 2, delta: "Thr" },
    ]).slice(-1)) {
      run.fold(envelope);
    }
    const now = run.snapshot();
    expect(now).not.toBe(before);
    expect(now.messages[0]).toBe(before.messages[0]);
    expect(now.tools).toBe(before.tools);
    expect(before.messages).toHaveLength(2);
  });
});
