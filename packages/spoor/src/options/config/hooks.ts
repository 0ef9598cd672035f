import type { Problem } from "../../failures/errors.ts";
import { isObject } from "../checks.ts";

const hookEvents = ["PreToolUse", "PostToolUse"] as const;
/** When a hook runs: before a call, or after its end. */
export type HookEvent = (typeof hookEvents)[number];

/** A program that the user runs before or after calls. */
export interface Hook {
  /** A list is started as it is, without a shell. A text is given to `sh -c`, because the user wrote it for a shell. */
  command: string | readonly string[];
  /** Only for tools whose name fits; `*` is any text. Default: all tools. */
  tool?: string;
}

/** The hooks of the user's configuration. No other file can define hooks, because they start programs. */
export type Hooks = Readonly<Partial<Record<HookEvent, readonly Hook[]>>>;

/** Returns everything that is wrong with `hooks` of a configuration. */
export function hookProblems(value: unknown): Problem[] {
  const example = '{"PreToolUse": [{"command": ["node", "/path/check.mjs"], "tool": "Bash"}]}';
  if (!isObject(value)) return [{ field: "hooks", message: `hooks must be an object such as ${example}.` }];
  return Object.entries(value).flatMap(([event, list]): Problem[] => {
    const field = `hooks.${event}`;
    if (!(hookEvents as readonly string[]).includes(event))
      return [{ field, message: `${field} is not known. Hooks are PreToolUse and PostToolUse.` }];
    if (!Array.isArray(list)) return [{ field, message: `${field} must be a list such as ${example}.` }];
    return list.flatMap((hook: unknown, index) =>
      isHook(hook)
        ? []
        : [
            {
              field: `${field}[${index}]`,
              message: `${field}[${index}] must have a command, as text or as a list of words, and may have a tool: ${example}`,
            },
          ],
    );
  });
}

function isHook(value: unknown): value is Hook {
  if (!isObject(value) || Object.keys(value).some((key) => key !== "command" && key !== "tool")) return false;
  const { command, tool } = value;
  const isText = (one: unknown): boolean => typeof one === "string" && one !== "" && !one.includes("\0");
  const isCommand = Array.isArray(command) ? command.length > 0 && command.every(isText) : isText(command);
  return isCommand && (tool === undefined || isText(tool));
}
