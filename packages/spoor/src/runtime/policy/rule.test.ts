import { describe, expect, it } from "vitest";
import { parseRules } from "./rule.ts";

const parse = (text: string) => parseRules(text, "user", "policy.rules");

describe("a file of rules", () => {
  it("has one rule on a line, several with semicolons, comments and empty lines", () => {
    const { rules, problems } = parse(
      "# mine\n\nalways block write **/.git/** ~/.ssh/** .env*   # no later layer can loosen it\nallow shell git {status,diff} **\r\nblock shell rm -rf /** ; block host 169.254.0.0/16 localhost:*\nrewrite model gpt-5 to=gpt-5-mini\n",
    );
    expect(problems).toEqual([]);
    expect(
      rules.map(({ action, always, subject, line, patterns }) => [action, always, subject, line, patterns.length]),
    ).toEqual([
      ["block", true, "write", 3, 3],
      ["allow", false, "shell", 4, 3],
      ["block", false, "shell", 5, 3],
      ["block", false, "host", 5, 2],
      ["rewrite", false, "model", 6, 1],
    ]);
  });

  it("takes spaces, wildcards, # and ; literally in quotes and after a backslash", () => {
    const { rules, problems } = parse(`allow shell echo "a # b; c" 'x*' \\* a#b`);
    expect(problems).toEqual([]);
    expect(rules[0]?.patterns.map(({ alternatives: [one] }) => one?.join(""))).toEqual([
      "echo",
      "a # b; c",
      "x*",
      "*",
      "a#b",
    ]);
  });

  it("reads keys at the end, and quoted words that look like keys as patterns", () => {
    const { rules } = parse('ask write ** agent=claude\nblock shell make "agent=x"\nblock shell make CC=gcc');
    expect(rules.map(({ agent, patterns }) => [agent !== undefined, patterns.length])).toEqual([
      [true, 1],
      [false, 2],
      [false, 2],
    ]);
  });

  it.each([
    ["alow shell ls", '"alow" is not an action. Begin the line with allow'],
    ["allow", '"" is not a subject. Write one of shell'],
    ["allow shel ls", '"shel" is not a subject. Write one of shell'],
    ["allow shell", "The rule has no pattern. Write `allow shell **`"],
    ["always allow shell ls", "Write `always block …` instead of `always allow`"],
    ["rewrite model gpt-5", "Write `rewrite model gpt-5 to=gpt-5-mini`"],
    ["rewrite shell ls to=x", "Write `rewrite model gpt-5 to=gpt-5-mini`"],
    ["allow shell ls to=x", "Only `rewrite model` takes to="],
    ["allow read ** agnt=x", '"agnt=" is not a key'],
    ["allow read ** agent=", "agent= has no value"],
    ['allow shell "ls', 'A " is not closed'],
    ["allow shell ls {a,b", "A { is not closed"],
    ["allow shell ls \\", "ends with a backslash"],
    ["allow shell ls\u0007", "control character"],
    ["block host 10.0.0.0/33", '"10.0.0.0/33" is not a range of addresses'],
    [`allow shell ${"{a,b}".repeat(9)}`, "more than 256 words"],
  ])("says what is wrong with %j, where, and what to write instead", (line, message) => {
    const { rules, problems } = parse(`allow shell ls **\n${line}`);
    expect(problems).toEqual([expect.stringContaining(message)]);
    expect(problems[0]).toMatch(/^policy\.rules:2: /);
    expect(rules).toHaveLength(1);
  });
});
