import { type ShellWord, unknownWord } from "./word.ts";
import type { Wrapper } from "./wrappers.ts";

/** What a wrapper runs. */
export type Unwrapped =
  | { kind: "words"; words: readonly ShellWord[]; assigned: readonly string[] }
  | { kind: "text"; text: string }
  | { kind: "nothing" }
  | { kind: "unclear"; reason: string };

/** Finds the command that a wrapper runs. `words` are those after the wrapper's name. */
export function unwrap(name: string, wrapper: Wrapper, words: readonly ShellWord[]): Unwrapped {
  const unclear = (reason: string): Unwrapped => ({ kind: "unclear", reason });
  const assigned: string[] = [];
  let skip = wrapper.skip ?? 0;
  let at = 0;
  let script: string | undefined;
  let mark = wrapper.fed ? "{}" : undefined;
  let isOptions = true;
  for (; at < words.length; at++) {
    const text = words[at]?.literal;
    if (text === undefined) {
      if (words[at]?.many || skip === 0) return unclear("runs a command that is computed");
      skip -= 1;
      continue;
    }
    if (isOptions && text === "--") {
      isOptions = false;
      continue;
    }
    if (isOptions && text.length > 1 && text.startsWith("-")) {
      if (wrapper.lookUp?.includes(text)) return { kind: "nothing" };
      const [option = "", attached] = splitOption(text);
      if (wrapper.script?.includes(option)) {
        script = attached ?? words[at + 1]?.literal;
        if (script === undefined) return unclear("runs a text that is computed");
        if (attached === undefined) at += 1;
        if (name === "env") return splitByEnv(script, words.slice(at + 1)) ?? unclear("splits a text that is computed");
        continue;
      }
      const taken = takeOption(text, wrapper);
      if (taken === undefined) return unclear(`has the option ${text}, which is not known here`);
      if (taken > 0 && words[at + 1]?.literal === undefined) return unclear("has an option whose value is computed");
      if (wrapper.fed && (option === "-I" || option === "--replace")) mark = attached ?? words[at + 1]?.literal ?? "";
      at += taken;
      continue;
    }
    if (wrapper.assigns && text.includes("=")) assigned.push(text.slice(0, text.indexOf("=")));
    else if (skip > 0) skip -= 1;
    else break;
    // Options may follow the names of `env` and `flock`, but not those of others.
    if (!wrapper.assigns && !wrapper.script) isOptions = false;
  }
  if (script !== undefined) return { kind: "text", text: script };
  const inner = words.slice(at);
  if (inner.length === 0)
    return wrapper.fed || assigned.length > 0 || at >= words.length ? { kind: "nothing" } : unclear("has no command");
  if (wrapper.text) {
    if (inner.some(({ literal }) => literal === undefined)) return unclear("runs a text that is computed");
    return { kind: "text", text: inner.map(({ literal }) => literal).join(" ") };
  }
  if (mark === undefined) return { kind: "words", words: inner, assigned };
  // Input replaces the mark of `xargs -I`, or follows the words.
  const replaced = inner.map((word) => (word.literal?.includes(mark) ? unknownWord(false) : word));
  return { kind: "words", words: [...replaced, unknownWord(true)], assigned };
}

/** `env -S` has rules of its own for quotes and variables, so only plain words are split here. */
function splitByEnv(script: string, rest: readonly ShellWord[]): Unwrapped | undefined {
  const texts = [script, ...rest.map(({ literal }) => literal)];
  const isPlain = texts.every(
    (text, index) => text !== undefined && (index === 0 ? /^[\w./=:@%+, -]+$/ : /^[\w./=:@%+,-]+$/).test(text),
  );
  return isPlain ? { kind: "text", text: texts.join(" ") } : undefined;
}

function splitOption(text: string): [string, string | undefined] {
  if (text.startsWith("--")) {
    const equals = text.indexOf("=");
    return equals < 0 ? [text, undefined] : [text.slice(0, equals), text.slice(equals + 1)];
  }
  return text.length > 2 ? [text.slice(0, 2), text.slice(2)] : [text, undefined];
}

/** Returns how many further words an option takes, or undefined if it is not known. */
function takeOption(
  text: string,
  { flags = "", values = "", longFlags = [], longValues = [] }: Wrapper,
): number | undefined {
  if (text.startsWith("--")) {
    const [name, value] = splitOption(text);
    if (longFlags.includes(name)) return 0;
    return longValues.includes(name) ? (value === undefined ? 1 : 0) : undefined;
  }
  // `nice -10` and `timeout -1`.
  if (/^-\d+$/.test(text)) return values.includes("n") ? 0 : undefined;
  for (let at = 1; at < text.length; at++) {
    const letter = text[at] ?? "";
    if (values.includes(letter)) return at === text.length - 1 ? 1 : 0;
    if (!flags.includes(letter)) return undefined;
  }
  return 0;
}
