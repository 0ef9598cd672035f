import { describe, expect, it } from "vitest";
import { newRunId, shortRun, sourceOf } from "../../../testing/runtime/recorded-run.ts";
import { envelopesOf, findingsOf, temporaryLog } from "../../../testing/runtime/temporary-log.ts";
import { artifactsOfRun, readBlob } from "../artifacts/index.ts";
import { recordRun } from "../record-run.ts";
import { Recorder } from "../recorder/recorder.ts";
import { RunContents } from "./run-contents.ts";

const png = Buffer.from("89504e470d0a1a0a0000", "hex");
const secret = "sk-ant-api03-q8Zr2Lm5Xc7Vb9Nn1Kp4";

async function recorded(addEvents: Parameters<typeof shortRun>[0], attachments: object[] = []) {
  const { log, directory } = temporaryLog();
  const runId = newRunId();
  const recorder = new Recorder({ log, contents: new RunContents(directory, log) });
  const request = { prompt: "Look", cwd: directory, approve: "ask", attachments } as never;
  void recorder.onStart({ runId, agent: "claude", dialect: "stream-json", stream: "auto", request });
  await recordRun(sourceOf(shortRun(addEvents, { runId, startAt: Date.now() })), recorder);
  const run_id = `run_${runId}`;
  const envelopes = await envelopesOf(log, run_id);
  const rows = await artifactsOfRun(log, run_id);
  const read = (index: number) => readBlob(log, directory, rows[index]?.sha256 ?? "");
  const ofType = (type: string) => envelopes.filter((envelope) => envelope.type === type).map(({ data }) => data);
  expect(await findingsOf(log, [run_id])).toEqual([]);
  const run = await log.run(run_id);
  expect(rows.every(({ task_id }) => task_id === run?.task_id)).toBe(true);
  return { envelopes, rows, read, ofType };
}

describe("the output of a command", () => {
  const output = `${"x".repeat(99)}\n`.repeat(300);

  it("is kept whole as an artifact if it is large, and the end of the call names it", async () => {
    const { rows, read, ofType } = await recorded((script) =>
      script
        .tool({ id: "t", name: "Bash", kind: "shell", input: {} })
        .shell("t", "make", { stdout: `${output}${secret}\n` })
        .result("t", "Bash", "short"),
    );
    expect(rows).toMatchObject([{ kind: "command_output", mime: "text/plain", tool_call_ids: '["t"]' }]);
    expect((await read(0)).toString()).toBe(`${output}[redacted:anthropic-key]\n`);
    expect(ofType("tool.completed")).toMatchObject([{ output: "short", result_artifact_id: rows[0]?.artifact_id }]);
    expect(
      ofType("tool.shell.output_chunk")
        .map(({ data }) => data)
        .join(""),
    ).toContain(output);
  });

  it("is not kept as an artifact if it is small", async () => {
    const { rows, ofType } = await recorded((script) =>
      script
        .tool({ id: "t", name: "Bash", kind: "shell", input: {} })
        .shell("t", "ls", { stdout: "a" })
        .result("t", "Bash", "a"),
    );
    expect(rows).toEqual([]);
    expect(ofType("tool.completed")[0]).not.toHaveProperty("result_artifact_id");
  });

  it("that is larger than an artifact may be is cut, and a gap says so", { timeout: 60_000 }, async () => {
    const piece = "0123456789abcdef".repeat(65_536);
    const { rows, read, ofType } = await recorded((script) => {
      script.tool({ id: "t", name: "Bash", kind: "shell", input: {} });
      script.emit("shell_start", { command: "yes", cwd: "/", toolCallId: "t" });
      for (let at = 0; at < 14; at++) script.emit("shell_stdout_delta", { delta: piece, toolCallId: "t" });
      script.emit("shell_exit", { exitCode: 0, durationMs: 1, toolCallId: "t" });
      script.result("t", "Bash", "");
    });
    expect(ofType("gap.artifact_capped")).toMatchObject([{ limit: "artifact", size_bytes: 14 * piece.length }]);
    expect(rows).toHaveLength(1);
    const kept = (await read(0)).toString();
    expect(kept.length).toBeLessThanOrEqual(10 * 1024 ** 2);
    expect(kept).toContain("bytes left out]");
  });
});

describe("the result of a tool", () => {
  it("is kept as an artifact of the fitting kind if it is large", async () => {
    const page = "<html>".repeat(5_000);
    const { rows, read, ofType } = await recorded((script) =>
      script
        .tool({ id: "f", name: "WebFetch", kind: "web_fetch", input: { url: "http://x" } })
        .result("f", "WebFetch", page),
    );
    expect(rows).toMatchObject([{ kind: "fetched_resource" }]);
    expect((await read(0)).toString()).toBe(page);
    expect(ofType("tool.completed")).toMatchObject([{ output: page, result_artifact_id: rows[0]?.artifact_id }]);
  });

  it("with an image in it is kept as an image", async () => {
    const block = [{ type: "image", data: png.toString("base64"), mimeType: "image/png" }];
    const { rows, read } = await recorded((script) =>
      script.tool({ id: "s", name: "Shot", kind: "other", input: {} }).result("s", "Shot", block),
    );
    expect(rows).toMatchObject([{ kind: "image", mime: "image/png" }]);
    expect(await read(0)).toEqual(png);
  });
});

describe("images and attachments", () => {
  it("that an agent makes are kept, and the event names the artifact", async () => {
    const { rows, read, ofType } = await recorded((script) =>
      script.emit("image_output", { mimeType: "image/png", base64: png.toString("base64") }),
    );
    expect(await read(0)).toEqual(png);
    expect(ofType("assistant.image_output")).toMatchObject([{ artifact_id: rows[0]?.artifact_id }]);
  });

  it("that a person adds are kept, text without its secrets, and an address is not fetched", async () => {
    const { rows, read, ofType } = await recorded(() => {}, [
      { name: "dot.png", mimeType: "image/png", base64: png.toString("base64") },
      { name: "notes.md", mimeType: "text/markdown", base64: Buffer.from(`key ${secret}`).toString("base64") },
      { name: "far.png", mimeType: "image/png", url: "http://x/far.png" },
    ]);
    expect(rows).toMatchObject([
      { kind: "image", name: "dot.png" },
      { kind: "file_snapshot", name: "notes.md" },
    ]);
    expect((await read(1)).toString()).toBe("key [redacted:anthropic-key]");
    expect(ofType("user.attachment").map(({ artifact_id }) => artifact_id)).toEqual([
      ...rows.map(({ artifact_id }) => artifact_id),
      undefined,
    ]);
  });
});
