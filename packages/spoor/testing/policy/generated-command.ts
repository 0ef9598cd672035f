import { readFileSync } from "node:fs";
import fc from "fast-check";

/** Programs of the generated commands. They do not exist: bash reports each one that it would start. */
const names = ["alpha", "beta", "gamma", "delta"];

/** Words with every kind of quoting and expansion. */
const words: string[] = JSON.parse(readFileSync(new URL("words.json", import.meta.url), "utf8"));
const plainWord = fc.constantFrom(...words);

const name = fc.oneof(
  { weight: 8, arbitrary: fc.constantFrom(...names) },
  {
    weight: 1,
    arbitrary: fc.constantFrom(
      "al''pha",
      "b\\eta",
      '"gamma"',
      "'delta'",
      "$'alpha'",
      "$'\\x62eta'",
      'ga"mm"a',
      "./alpha",
    ),
  },
  {
    weight: 1,
    arbitrary: fc.constantFrom(
      "X=1 alpha",
      "X=a Y=b beta",
      "command gamma",
      "exec delta",
      "builtin command alpha",
      "time beta",
      "! gamma",
    ),
  },
  {
    weight: 1,
    arbitrary: fc.constantFrom(
      "env alpha",
      "env X=1 beta",
      "timeout 5 gamma",
      "nice -n 1 delta",
      "nohup alpha",
      "xargs beta",
      "env -S 'gamma x'",
    ),
  },
);

const { command } = fc.letrec<{ command: string; simple: string; redirected: string; compound: string; word: string }>(
  (tie) => ({
    word: fc.oneof(
      { depthSize: "small" },
      { weight: 8, arbitrary: plainWord },
      { weight: 1, arbitrary: tie("command").map((inner) => `$(${inner})`) },
      { weight: 1, arbitrary: tie("command").map((inner) => `"$(${inner})"`) },
      { weight: 1, arbitrary: tie("simple").map((inner) => `\`${inner.replaceAll("`", "")}\``) },
      { weight: 1, arbitrary: tie("simple").map((inner) => `<(${inner})`) },
    ),
    simple: fc
      .tuple(name, fc.array(tie("word"), { maxLength: 3 }))
      .map(([first, words]) => [first, ...words].join(" ")),
    redirected: fc
      .tuple(
        tie("simple"),
        fc.constantFrom(
          "",
          "> out",
          ">> out",
          ">| out",
          "2> out",
          "&> out",
          "< in",
          "2>&1",
          "> out extra",
          "<<< here",
          "<<<'q'",
          "10> out",
          ">&2",
        ),
        fc.boolean(),
      )
      .map(([simple, redirect, isBefore]) => (isBefore ? `${redirect} ${simple}` : `${simple} ${redirect}`)),
    compound: fc.oneof(
      fc
        .tuple(
          tie("command"),
          fc.constantFrom(";", " && ", " || ", " | ", " |& ", "\n", " & ", ";\n", "; # c\n"),
          tie("command"),
        )
        .map((all) => all.join("")),
      tie("command").map((inner) => `(${inner})`),
      tie("command").map((inner) => `{ ${inner}; }`),
      tie("command").map((inner) => `if ${inner}; then beta; else gamma; fi`),
      tie("command").map((inner) => `for i in a b; do ${inner}; done`),
      tie("command").map((inner) => `for i in a b\ndo ${inner}\ndone`),
      tie("command").map((inner) => `case a in b) alpha;; a) ${inner};; esac`),
      tie("command").map((inner) => `f() { ${inner}; }; f x`),
      tie("command").map((inner) => `while ! beta; do ${inner}; break; done`),
      tie("command").map((inner) => `bash -c '${inner.replaceAll("'", "")}'`),
      tie("command").map((inner) => `[[ -n $(${inner}) ]] && delta`),
      tie("simple").map((inner) => `alpha <<EOF\nx $(${inner})\nEOF`),
      tie("simple").map((inner) => `alpha <<'EOF'\n$(${inner})\nEOF\nbeta`),
      tie("simple").map((inner) => `alpha <<-EOF | ${inner}\n\ttext\n\tEOF\ngamma`),
      fc.tuple(tie("simple"), tie("simple")).map(([one, two]) => `${one} \\\n ${two}`),
    ),
    command: fc.oneof({ depthSize: "small", withCrossShrink: true }, tie("redirected"), tie("simple"), tie("compound")),
  }),
);

const noise = fc.constantFrom(
  ...`'"\\$\`(){};&|<>#*?~!=[] \n\t,-x`.split(""),
  "$(",
  "<(",
  "<<",
  "&&",
  "||",
  ";;",
  "\\\n",
  "$'",
  '$"',
  "${",
  "}",
);

/** Makes shell texts: well-formed ones of every construct, and ones with random damage, on which readers disagree most. */
export const generatedCommand: fc.Arbitrary<string> = fc.oneof(
  command,
  fc
    .tuple(command, fc.array(fc.tuple(fc.nat(), noise, fc.boolean()), { minLength: 1, maxLength: 3 }))
    .map(([text, damage]) =>
      damage.reduce((found, [place, piece, removes]) => {
        const at = place % (found.length + 1);
        return found.slice(0, at) + piece + found.slice(at + (removes ? 1 : 0));
      }, text),
    ),
);
