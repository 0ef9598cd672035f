import { describe, expect, it } from "vitest";
import { draft, serve, startRun } from "../../../testing/server/serve.ts";
import { framesOf, liveFrames, type SseFrame } from "../../../testing/server/sse-reader.ts";

interface Snapshot {
  object: string;
  data: {
    sequence: number;
    event_type: string;
    terminal: boolean;
    run: { status: string; run_id: string; step_count: number };
    steps: { tool_name: string; status: string }[];
    artifacts: object[];
    approvals: { id: string; status: string }[];
    activity: { type: string; text?: string }[];
  };
}
const read = ({ data }: SseFrame): Snapshot["data"] => (JSON.parse(data) as Snapshot).data;

const toolCall = [
  draft("run.started"),
  draft("turn.started", { turn_index: 1 }),
  draft("assistant.tool_call_proposed", {
    turn_index: 1,
    tool_call_id: "c1",
    tool_name: "Bash",
    kind: "shell",
    input: { command: "ls" },
  }),
  draft("approval.requested", {
    approval_id: "appr_1",
    kind: "shell_command",
    tool_call_id: "c1",
    summary: "List files",
  }),
];

describe("the snapshots of a run", () => {
  it("show its current state, then each change, and end with the run", async () => {
    const { log, get } = await serve();
    const run = await startRun(log);
    await run.add(...toolCall);
    const response = await get(`/v1/tasks/${run.task_id}/runs/${run.run_id}/stream`);
    const frames: SseFrame[] = [];
    for await (const frame of liveFrames(response)) {
      frames.push(frame);
      if (frames.length === 1) {
        await run.add(draft("approval.resolved", { approval_id: "appr_1", decision: "approved" }));
        await run.finish();
      }
    }
    const [first, last] = [frames[0], frames.at(-1)] as [SseFrame, SseFrame];
    expect([first.event, first.id]).toEqual(["snapshot", "4"]);
    expect(JSON.parse(first.data)).toMatchObject({ object: "task_run_stream_event" });
    expect(read(first)).toMatchObject({
      sequence: 4,
      event_type: "approval.requested",
      terminal: false,
      run: { run_id: run.run_id, agent: "claude", state: "blocked", step_count: 1 },
      steps: [
        { id: "c1", index: 1, tool_name: "Bash", status: "waiting", approval_id: "appr_1", input: '{"command":"ls"}' },
      ],
      approvals: [{ id: "appr_1", status: "pending", reason: "List files" }],
      activity: [{ type: "tool_call", text: "Bash" }, { type: "approval" }],
    });
    expect([last.event, last.id]).toEqual(["done", "6"]);
    expect(read(last)).toMatchObject({
      event_type: "run.finished",
      terminal: true,
      run: { status: "completed" },
      approvals: [{ status: "approved" }],
    });
  });

  it("of a finished run are one frame, and 204 for a reader that has seen it", async () => {
    const { log, get } = await serve();
    const run = await startRun(log, 5);
    await run.finish();
    const frames = await framesOf(await get(`/v1/runs/${run.run_id}/stream?after_sequence=2`));
    expect(frames.map(({ event, id }) => [event, id])).toEqual([["done", "5"]]);
    expect((await get(`/v1/runs/${run.run_id}/stream`, { "last-event-id": "5" })).status).toBe(204);
  });

  it("are encoded once for all watchers, and at a limited rate while much happens", async () => {
    const { log, get } = await serve();
    const run = await startRun(log);
    const watch = async (response: Response) => framesOf(response);
    const watching = [1, 2, 3].map(async () => watch(await get(`/v1/runs/${run.run_id}/stream`)));
    for (let number = 0; number < 300; number++) await run.add(1);
    await run.finish();
    for (const frames of await Promise.all(watching)) {
      expect(frames.length).toBeLessThan(150);
      expect(frames.at(-1)).toMatchObject({ event: "done", id: "301" });
      const sequences = frames.map((frame) => read(frame).sequence);
      expect(sequences).toEqual([...sequences].sort((a, b) => a - b));
    }
  });

  it("continue after a cursor with newer states only", async () => {
    const { log, get } = await serve();
    const run = await startRun(log, 5);
    const response = await get(`/v1/runs/${run.run_id}/stream`, { "last-event-id": "4" });
    await run.add(1);
    for await (const frame of liveFrames(response)) {
      expect(frame).toMatchObject({ event: "snapshot", id: "5" });
      break;
    }
  });

  it("cut long texts, which the events hold in full", async () => {
    const { log, get } = await serve();
    const run = await startRun(log);
    await run.add(
      draft("turn.started", { turn_index: 1 }),
      draft("assistant.text_complete", { turn_index: 1, block_index: 0, text: "x".repeat(100_000) }),
    );
    await run.finish();
    const [frame] = await framesOf(await get(`/v1/runs/${run.run_id}/stream`));
    expect(frame?.data.length).toBeLessThan(20_000);
    expect(read(frame as SseFrame).activity.find(({ type }) => type === "message")?.text).toMatch(/^x+…$/);
  });
});
