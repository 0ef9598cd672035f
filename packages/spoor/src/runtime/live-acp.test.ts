import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";
import { newWorkspace } from "../../testing/run/acp-agent.ts";
import { temporaryLog } from "../../testing/runtime/temporary-log.ts";
import { createClient } from "../client.ts";
import { recordRun } from "./record-run.ts";
import { Recorder } from "./recorder/recorder.ts";
import { renormalize } from "./renormalize.ts";

const program = fileURLToPath(new URL("../../testing/run/programs/acp-agent.mjs", import.meta.url));
const client = createClient({ configDir: "/no/configuration" });

it.each(["auto", "deny"] as const)("the tape contains what Spoor did for an ACP agent under %s", async (approve) => {
  const { log } = temporaryLog();
  const recorder = new Recorder({ log });
  const steps = [
    { ask: "fs/write_text_file", params: { path: "new.txt", content: "one\n" } },
    { ask: "fs/write_text_file", params: { path: "new.txt", content: "two\n" } },
    { ask: "fs/write_text_file", params: { path: ".git/hooks/pre-commit", content: "hostile\n" } },
    // The agent never asks for the command's output, so none of its own lines contains the output.
    { ask: "terminal/create", params: { command: "echo told; exit 3" } },
    { ask: "terminal/wait_for_exit", params: { terminalId: "$terminal" } },
    { say: "Done." },
  ];
  const handle = client.run(
    {
      agent: "acp",
      command: [process.execPath, program, "{}"],
      prompt: JSON.stringify(steps),
      cwd: newWorkspace(),
      approve,
    },
    recorder,
  );
  const { run_ids, failure } = await recordRun(handle, recorder);
  expect(failure).toBeUndefined();
  expect((await renormalize(log, run_ids[0] as string)).types).toEqual([]);
});
