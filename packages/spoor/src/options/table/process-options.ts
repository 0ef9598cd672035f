import { anyText, callback, either, expecting, flag, listOf, mapOf, matching, oneOf, text } from "../checks.ts";
import type { OptionRow } from "../option-row.ts";

/** How Spoor starts the agent's process and talks to it, and what the program that started the run receives. */
export const processOptions = {
  stream: {
    doc:
      "`true` refuses dialects that cannot stream text, `false` reports each text in one piece, `auto` (the default) " +
      "streams where the agent does.",
    check: oneOf("auto", true, false),
    scope: "shared",
    flag: {
      name: "--stream <mode>",
      help: "deliver text while the agent writes it (true), in one piece (false), or as the agent does it (default: auto)",
      reads: "choice",
    },
  },
  dialect: {
    doc: "The dialect to talk to the agent in; when absent, the agent's best one that supports what this run asks for.",
    check: text,
    scope: "shared",
    flag: {
      name: "--dialect <name>",
      help: "the dialect to talk to the agent in; `spoor agents <name>` lists them",
      reads: "text",
    },
  },
  command: {
    doc: "The agent's program and its first arguments, if it is not on the PATH under its own name.",
    check: either(text, listOf(text, "a program, or a list of a program and its first arguments")),
    scope: "shared",
    needsTrust: true,
    flag: {
      name: "--command <line>",
      help: 'the agent\'s program with its first arguments, when it is not on the PATH under its own name. Example: --command "npx claude"',
      reads: "words",
    },
  },
  environmentMode: {
    doc:
      "`inherit` (the default) passes `environment` on as a shell would, without Spoor's own variables and the variables " +
      "by which an outer agent marks its commands. `clean` passes on only what programs need to run, what the agent is " +
      "known to need, and what `passEnv` names.",
    check: oneOf("inherit", "clean"),
    scope: "shared",
    needsTrust: (value) => value === "inherit",
    flag: {
      name: "--clean-env",
      help: "pass to the agent only the variables that it is known to need and those that --env names",
      reads: "switch",
      toOption: () => "clean",
    },
  },
  passEnv: {
    doc: "Names of environment variables to pass on although the agent would not receive them otherwise.",
    check: listOf(matching(/^(?!\*$)[^\s=]+$/, "the name of a variable")),
    scope: "shared",
    needsTrust: true,
    flag: {
      name: "--env <name>",
      help: "pass this environment variable to the agent even with --clean-env; Spoor's own secrets are never passed; repeat it for further variables",
      reads: "variables",
    },
  },
  env: {
    doc: "Environment variables to set for the agent. They replace those of `environment`.",
    check: mapOf(anyText),
    scope: "shared",
    needsTrust: true,
    merge: "keys",
    noFlag: "values on a command line are visible to other users; --env passes a variable on by name",
  },
  environment: {
    doc: "The environment the agent's variables are taken from; `process.env` when absent.",
    check: mapOf(expecting("text", (value) => value === undefined || typeof value === "string", "string | undefined")),
    scope: "run",
    noFlag: "it is the environment of the command itself",
  },
  runId: {
    doc: "The id of the run, a ULID. Generated when absent.",
    check: matching(/^[0-7][0-9A-HJKMNP-TV-Z]{25}$/, "a ULID"),
    scope: "run",
    noFlag: "the command line generates one",
  },
  tags: {
    doc: "Your own labels, which are copied to the result.",
    check: listOf(text),
    scope: "shared",
    noFlag: "only programs read the result that carries them",
  },
  collectEvents: {
    doc: "Whether the result holds all events of the run.",
    check: flag,
    scope: "shared",
    noFlag: "the command line prints the events",
  },
  snapshots: {
    doc:
      "Whether a recorded run looks for the files that its calls change, also those of shell commands, and keeps each " +
      "change as a patch. Default: true.",
    check: flag,
    scope: "shared",
    needsTrust: (value) => value === false,
    flag: {
      name: "--no-snapshots",
      help: "do not look for the files that the agent changes; by default every change is kept as a patch",
      reads: "switch",
      toOption: () => false,
    },
  },
  onApprovalRequest: {
    doc: "Decides about an action that needs permission. If it throws, the action is refused.",
    check: callback("ApprovalCallback"),
    scope: "run",
    noFlag: "the command line asks in the terminal",
  },
  onInputRequired: {
    doc: "Answers a question of the agent in words. If it throws, the question is refused.",
    check: callback("InputCallback"),
    scope: "run",
    noFlag: "the command line asks in the terminal",
  },
} satisfies Readonly<Record<string, OptionRow>>;
