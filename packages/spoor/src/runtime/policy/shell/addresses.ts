import { type Glob, literalOf } from "../glob.ts";
import type { CommandContext } from "./command-context.ts";
import { optionValues } from "./options.ts";
import { programs } from "./programs.ts";
import type { ShellWord } from "./word.ts";

/** Adds the hosts that a command names: any URL, and every argument of programs that fetch. */
export function readAddresses(
  name: string,
  args: readonly ShellWord[],
  { parts, text, readText, depth }: CommandContext,
): void {
  const program = Object.hasOwn(programs, name) ? programs[name] : undefined;
  const fetches = program?.fetches === true;
  const isGit = name === "git";
  const copies = /^(scp|rsync|sftp)$/.test(name) || (isGit && args.some(({ literal }) => remote.test(literal ?? "")));
  let isRemote = false;
  for (const [index, word] of args.entries()) {
    const { literal } = word;
    if (isRemote) {
      // The rest is what a remote shell gets.
      const rest = args.slice(index);
      if (rest.some((one) => one.literal === undefined)) parts.opaque(text, `What \`${name}\` runs is computed.`);
      else readText(rest.map((one) => one.literal).join(" "), depth + 1, false);
      return;
    }
    const isUrl = /^[a-z][a-z0-9+.-]*:\/\//i.test(startOf(word.glob));
    const isScp = copies && /^[^/\s-][^/\s]*:(?!\/\/)\S*$/.test(startOf(word.glob));
    const isOption = startOf(word.glob).startsWith("-");
    if (isUrl || isScp) parts.add({ kind: "host", text, word, weight: fetches || isGit || isScp ? "full" : "mention" });
    else if (fetches && literal === undefined && !isOption) parts.add({ kind: "host", text, word, weight: "full" });
    else if (fetches && literal !== undefined && !isOption && isAddress(name, args, index)) {
      parts.add({ kind: "host", text, word, weight: "full" });
      isRemote = /^(ssh|slogin|mosh|autossh)$/.test(name);
    }
  }
  for (const word of optionValues(args, program?.hosts ?? [])) parts.add({ kind: "host", text, word, weight: "full" });
}

/** Subcommands of git that take addresses. */
const remote = /^(clone|fetch|pull|push|remote|ls-remote|submodule|archive)$/;

/** Options of fetchers whose value is no address. */
const takesValue: Readonly<Record<string, RegExp>> = {
  curl: /^(-[HXdFoAbcDeEKmTuUwxyYzr]|--(header|request|data\S*|form|output|user-agent|cookie|cookie-jar|dump-header|referer|max-time|user|write-out|proxy|retry\S*|connect-timeout|range|cacert|cert|key|limit-rate|upload-file|json))$/,
  wget: /^(-[OoaPUtTQw]|--(header|output-document|user-agent|tries|timeout|post-data|directory-prefix))$/,
  ssh: /^-[BbcDEeFIiJLlmOopQRSWw]$/,
};

function isAddress(name: string, args: readonly ShellWord[], index: number): boolean {
  const before = args[index - 1]?.literal ?? "";
  if (takesValue[name]?.test(before)) return false;
  // The second argument of these is a port or a record type.
  const isFirst = !args.slice(0, index).some(({ literal }) => literal !== undefined && !literal.startsWith("-"));
  return (
    isFirst ||
    name === "curl" ||
    name === "wget" ||
    name === "http" ||
    name === "https" ||
    name === "xh" ||
    name === "aria2c"
  );
}

const startOf = (glob: Glob): string =>
  literalOf(glob) ?? glob.map((token) => (typeof token === "string" ? token : "\u0000")).join("");
