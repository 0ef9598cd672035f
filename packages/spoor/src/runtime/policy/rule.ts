import { isIP } from "node:net";
import { ANY, type Glob, type GlobToken, globOf, NAME } from "./glob.ts";
import { type Decision, type RuleSource, type Subject, subjects } from "./types.ts";

/** One rule. Shell patterns are one list of words; those of the other subjects are alternatives. */
export interface Rule {
  action: Decision | "rewrite";
  /** No other layer can loosen it. */
  always: boolean;
  subject: Subject;
  patterns: readonly PatternWord[];
  /** The patterns as they are written, for the comparison with an exact command. */
  written: string;
  /** Accepts the agents that the rule is about. */
  agent?: readonly Glob[];
  /** The model that a `rewrite` rule puts in place. */
  to?: string;
  text: string;
  source: RuleSource;
  line: number;
}

/** One word of a pattern. `rest` accepts any number of words, `alternatives` one word. */
export interface PatternWord {
  text: string;
  rest: boolean;
  alternatives: readonly Glob[];
}

export interface ParsedRules {
  rules: readonly Rule[];
  /** One sentence for each line that is not a rule, with its place and what to write instead. */
  problems: readonly string[];
}

/** Parses lines of rules. `place` names the file in problems. */
export function parseRules(text: string, source: RuleSource, place: string): ParsedRules {
  const rules: Rule[] = [];
  const problems: string[] = [];
  for (const [index, line] of text
    .replace(/^\uFEFF/, "")
    .split(/\r?\n/)
    .entries()) {
    try {
      for (const words of splitLine(line)) rules.push(parseRule(words, source, index + 1));
    } catch (error) {
      if (!(error instanceof RuleProblem)) throw error;
      problems.push(`${place}:${index + 1}: ${error.message}`);
    }
  }
  return { rules, problems };
}

class RuleProblem extends Error {}

function parseRule(words: readonly RuleWord[], source: RuleSource, line: number): Rule {
  const text = words.map(({ raw }) => raw).join(" ");
  const rest = [...words];
  const always = rest[0]?.raw === "always";
  if (always) rest.shift();
  const action = rest.shift()?.raw ?? "";
  if (always && action !== "block") {
    throw new RuleProblem(`Only a block can hold always. Write \`always block …\` instead of \`always ${action}\`.`);
  }
  if (!isAction(action)) {
    throw new RuleProblem(
      `"${action}" is not an action. Begin the line with allow, ask, block, always block or rewrite model.`,
    );
  }
  const subject = rest.shift()?.raw ?? "";
  if (!isSubject(subject)) {
    throw new RuleProblem(
      `"${subject}" is not a subject. Write one of ${subjects.join(", ")} after ${action}, such as \`${action} shell git push **\`.`,
    );
  }
  const keys = takeKeys(rest, subject);
  if (rest.length === 0) {
    throw new RuleProblem(`The rule has no pattern. Write \`${action} ${subject} **\` to cover everything.`);
  }
  const { agent, to } = keys;
  if (action === "rewrite" && (subject !== "model" || to === undefined)) {
    throw new RuleProblem("A rewrite names a model and its replacement. Write `rewrite model gpt-5 to=gpt-5-mini`.");
  }
  if (action !== "rewrite" && to !== undefined) {
    throw new RuleProblem("Only `rewrite model` takes to=. Remove it, or write `rewrite model gpt-5 to=gpt-5-mini`.");
  }
  const patterns = rest.map(({ tokens, raw }) => patternWord(tokens, raw));
  if (subject === "host") for (const { text: one } of patterns) checkRange(one);
  const written = rest.map(({ raw }) => raw).join(" ");
  return {
    action,
    always,
    subject,
    patterns,
    written,
    ...(agent && { agent: patternWord(agent.tokens.slice("agent=".length), agent.raw).alternatives }),
    ...(to && {
      to: to.tokens
        .slice("to=".length)
        .map(({ char }) => char)
        .join(""),
    }),
    text,
    source,
    line,
  };
}

function checkRange(pattern: string): void {
  const [network = "", bits, ...more] = pattern.split("/");
  const most = { 4: 32, 6: 128 }[isIP(network)] ?? -1;
  if (bits === undefined || (more.length === 0 && /^\d{1,3}$/.test(bits) && Number(bits) <= most)) return;
  throw new RuleProblem(
    `"${pattern}" is not a range of addresses. Write a host, host:port, or a range such as 10.0.0.0/8.`,
  );
}

const isAction = (word: string): word is Rule["action"] => ["allow", "ask", "block", "rewrite"].includes(word);
const isSubject = (word: string): word is Subject => (subjects as readonly string[]).includes(word);

/** Removes the `key=value` words at the end. A quoted word is never a key. */
function takeKeys(rest: RuleWord[], subject: Subject): { agent?: RuleWord; to?: RuleWord } {
  const keys: { agent?: RuleWord; to?: RuleWord } = {};
  for (;;) {
    const last = rest.at(-1);
    const key = /^([a-z]+)=(.*)$/.exec(last?.raw ?? "");
    if (last === undefined || key === null) return keys;
    const [, name = "", value] = key;
    if (name !== "agent" && name !== "to") {
      // Words such as CC=gcc are a part of a command.
      if (subject === "shell" || subject === "git") return keys;
      throw new RuleProblem(
        `"${name}=" is not a key. The keys are agent= and, for \`rewrite model\`, to=. Quote the word if it is a pattern.`,
      );
    }
    if (value === "") throw new RuleProblem(`${name}= has no value. Write \`${name}=…\` without a space.`);
    keys[name] = last;
    rest.pop();
  }
}

interface RuleWord {
  raw: string;
  tokens: readonly { char: string; quoted: boolean }[];
}

/** Splits a line into rules and words. Quotes and backslashes make spaces, wildcards, `;` and `#` ordinary. */
function splitLine(line: string): RuleWord[][] {
  const found: RuleWord[][] = [[]];
  let word: { raw: string; tokens: { char: string; quoted: boolean }[] } | undefined;
  let quote = "";
  const end = (): void => {
    if (word !== undefined) found.at(-1)?.push(word);
    word = undefined;
  };
  const chars = [...line];
  for (let at = 0; at < chars.length; at++) {
    const char = chars[at] ?? "";
    // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what it looks for.
    if (/[\u0000-\u0008\u000b-\u001f\u007f]/.test(char)) {
      throw new RuleProblem("The line has a control character. Remove it, and write only text, spaces and tabs.");
    }
    if (quote === "" && /\s/.test(char)) end();
    else if (quote === "" && char === ";") {
      end();
      found.push([]);
    } else if (quote === "" && char === "#" && word === undefined) break;
    else {
      word ??= { raw: "", tokens: [] };
      word.raw += char;
      if (char === quote) quote = "";
      else if (quote === "" && (char === '"' || char === "'")) quote = char;
      else if (char === "\\" && quote !== "'") {
        at += 1;
        const next = chars[at];
        if (next === undefined)
          throw new RuleProblem("The line ends with a backslash. Remove it; a rule is on one line.");
        word.raw += next;
        word.tokens.push({ char: next, quoted: true });
      } else word.tokens.push({ char, quoted: quote !== "" });
    }
  }
  if (quote !== "") throw new RuleProblem(`A ${quote} is not closed. Add the closing quote, or write \\${quote}.`);
  end();
  return found.filter((words) => words.length > 0);
}

function patternWord(tokens: RuleWord["tokens"], raw: string): PatternWord {
  const rest = tokens.length === 2 && tokens.every(({ char, quoted }) => char === "*" && !quoted);
  return { text: raw, rest, alternatives: expandBraces(tokens).map(toGlob) };
}

function expandBraces(tokens: RuleWord["tokens"]): RuleWord["tokens"][] {
  const open = tokens.findIndex(({ char, quoted }) => char === "{" && !quoted);
  if (open < 0) return [tokens];
  const commas = [open];
  let depth = 0;
  for (let at = open; at < tokens.length; at++) {
    const { char, quoted } = tokens[at] ?? { char: "", quoted: true };
    if (quoted) continue;
    if (char === "{") depth += 1;
    if (char === "," && depth === 1) commas.push(at);
    if (char === "}") depth -= 1;
    if (depth > 0) continue;
    const ends = [...commas.slice(1), at];
    const choices = commas.map((start, index) => tokens.slice(start + 1, ends[index]));
    const expanded = choices.flatMap((choice) =>
      expandBraces([...tokens.slice(0, open), ...choice, ...tokens.slice(at + 1)]),
    );
    if (expanded.length > 256) throw new RuleProblem("The braces make more than 256 words. Write several rules.");
    return expanded;
  }
  throw new RuleProblem("A { is not closed. Write {a,b}, or quote the brace.");
}

function toGlob(tokens: RuleWord["tokens"]): Glob {
  const glob: GlobToken[] = [];
  for (const [at, { char, quoted }] of tokens.entries()) {
    if (quoted || char !== "*") glob.push(...globOf(char));
    else if (glob.at(-1) === ANY && tokens[at - 1]?.char === "*") continue;
    else if (tokens[at + 1]?.char === "*" && !tokens[at + 1]?.quoted) glob.push(ANY);
    else glob.push(NAME);
  }
  return glob;
}
