import { readAddresses } from "./addresses.ts";
import type { CommandContext } from "./command-context.ts";
import { readFind } from "./find.ts";
import { readGit } from "./git.ts";
import { readInterpreter } from "./interpreter.ts";
import { optionValues, usesOption } from "./options.ts";
import { changesCommands, keywords, opaqueCommands, programs } from "./programs.ts";
import { readSed } from "./sed.ts";
import { unwrap } from "./unwrap.ts";
import { type ShellWord, wordOf } from "./word.ts";
import { sameProgram, wrappers } from "./wrappers.ts";

/** Adds the parts of one simple command: the command, what it runs, and the paths and addresses that it names. */
export function readCommand(words: readonly ShellWord[], context: CommandContext, implied = false): void {
  const { parts, text, depth } = context;
  const [first, ...args] = words;
  if (first === undefined) return;
  if (depth > 8) {
    parts.opaque(text, "It is nested too deeply.", true);
    return;
  }
  const typed = first.literal;
  if (typed === undefined || first.many) {
    parts.opaque(text, "The command itself is computed.");
    return;
  }
  if (keywords.has(typed) || typed === "" || typed.startsWith("=")) {
    parts.opaque(text, "The command cannot be read.", true);
    return;
  }
  const name = programName(typed);
  const wrapper = /^ld(-linux[\w.-]*|[\w.-]*)\.so[\d.]*$/.test(name)
    ? {}
    : Object.hasOwn(wrappers, name)
      ? wrappers[name]
      : undefined;
  const git = name === "git" ? readGit(args, context) : undefined;
  const isTransparent = wrapper !== undefined && !wrapper.matters;
  parts.add({
    kind: "command",
    text,
    words,
    also: git ? [[wordOf("git"), ...git]] : [],
    implied: implied || isTransparent,
  });
  const reason = Object.hasOwn(opaqueCommands, name) ? opaqueCommands[name] : undefined;
  if (reason !== undefined) {
    parts.opaque(text, `\`${name}\` ${reason}.`);
    return;
  }
  readSettings(name, args, context);
  if (wrapper !== undefined) {
    readWrapped(name, args, context);
    return;
  }
  if (readInterpreter(name, args, context)) return;
  if (name === "find" || name === "fd" || name === "fdfind")
    readFind(name, args, context, (inner) => readCommand(inner, { ...context, depth: depth + 1 }));
  if (name === "sed") readSed(args, context);
  if (name === "cd" || name === "pushd" || name === "chdir") readFolder(args, context);
  readOptions(name, args, context);
  readAddresses(name, args, context);
  readPaths(name, args, context);
}

/** The name by which tables know a program: without its folder, in lower case, and without its suffix on Windows. */
function programName(typed: string): string {
  const base = typed
    .slice(typed.lastIndexOf("/") + 1)
    .toLowerCase()
    .replace(/\.exe$/, "");
  return sameProgram[base] ?? base;
}

function readWrapped(name: string, args: readonly ShellWord[], context: CommandContext): void {
  const { parts, text, depth } = context;
  const found = unwrap(name, wrappers[name] ?? {}, args);
  if (found.kind === "unclear") {
    parts.opaque(text, `\`${name}\` ${found.reason}.`);
    return;
  }
  if (found.kind === "text") {
    context.readText(found.text, depth + 1, context.fed);
    return;
  }
  if (found.kind === "nothing") return;
  const changed = found.assigned.find((variable) => changesCommands.test(variable));
  if (changed !== undefined) parts.opaque(text, `It sets ${changed}, which changes what commands run.`);
  const input = wrappers[name]?.fed ? false : context.fed;
  readCommand(found.words, { ...context, fed: input, depth: depth + 1, text: showWords(found.words) });
}

const showWords = (words: readonly ShellWord[]): string => words.map(({ literal }) => literal ?? "…").join(" ");

/** Built-in commands that set variables can evaluate text, and can change what later commands do. */
const setters = new Set(
  "export declare typeset local readonly read mapfile readarray printf getopts let unset test [ wait set".split(" "),
);

function readSettings(name: string, args: readonly ShellWord[], { parts, text }: CommandContext): void {
  if (!setters.has(name)) return;
  if (args.some(({ literal }) => literal !== undefined && /\$\(|`|\$\{/.test(literal)) && name !== "printf") {
    parts.opaque(text, `\`${name}\` may evaluate a text that holds a command.`);
  }
  const isFormat = name === "printf" && args[0]?.literal !== "-v";
  if (name === "test" || name === "[" || name === "wait" || isFormat) return;
  if (name === "set") {
    if (args.some(({ literal }) => literal === undefined)) parts.opaque(text, "`set` has options that are computed.");
    return;
  }
  if ((name === "mapfile" || name === "readarray") && usesOption(args, ["-C"]))
    parts.opaque(text, `\`${name} -C\` runs a command.`);
  const changed = args.find(
    ({ literal }) => literal === undefined || changesCommands.test(literal.split(/[=+[]/)[0] ?? ""),
  );
  if (changed === undefined) return;
  const what = changed.literal?.split("=")[0] ?? "a variable whose name is computed";
  if (changed.literal !== undefined || !/^\w+=/.test(knownStart(changed)))
    parts.opaque(text, `It sets ${what}, which can change what commands run.`);
  else if (changesCommands.test(knownStart(changed).split("=")[0] ?? ""))
    parts.opaque(text, `It sets ${knownStart(changed).split("=")[0]}, which changes what commands run.`);
}

/** The text of a word before its first unknown place. */
function knownStart({ glob }: ShellWord): string {
  const end = glob.findIndex((token) => typeof token !== "string");
  return glob.slice(0, end < 0 ? glob.length : end).join("");
}

function readOptions(name: string, args: readonly ShellWord[], { parts, text }: CommandContext): void {
  const program = Object.hasOwn(programs, name) ? programs[name] : undefined;
  if (program?.runs !== undefined) {
    const used = usesOption(args, program.runs);
    if (used !== undefined)
      parts.opaque(
        text,
        used === ""
          ? `An option of \`${name}\` may be computed, and some run commands.`
          : `\`${name} ${used}\` can run commands.`,
      );
  }
  for (const word of optionValues(args, program?.writes ?? []))
    parts.add({ kind: "write", text, word, weight: "full" });
  if (name === "dd") {
    for (const { literal } of args) {
      if (literal?.startsWith("of="))
        parts.add({ kind: "write", text, word: wordOf(literal.slice(3)), weight: "full" });
      if (literal?.startsWith("if=")) parts.add({ kind: "read", text, word: wordOf(literal.slice(3)), weight: "full" });
    }
  }
}

function readFolder(args: readonly ShellWord[], { parts, text }: CommandContext): void {
  const [folder, ...others] = args.filter(({ literal }) => !/^-[LPe@]*$/.test(literal ?? "x") || literal === "-");
  if (folder === undefined) parts.add({ kind: "folder", text, word: { glob: [..."~"], literal: "~", many: false } });
  else if (others.length > 0 || folder.literal === undefined || /^[-+]/.test(folder.literal))
    parts.opaque(text, "It changes to a folder that is computed.");
  else parts.add({ kind: "folder", text, word: folder });
}

/** Any argument can be a path. What the program does with it decides which rules count. */
function readPaths(name: string, args: readonly ShellWord[], { parts, text }: CommandContext): void {
  const operands = Object.hasOwn(programs, name) ? programs[name]?.operands : undefined;
  if (operands === "none" || name === "cd") return;
  for (const arg of args) {
    for (const word of [arg, ...attachedPath(arg)]) {
      const isKnown = typeof word.glob[0] === "string" || word.glob[0] === undefined;
      if (operands === undefined && !isKnown) continue;
      if (operands === "read") parts.add({ kind: "read", text, word, weight: "rules" });
      else if (operands === "write") {
        parts.add({ kind: "write", text, word, weight: "rules" });
        parts.add({ kind: "read", text, word, weight: "mention" });
      } else {
        parts.add({ kind: "write", text, word, weight: "mention" });
        parts.add({ kind: "read", text, word, weight: "mention" });
      }
    }
  }
}

/** The path in `--file=path`, `-fpath`, `name=path` and `@path`. */
function attachedPath({ glob, many }: ShellWord): ShellWord[] {
  const starts = [glob.indexOf("=") + 1, glob.indexOf("@") + 1, glob[0] === "-" && glob[1] !== "-" ? 2 : 0].filter(
    (start) => start > 0 && start < glob.length,
  );
  return starts.map((start) => {
    const rest = glob.slice(start);
    const literal = rest.every((token) => typeof token === "string") ? rest.join("") : undefined;
    return { glob: rest, literal, many };
  });
}
