import { execFileSync, spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { describe, expect, it } from "vitest";

const root = fileURLToPath(new URL("..", import.meta.url));
const readme = readFileSync(path.join(root, "README.md"), "utf8");
const blocks = (language: string) =>
  [...readme.matchAll(new RegExp(`^\`\`\`${language}\\n(.*?)^\`\`\``, "gms"))].map((match) => match[1] ?? "");

/** Each `$ command` with what the page says it prints; nothing said, nothing compared. */
const examples = blocks("console").flatMap((block) =>
  block
    .split(/^\$ /m)
    .slice(1)
    .map((example) => {
      const [command = "", ...output] = example.trimEnd().split("\n");
      return { command: command.replace(/\s+#.*$/, ""), output: output.join("\n") };
    }),
);

describe("the README", () => {
  it.each(examples)("shows what `$command` prints", ({ command, output }) => {
    const [npx, spoor, ...args] = command.split(" ");
    expect([npx, spoor]).toEqual(["npx", "spoor"]);
    const { stdout, stderr } = spawnSync(process.execPath, ["packages/spoor/bin/spoor.js", ...args], {
      cwd: root,
      encoding: "utf8",
    });
    expect(stderr).toBe("");
    if (output !== "") expect(stdout.trimEnd()).toBe(output);
    else expect(stdout).not.toBe("");
  });

  it("shows a program that runs", () => {
    const [program = ""] = blocks("ts");
    const folder = mkdtempSync(path.join(tmpdir(), "spoor-readme-"));
    const protocol = pathToFileURL(path.join(root, "packages/protocol/src/index.ts")).href;
    const fixture = path.join(root, "packages/protocol/fixtures/envelopes/success.jsonl");
    const main = `
      import { readFileSync } from "node:fs";
      console.log(report(readFileSync(${JSON.stringify(fixture)}, "utf8").trimEnd().split("\\n")));`;
    const file = path.join(folder, "program.ts");
    writeFileSync(file, program.replace("@spoor/protocol", protocol) + main);
    const printed = execFileSync(process.execPath, [file], { encoding: "utf8" }).trimEnd().split("\n");
    rmSync(folder, { recursive: true });
    expect(printed).toEqual(["TodoWrite 12", "Read 12", "Glob 12", "Grep 12", "Edit 30", "Bash 1240", "done"]);
  });
});
