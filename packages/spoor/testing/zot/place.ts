import { mkdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import type { TestContext } from "vitest";
import { createPlace } from "../cli/process.ts";
import { createZotClient } from "./client.ts";

const program = fileURLToPath(new URL("../cli/programs/commanded-claude.mjs", import.meta.url));

/** The words after `spoor rpc` that run the fake agent, which does what the words of a prompt say. */
export const commanded: readonly string[] = ["claude", "--command", `"${process.execPath}" "${program}"`];

/** A place with a folder to work in, and `spoor rpc` as a process in it. */
export function openZotPlace(
  { onTestFinished }: Pick<TestContext, "onTestFinished">,
  variables: Record<string, string> = {},
) {
  const place = createPlace("rpc");
  const cwd = path.join(place.home, "project");
  mkdirSync(cwd);
  onTestFinished(place.remove);
  const start = (...words: string[]) => {
    const child = place.start(words, variables);
    onTestFinished(() => void child.kill("SIGKILL"));
    return child;
  };
  /** A later `--cwd` counts instead of the folder. */
  const rpc = (...words: string[]) => {
    const [agent = "", ...flags] = words;
    return createZotClient(start("rpc", agent, "--cwd", cwd, ...flags));
  };
  /** The processes of the last run of the fake agent. */
  const pids = () => JSON.parse(readFileSync(path.join(cwd, "pids"), "utf8")) as number[];
  const runs = async (): Promise<Record<string, unknown>[]> =>
    (await place.spoor(["ls", "--json"])).stdout
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line));
  return { ...place, cwd, start, rpc, pids, runs };
}
