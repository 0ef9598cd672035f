import { PassThrough } from "node:stream";
import type { Command } from "commander";
import { describe, expect, it } from "vitest";
import { errorTable } from "../../failures/error-table.ts";
import { commands, createProgram } from "../program.ts";
import { examples } from "./examples.ts";

const io = { stdin: new PassThrough(), stdout: new PassThrough(), stderr: new PassThrough() };

/** All commands that help shows and that do something, by their words. */
function all(command: Command, words: string[] = []): [name: string, command: Command][] {
  return command.commands
    .filter((each) => !(each as Command & { _hidden?: boolean })._hidden)
    .flatMap((each) => {
      const name = [...words, each.name()];
      const acts = (each as Command & { _actionHandler?: unknown })._actionHandler != null;
      return [...(acts ? [[name.join(" "), each] as [string, Command]] : []), ...all(each, name)];
    });
}

/** The words of a command line without pipes. Quotes keep spaces. */
const wordsOf = (line: string): string[] =>
  (line.match(/"[^"]*"|\S+/g) ?? []).map((word) => word.replaceAll('"', "")).slice(1);

describe("the help of every command", () => {
  const program = createProgram(io, commands);
  const known = all(program);

  it("has examples, and there are none of other commands", () => {
    const names = known.map(([name]) => name);
    expect(names.filter((name) => !examples[name])).toEqual([]);
    expect(Object.keys(examples).filter((name) => !names.includes(name))).toEqual([]);
  });

  const lines = Object.entries(examples).flatMap(([name, list]) => list.map(([line]) => [name, line] as const));
  it.each(lines)("%s: %s", async (name, line) => {
    const [own = ""] = line.split(" | ").filter((part) => part.startsWith(`spoor ${name}`));
    const parsed = createProgram(io, commands);
    let ran = "";
    for (const [each, command] of all(parsed)) {
      command.action(() => {
        ran = each;
      });
    }
    await parsed.parseAsync(wordsOf(own), { from: "user" });
    expect(ran).toBe(name);
  });

  it("of spoor run names every exit code that a run can end with", () => {
    const help = program.commands.find((command) => command.name() === "run")?.description() ?? "";
    const listed = new Set(
      [...(/Exit codes:(.*)/.exec(help)?.[1] ?? "").matchAll(/(\d+) /g)].map(([, code]) => Number(code)),
    );
    const codes = new Set(Object.values(errorTable).map(({ exitCode }) => exitCode));
    expect([...codes].filter((code) => !listed.has(code))).toEqual([]);
  });
});
