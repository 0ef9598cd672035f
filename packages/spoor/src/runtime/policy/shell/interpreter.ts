import type { CommandContext } from "./command-context.ts";
import { interpreters, shells } from "./programs.ts";
import type { ShellWord } from "./word.ts";

/** Reads an interpreter: a script in a file is an ordinary command, all else is opaque. Returns false for other programs. */
export function readInterpreter(name: string, args: readonly ShellWord[], context: CommandContext): boolean {
  if (shells.has(name)) readShellProgram(name, args, context);
  else if (name === "awk") readAwk(args, context);
  else {
    const interpreter = interpreters.find((one) => one.name.test(name));
    if (interpreter === undefined) return false;
    readOther(name, args, interpreter.harmless, context);
  }
  return true;
}

function readShellProgram(name: string, args: readonly ShellWord[], context: CommandContext): void {
  const { parts, text, depth, fed } = context;
  let isScript = false;
  let at = 0;
  for (; at < args.length; at++) {
    const literal = args[at]?.literal;
    if (literal === undefined) {
      parts.opaque(text, `What \`${name}\` runs is computed.`);
      return;
    }
    if (literal === "-o" || literal === "+o" || literal === "-O" || literal === "+O") at += 1;
    else if (/^-[abefhklmnptuvxBCEHPTi]*c[abefhklmnptuvxBCEHPTi]*$/.test(literal)) isScript = true;
    else if (/^--(no-?rc|no-?profile|posix|login|norcs|restricted|version|help)$/.test(literal)) continue;
    else if (/^[-+][abefhklmnptuvxBCEHPTi]+$/.test(literal)) continue;
    else if (literal === "--" || literal === "-") {
      at += 1;
      break;
    } else if (/^[-+]/.test(literal)) {
      parts.opaque(text, `\`${name}\` has the option ${literal}, which is not known here.`);
      return;
    } else break;
  }
  const operand = args[at];
  if (isScript) {
    if (operand?.literal === undefined) {
      parts.opaque(text, `What \`${name} -c\` runs is computed.`);
      return;
    }
    context.readText(operand.literal, depth + 1, fed);
    return;
  }
  if (args.some(({ literal }) => literal === "--version" || literal === "--help")) return;
  if (fed) {
    parts.opaque(text, `\`${name}\` runs what it is fed.`);
    return;
  }
  if (operand === undefined) {
    parts.opaque(text, `\`${name}\` runs what it reads from its input.`);
    return;
  }
  if (operand.literal === undefined || /^\/(dev|proc)\//.test(operand.literal))
    parts.opaque(text, `The script of \`${name}\` is computed.`);
  parts.add({ kind: "read", text, word: operand, weight: "rules" });
}

/** An awk program runs commands with system() and pipes, and writes files. */
function readAwk(args: readonly ShellWord[], { parts, text }: CommandContext): void {
  let at = 0;
  for (; at < args.length; at++) {
    const literal = args[at]?.literal;
    if (literal === "-F" || literal === "-v") at += 1;
    else if (literal !== undefined && /^-[Fv]./.test(literal)) continue;
    else if (literal?.startsWith("-")) {
      parts.opaque(text, `\`awk ${literal}\` may run a program that is not seen.`);
      return;
    } else break;
  }
  const program = args[at]?.literal;
  if (program === undefined || /system|getline|[|>@]|close|print\s*>/.test(program))
    parts.opaque(text, "A program of `awk` can run commands and write files.");
  for (const word of args.slice(at + 1)) parts.add({ kind: "read", text, word, weight: "rules" });
}

function readOther(
  name: string,
  args: readonly ShellWord[],
  harmless: RegExp,
  { parts, text, fed }: CommandContext,
): void {
  if (fed) {
    parts.opaque(text, `\`${name}\` may run what it is fed.`);
    return;
  }
  let hasScript = false;
  for (const word of args) {
    if (word.literal === undefined) {
      parts.opaque(text, `What \`${name}\` runs is computed.`);
      return;
    }
    if (word.literal.startsWith("-")) {
      if (!harmless.test(word.literal)) {
        parts.opaque(text, `\`${name} ${word.literal}\` may run code that is not in a file.`);
        return;
      }
      hasScript ||= /^(-V|-v|-h|--version|--help|--test)$/.test(word.literal);
      continue;
    }
    if (/^\/(dev|proc)\//.test(word.literal) || word.literal === "eval" || word.literal === "repl") {
      parts.opaque(text, `What \`${name}\` runs is computed.`);
      return;
    }
    parts.add({ kind: "read", text, word, weight: "mention" });
    hasScript = true;
    break;
  }
  if (!hasScript) parts.opaque(text, `\`${name}\` runs what it reads from its input.`);
  for (const word of args) {
    parts.add({ kind: "write", text, word, weight: "mention" });
    parts.add({ kind: "read", text, word, weight: "mention" });
  }
}
