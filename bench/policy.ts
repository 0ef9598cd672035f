import { tmpdir } from "node:os";
import path from "node:path";
import { loadPolicy } from "../packages/spoor/src/runtime/policy/index.ts";
import { loadShellParser } from "../packages/spoor/src/runtime/policy/shell/parser.ts";
import { readCommands } from "../packages/spoor/testing/policy/commands.ts";
import { type Case, defineCase } from "./measure.ts";

interface PolicyCases {
  floor: Case<unknown>;
  file: Case<unknown>;
  parsing: Case<unknown>;
  shell: Case<unknown>;
  on: string;
}

/**
 * Measures decisions about calls with a file against `JSON.parse` of the call's envelope, which any gate has to do, and
 * decisions about everyday commands against the bare parse of the same text.
 */
export async function policyCases(): Promise<PolicyCases> {
  const cwd = path.join(tmpdir(), "spoor-bench-workspace");
  const { harmless } = readCommands();
  const rules = Array.from({ length: 40 }, (_, n) =>
    n % 2 === 0 ? `allow shell tool${n} sub **` : `block write generated${n}/** **/*.lock${n}`,
  );
  const policy = await loadPolicy({ directory: path.join(tmpdir(), "spoor-bench-data"), cwd, task: rules });
  const parse = await loadShellParser();
  const paths = Array.from({ length: 50 }, (_, n) => `src/folder${n % 7}/file${n}.ts`);
  const envelopes = paths.map((file) =>
    JSON.stringify({
      id: "evt_01K9ZC0000SP00R00000000000",
      run_id: "run_01K9ZC0000SP00R00000000000",
      sequence: 12,
      type: "tool.invoked",
      timestamp: "2026-06-01T00:00:00.000Z",
      data: {
        tool_call_id: "call_1",
        tool_name: "Write",
        kind: "file_write",
        input: { file_path: file, content: "export const value = 1;\n".repeat(40) },
      },
    }),
  );
  return {
    floor: defineCase(
      "JSON.parse of the call's envelope",
      () => envelopes,
      (all) => {
        for (let round = 0; round < 20; round++) for (const text of all) JSON.parse(text);
      },
    ),
    file: defineCase(
      "decide about a file by 40 rules",
      () => paths,
      (all) => {
        for (let round = 0; round < 20; round++)
          for (const file of all) policy.decide({ subject: "write", paths: [file], cwd });
      },
    ),
    parsing: defineCase(
      "parse of the shell text",
      () => harmless,
      (all) => {
        for (let round = 0; round < 5; round++) for (const text of all) parse(text, (root) => root.hasError);
      },
    ),
    shell: defineCase(
      "decide about a shell command by 40 rules",
      () => harmless,
      (all) => {
        for (let round = 0; round < 5; round++)
          for (const command of all) policy.decide({ subject: "shell", command, cwd });
      },
    ),
    on: "40 rules and the built-in ones",
  };
}
