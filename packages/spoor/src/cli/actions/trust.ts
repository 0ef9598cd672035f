import { readFileSync, statSync } from "node:fs";
import path from "node:path";
import { dataDirectory } from "../../log/open.ts";
import { readRuleFile } from "../../runtime/policy/files.ts";
import { launchLines } from "../../runtime/policy/mcp-server.ts";
import { forgetServers, readServers } from "../../runtime/policy/mcp-trust.ts";
import { findProjectFiles } from "../../runtime/policy/project-files.ts";
import { addTrusted, hashOf, readTrusted, removeTrusted, type TrustedFile } from "../../runtime/policy/trust.ts";
import { ExitError } from "../exit-error.ts";
import type { DataOption } from "../history/with-log.ts";
import type { Io } from "../io.ts";
import { printJson } from "../output/json.ts";
import { terminalSafe } from "../output/terminal-safe.ts";

export interface TrustOptions extends DataOption {
  list?: true;
  revoke?: true;
  forget?: string;
  json?: true;
}

/**
 * Trusts the rules of a project in their present content, lists what is trusted, or ends it. MCP servers are approved when a
 * run asks about them, so here they are only listed and forgotten.
 */
export function trust(typed: string | undefined, options: TrustOptions, io: Io): void {
  const directory = path.resolve(options.data ?? dataDirectory());
  if (options.list && (options.revoke || typed !== undefined))
    throw new ExitError(2, "--list takes no path and excludes --revoke.");
  if (options.forget !== undefined && (options.list || options.revoke || typed !== undefined))
    throw new ExitError(2, "--forget takes no path and excludes --list and --revoke.");
  if (options.forget !== undefined) forget(directory, options.forget, options, io);
  else if (options.list) list(directory, options, io);
  else if (options.revoke) revoke(directory, typed, options, io);
  else add(directory, typed, options, io);
}

function add(directory: string, typed: string | undefined, { json }: TrustOptions, io: Io): void {
  const file = findFile(directory, typed);
  const { rules, problems, real, sha256 } = readRuleFile(file, "project");
  if (problems.length > 0)
    throw new ExitError(7, `${file} is not trusted, because it has mistakes:\n${problems.join("\n")}`);
  if (real === undefined || sha256 === undefined) throw new ExitError(1, `${file} does not exist.`);
  const entry: TrustedFile = { file: real, sha256, trusted_at: new Date().toISOString() };
  addTrusted(directory, entry);
  if (json) printJson(io.stdout, { ...entry, rules: rules.map(({ text }) => text) });
  else {
    for (const { text } of rules) io.stdout.write(`  ${terminalSafe(text)}\n`);
    io.stdout.write(`These rules of ${terminalSafe(real)} count from now on, until the file changes.\n`);
  }
}

function list(directory: string, { json }: TrustOptions, io: Io): void {
  const found = readTrusted(directory).map((entry) => ({ ...entry, state: stateOf(entry) }));
  for (const { file, state, trusted_at, sha256 } of found) {
    if (json) printJson(io.stdout, { file, sha256, trusted_at, state });
    else io.stdout.write(`${terminalSafe(file)}  ${state}\n`);
  }
  if (found.length === 0 && !json) io.stdout.write("No project's rules are trusted.\n");
  for (const { name, sha256, launch, approved_at, tools = {} } of readServers(directory)) {
    const names = Object.keys(tools);
    if (json) printJson(io.stdout, { server: name, sha256, launch, approved_at, tools: names });
    else {
      io.stdout.write(
        `MCP server ${terminalSafe(name)}, approved ${approved_at}, ${names.length} ${names.length === 1 ? "tool" : "tools"}\n`,
      );
      for (const line of launchLines(launch)) io.stdout.write(`  ${terminalSafe(line)}\n`);
    }
  }
}

function forget(directory: string, name: string, { json }: TrustOptions, io: Io): void {
  const forgotten = forgetServers(directory, name);
  if (forgotten.length === 0)
    throw new ExitError(
      1,
      `No MCP server named ${terminalSafe(name)} is approved. \`spoor trust --list\` shows which are.`,
    );
  for (const { sha256 } of forgotten) if (json) printJson(io.stdout, { server: name, sha256, forgotten: true });
  if (!json) io.stdout.write(`The next run with the MCP server ${terminalSafe(name)} asks about it again.\n`);
}

function stateOf({ file, sha256 }: TrustedFile): "trusted" | "changed" | "gone" {
  try {
    return hashOf(readFileSync(file)) === sha256 ? "trusted" : "changed";
  } catch {
    return "gone";
  }
}

function revoke(directory: string, typed: string | undefined, { json }: TrustOptions, io: Io): void {
  const wanted = path.resolve(typed ?? ".");
  const trusted = readTrusted(directory).map(({ file }) => file);
  // A file that is gone has no real path any more, so what was typed is compared with the list.
  const file = trusted.find(
    (one) => one === wanted || one === path.join(wanted, ".spoor/policy.rules") || one === realOf(wanted),
  );
  if (file === undefined || !removeTrusted(directory, file))
    throw new ExitError(1, `${terminalSafe(wanted)} is not trusted. \`spoor trust --list\` shows what is.`);
  if (json) printJson(io.stdout, { file, revoked: true });
  else io.stdout.write(`${terminalSafe(file)} can only make the policy stricter from now on.\n`);
}

function realOf(wanted: string): string | undefined {
  return readRuleFile(path.join(wanted, ".spoor/policy.rules"), "project").real ?? readRuleFile(wanted, "project").real;
}

function findFile(directory: string, typed: string | undefined): string {
  const wanted = path.resolve(typed ?? ".");
  const stats = statSync(wanted, { throwIfNoEntry: false });
  if (stats === undefined) throw new ExitError(1, `${terminalSafe(wanted)} does not exist.`);
  if (stats.isFile()) return wanted;
  const [file] = findProjectFiles(wanted, directory);
  if (file !== undefined) return file;
  throw new ExitError(1, `${terminalSafe(wanted)} has no .spoor/policy.rules, so there is nothing to trust.`);
}
