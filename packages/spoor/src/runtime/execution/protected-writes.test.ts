import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { expect, it, onTestFinished } from "vitest";
import { createPlace } from "../../../testing/cli/process.ts";
import { newWorkspace } from "../../../testing/run/acp-agent.ts";
import { envelopesOf, findingsOf } from "../../../testing/runtime/temporary-log.ts";
import { createClient } from "../../client.ts";
import { openLog } from "../../log/open.ts";

const program = fileURLToPath(new URL("../../../testing/run/programs/acp-agent.mjs", import.meta.url));
const everything = "allow write **\nallow write ~/**\nallow read **\nallow shell **\nallow tool **\n";

/** Runs an ACP agent that lets Spoor write these files, under the user's rules. */
async function write(files: readonly string[], rules: string, approve: "ask" | "auto", isGranted = false) {
  const home = newWorkspace();
  const [directory, cwd] = [path.join(home, "data"), path.join(home, "workspace")];
  mkdirSync(directory, { mode: 0o700 });
  mkdirSync(cwd);
  writeFileSync(path.join(directory, "policy.rules"), rules);
  const steps = files.map((file) => ({ ask: "fs/write_text_file", params: { path: file, content: "new\n" } }));
  const asked: string[] = [];
  const run = createClient({ configDir: "/no/configuration", record: directory }).run({
    ...{ agent: "acp", command: [process.execPath, program, "{}"], cwd, approve },
    prompt: JSON.stringify(steps),
    ...(approve === "ask" && {
      onApprovalRequest: ({ detail }: { detail: string }) => {
        asked.push(detail);
        return isGranted;
      },
    }),
  });
  await run.result();
  const log = await openLog({ directory });
  const events = await envelopesOf(log, run.recordId);
  const findings = await findingsOf(log, [run.recordId]);
  await log.close();
  expect(findings).toEqual([]);
  const written = files.filter((file) => existsSync(path.join(cwd, file)) && read(path.join(cwd, file)) === "new\n");
  return { asked, written, types: events.map(({ type }) => type) };
}

const read = (file: string): string => readFileSync(file, "utf8");

/** No rule of Spoor's own blocks these, so only the protection keeps them. */
const guarded = [".envrc", "deep/.profile", ".zshrc", ".netrc"];
const blocked = [".git/hooks/pre-commit", ".claude/settings.json"];

it("rules that allow everything do not let an agent write protected files: a person is asked", async () => {
  const { asked, written, types } = await write([...guarded, ...blocked, "plain.txt"], everything, "ask");
  expect(asked).toHaveLength(guarded.length);
  expect(written).toEqual(["plain.txt"]);
  const approvals = types.filter((type) => type.startsWith("approval.")).toSorted();
  expect(approvals).toEqual([...guarded.map(() => "approval.requested"), ...guarded.map(() => "approval.resolved")]);
});

it("a person who is asked can allow the write of a protected file", async () => {
  const { asked, written } = await write([".envrc"], everything, "ask", true);
  expect({ asked: asked.length, written }).toEqual({ asked: 1, written: [".envrc"] });
});

it("nobody is asked under approve auto, so protected files stay as they are", async () => {
  const { asked, written } = await write([...guarded, ...blocked, "plain.txt"], everything, "auto");
  expect({ asked, written }).toEqual({ asked: [], written: ["plain.txt"] });
});

it("spoor run --approve auto under rules that block something else does not write them either", async () => {
  const { home, data, spoor, remove } = createPlace("protected");
  onTestFinished(remove);
  mkdirSync(data, { mode: 0o700 });
  writeFileSync(path.join(data, "policy.rules"), `${everything}block shell curl **\n`);
  const files = [...guarded, "plain.txt"];
  const steps = files.map((file) => ({ ask: "fs/write_text_file", params: { path: file, content: "new\n" } }));
  const command = `"${process.execPath}" "${program}" "{}"`;
  const prompt = JSON.stringify([...steps, { report: true }]);
  const { code, stdout } = await spoor(["run", "acp", prompt, "--approve", "auto", "--command", command]);
  expect({ code, stdout }).toEqual({ code: 0, stdout: expect.stringContaining("Spoor protects this file") });
  expect(files.filter((file) => existsSync(path.join(home, file)))).toEqual(["plain.txt"]);
});

it("a rule that blocks the write of a call ends that call as blocked, although the agent does not name it", async () => {
  const { home, data, spoor, remove } = createPlace("blocked-write");
  onTestFinished(remove);
  mkdirSync(data, { mode: 0o700 });
  writeFileSync(path.join(data, "policy.rules"), "block write **/forbidden.txt\n");
  const file = path.join(home, "forbidden.txt");
  const call = {
    toolCallId: "c1",
    title: "WriteFile",
    kind: "edit",
    rawInput: { path: "forbidden.txt", content: "x" },
  };
  const steps = [
    { update: { sessionUpdate: "tool_call", status: "in_progress", ...call } },
    { ask: "fs/write_text_file", params: { path: file, content: "x" } },
    { update: { sessionUpdate: "tool_call_update", toolCallId: "c1", status: "failed", rawOutput: "refused" } },
    { say: "Then not." },
  ];
  const command = `"${process.execPath}" "${program}" "{}"`;
  const argv = ["run", "acp", JSON.stringify(steps), "--approve", "ask", "--command", command];
  expect(await spoor(argv)).toMatchObject({ code: 0 });
  const { stdout } = await spoor(["events", "last", "--json"]);
  const events = stdout.split("\n").flatMap((line) => (line === "" ? [] : [JSON.parse(line)]));
  const told = events.filter(({ type }) => /^tool\.(failed|started|cancelled)|^policy\.|^approval\./.test(type));
  expect(told).toMatchObject([{ type: "policy.tool_blocked", data: { tool_call_id: "c1" } }]);
  expect(existsSync(file)).toBe(false);
});
