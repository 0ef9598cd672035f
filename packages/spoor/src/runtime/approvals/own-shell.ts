/** Agents that ask about the command line of their own shell (`/bin/bash -lc '…'`), not about the command in it. */
const wrapping: ReadonlySet<string> = new Set(["codex", "codex-acp"]);

/**
 * The command that the model gave, without the shell that the agent itself puts around it. Only one layer is removed, and
 * only if the line is exactly a shell, `-c` or `-lc`, and one word. Otherwise the line is returned as it is.
 */
export function withoutOwnShell(line: string, agent: string): string {
  if (!wrapping.has(agent)) return line;
  const [, quoted] = /^(?:\/(?:\w+\/)*)?(?:ba|z)?sh -l?c (.+)$/s.exec(line) ?? [];
  return (quoted === undefined ? undefined : oneWord(quoted)) ?? line;
}

/** The value of a single shell word. Undefined if there are several words, or if the shell would expand something in it. */
function oneWord(text: string): string | undefined {
  let value = "";
  for (let at = 0; at < text.length; ) {
    const [part, single, double, escaped, plain] = PART.exec(text.slice(at)) ?? [];
    if (part === undefined) return undefined;
    value += single ?? double?.replace(/\\([$`"\\])/g, "$1") ?? escaped ?? plain ?? "";
    at += part.length;
  }
  return value;
}

/** One quoted or plain piece of a word. Inside double quotes nothing may be expanded. */
const PART = /^(?:'([^']*)'|"((?:[^"$`\\]|\\[^\n])*)"|\\([^\n])|([\w@%+=:,./-]+))/s;
