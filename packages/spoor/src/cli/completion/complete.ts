import type { Argument, Command, Option } from "commander";
import { type Candidate, namesOf } from "./names.ts";

/** Returns what can stand in the place of the last of these words, which follow `spoor`. */
export async function complete(program: Command, words: readonly string[]): Promise<Candidate[]> {
  const current = words.at(-1) ?? "";
  const { command, argument, waiting, data } = read(program, words.slice(0, -1));
  const [flag, given] = splitFlag(current);
  const option = waiting ?? (given === undefined ? undefined : optionOf(command, flag));
  if (option) {
    const found = await valuesOf(option.argChoices, nameIn(option), data);
    const start = waiting ? "" : `${flag}=`;
    return matching(
      found.map(({ value, about }) => ({ value: `${start}${value}`, about })),
      current,
    );
  }
  if (current.startsWith("-")) return matching([...command.options.filter(isShown).map(ofOption), HELP], current);
  const inner = argument === 0 ? commandsOf(command) : [];
  const place = argumentAt(command, argument);
  const values = place ? await valuesOf(place.argChoices, place.name(), data) : [];
  return matching([...inner, ...values], current);
}

interface Reading {
  command: Command;
  /** Which argument comes next. */
  argument: number;
  /** The flag whose value comes next. */
  waiting?: Option | undefined;
  data?: string;
}

/** Reads the words before the one that is completed. */
function read(program: Command, words: readonly string[]): Reading {
  const reading: Reading = { command: program, argument: 0 };
  for (const word of words) {
    const { command, waiting } = reading;
    if (waiting) {
      if (waiting.long === "--data") reading.data = word;
      reading.waiting = undefined;
      continue;
    }
    if (word.startsWith("-") && word.length > 1) {
      const [flag, value] = splitFlag(word);
      const option = optionOf(command, flag);
      if (option?.long === "--data" && value !== undefined) reading.data = value;
      if (option?.required && value === undefined) reading.waiting = option;
      continue;
    }
    const inner = reading.argument === 0 ? command.commands.find((each) => each.name() === word) : undefined;
    if (inner) Object.assign(reading, { command: inner, argument: 0 });
    else reading.argument += 1;
  }
  return reading;
}

const optionOf = (command: Command, flag: string): Option | undefined =>
  command.options.find(({ long, short }) => flag === long || flag === short);

function splitFlag(word: string): [flag: string, value?: string] {
  const at = word.startsWith("--") ? word.indexOf("=") : -1;
  return at === -1 ? [word] : [word.slice(0, at), word.slice(at + 1)];
}

/** The last argument may be given several times. */
function argumentAt({ registeredArguments }: Command, index: number): Argument | undefined {
  const last = registeredArguments.at(-1);
  return registeredArguments[index] ?? (last?.variadic ? last : undefined);
}

const commandsOf = (command: Command): Candidate[] =>
  command.commands
    .filter((each) => !(each as Command & { _hidden?: boolean })._hidden)
    .map((each) => ({ value: each.name(), about: each.summary() || each.description() }));

const HELP: Candidate = { value: "--help", about: "display help for command" };
const isShown = ({ hidden, long }: Option): boolean => !hidden && long != null;
const ofOption = ({ long, description }: Option): Candidate => ({ value: long ?? "", about: description });

/** What a flag is about: the word of its placeholder, or of the flag itself. `<name>` may be the name of anything. */
function nameIn({ long, flags }: Option): string {
  const placeholder = /[<[]([\w-]+)/.exec(flags)?.[1] ?? "";
  if (long === "--agent" || long === "--task") return long.slice(2);
  return placeholder === "name" ? "" : placeholder;
}

const valuesOf = async (choices: readonly string[] | undefined, name: string, data: string | undefined) =>
  choices ? choices.map((value) => ({ value, about: "" })) : namesOf(name, data);

const matching = (candidates: readonly Candidate[], current: string): Candidate[] =>
  candidates
    .filter(({ value }) => value.toLowerCase().startsWith(current.toLowerCase()))
    .map(({ value, about }) => ({ value, about: oneLine(about) }));

const oneLine = (text: string): string =>
  (text.split("\n", 1)[0] ?? "")
    .replaceAll(/[\p{Cc}\p{Cf}]/gu, " ")
    .slice(0, 60)
    .toWellFormed();
