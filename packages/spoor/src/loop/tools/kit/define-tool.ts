import { type Static, type TObject, type TProperties, Type } from "@sinclair/typebox";
import { ArtifactError, PatchRefused } from "../../../runtime/artifacts/errors.ts";
import type { LoopTool, ToolResult } from "../tool.ts";

/** A tool that comes with Spoor, with what its documentation says. */
export interface BuiltInTool<Input extends TObject = TObject> extends LoopTool<Input> {
  readonly about: {
    /** What it does, for people. */
    does: string;
    /** Sizes, counts and times beyond which it stops. */
    limits: string;
    /** Which rules judge a call. */
    rules: string;
  };
}

/** Says why a call cannot be done, and what to do instead. The model reads it. */
export class ToolProblem extends Error {
  override readonly name = "ToolProblem";
  readonly outcome: ToolResult["outcome"];

  constructor(message: string, outcome?: ToolResult["outcome"]) {
    super(message);
    this.outcome = outcome;
  }
}

/** Makes a tool whose problems become results that the model reads. */
export function defineTool<Input extends TObject>(tool: BuiltInTool<Input>): BuiltInTool<Input> {
  return {
    ...tool,
    async run(input, context) {
      try {
        return await tool.run(input, context);
      } catch (error) {
        if (context.signal.aborted) return failed(new ToolProblem("The call was cancelled.", "cancelled"));
        return failed(problemOf(error));
      }
    },
    ...(tool.describe && {
      async describe(input, place) {
        try {
          return (await tool.describe?.(input, place)) ?? plainQuestion(tool, input);
        } catch (error) {
          const question = plainQuestion(tool, input);
          return { ...question, detail: `${question.detail}\nIt would fail: ${problemOf(error).message}` };
        }
      },
    }),
  };
}

/** The schema of an input. Fields that it does not name are refused, because a misspelt option must not be ignored. */
export const inputOf = <Properties extends TProperties>(properties: Properties): TObject<Properties> =>
  Type.Object(properties, { additionalProperties: false });

/** The failure as a result. */
export const failed = ({ message, outcome = "failed" }: ToolProblem): ToolResult => ({
  // The model reads the error.
  output: "",
  summary: message.split("\n", 1)[0]?.slice(0, 200) ?? "",
  error: message,
  outcome,
});

/** Explains an error to the model. Errors that say nothing about the request are thrown again. */
export function problemOf(error: unknown): ToolProblem {
  if (error instanceof ToolProblem) return error;
  if (error instanceof PatchRefused) return new ToolProblem(`${JSON.stringify(error.path)} is refused: ${error.why}.`);
  if (error instanceof ArtifactError) return new ToolProblem(error.message);
  const { code, syscall, path } = error as NodeJS.ErrnoException;
  if (code === undefined || syscall === undefined) throw error;
  const what = meanings[code] ?? `${syscall} failed with ${code}`;
  return new ToolProblem(path === undefined || path.startsWith("/proc/") ? `${what}.` : `${what}: ${path}`);
}

const meanings: Readonly<Record<string, string>> = {
  EACCES: "The system does not permit it",
  EPERM: "The system does not permit it",
  EROFS: "The file system is read-only",
  ENOSPC: "The disk is full",
  EDQUOT: "The disk quota is used up",
  EISDIR: "It is a folder",
  ENOTDIR: "A part of the path is not a folder",
  ENAMETOOLONG: "The name is too long",
  EMFILE: "Too many files are open; try again",
  ENOENT: "There is no such file or folder",
};

const plainQuestion = <Input extends TObject>({ name }: LoopTool<Input>, input: Static<Input>) => ({
  summary: name,
  detail: JSON.stringify(input),
});
