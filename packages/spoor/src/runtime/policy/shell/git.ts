import type { CommandContext } from "./command-context.ts";
import { optionValues, usesOption } from "./options.ts";
import { type ShellWord, wordOf } from "./word.ts";

const flags = new Set(
  "-p --paginate -P --no-pager --no-replace-objects --bare --literal-pathspecs --glob-pathspecs --noglob-pathspecs --icase-pathspecs --no-optional-locks --version --help -v -h --html-path --man-path --info-path --no-advice".split(
    " ",
  ),
);
const values = new Set([
  "-C",
  "--git-dir",
  "--work-tree",
  "--namespace",
  "--super-prefix",
  "--list-cmds",
  "--attr-source",
]);

/** Settings that only change how git looks. All others can run commands or move files. */
const harmlessSetting =
  /^(color\.|core\.(quotepath|abbrev|precomposeunicode|ignorecase)$|user\.(name|email)$|advice\.|log\.|status\.|init\.defaultbranch$|column\.)/i;

/** Options of subcommands that run a command or load settings. */
const runs = [
  "--ext-diff",
  "--textconv",
  "--upload-pack",
  "--receive-pack",
  "--exec",
  "--open-files-in-pager",
  "--config",
  "--config-env",
  "--template",
  "--separate-git-dir",
  "--extcmd",
  "--tool",
  "--smtp-server",
  "--sendmail-cmd",
  "--to-cmd",
  "--cc-cmd",
  "--run",
  "--strategy",
  "--gpg-sign",
  "--trailer",
];

/** Subcommands that run commands of their own. */
const opaqueSubcommands =
  /^(filter-branch|filter-repo|difftool|mergetool|send-email|instaweb|web--browse|gui|citool|daemon|shell|upload-pack|receive-pack|fast-import|hook|credential|maintenance|p4|svn|cvsimport|sh-setup)$/;

/** Reads git's own options. Returns the words without them, so that `git -C x push` is known as `git push`. */
export function readGit(args: readonly ShellWord[], context: CommandContext): readonly ShellWord[] {
  const { parts, text } = context;
  let at = 0;
  for (; at < args.length; at++) {
    const literal = args[at]?.literal;
    if (literal === undefined) {
      parts.opaque(text, "What `git` does is computed.");
      return args.slice(at);
    }
    if (!literal.startsWith("-")) break;
    const [name = "", attached] = literal.startsWith("--") ? literal.split("=", 2) : [literal];
    if (literal.startsWith("-c") || name === "--config-env") {
      const setting =
        literal === "-c" || (name === "--config-env" && attached === undefined)
          ? args[++at]?.literal
          : literal.slice(literal.startsWith("-c") ? 2 : name.length + 1);
      if (setting === undefined || !harmlessSetting.test(setting) || name === "--config-env")
        parts.opaque(text, `\`git -c ${setting?.split("=")[0] ?? "…"}\` can run commands.`);
    } else if (values.has(name)) {
      const folder = attached === undefined ? args[++at] : wordOf(attached);
      if (name === "-C" || name === "--work-tree") {
        if (folder) parts.add({ kind: "folder", text, word: folder });
      } else if (name === "--git-dir") parts.opaque(text, "`git --git-dir` uses the settings of another repository.");
    } else if (!flags.has(name)) parts.opaque(text, `\`git ${name}\` can run commands, or is not known here.`);
  }
  const rest = args.slice(at);
  readSubcommand(rest, context);
  return rest;
}

function readSubcommand([first, ...args]: readonly ShellWord[], context: CommandContext): void {
  const { parts, text, depth } = context;
  const name = first?.literal ?? "";
  if (opaqueSubcommands.test(name)) parts.opaque(text, `\`git ${name}\` can run commands.`);
  const used = usesOption(
    args.filter(({ many, literal }) => many || literal !== undefined),
    runs,
  );
  if (used !== undefined)
    parts.opaque(
      text,
      used === ""
        ? "An option of `git` may be computed, and some run commands."
        : `\`git ${name} ${used}\` can run commands.`,
    );
  if (args.some(({ literal }) => /^(ext|fd)::/.test(literal ?? "")))
    parts.opaque(text, "Addresses with `ext::` run commands.");
  const short: Record<string, readonly string[]> = {
    grep: ["-O"],
    rebase: ["-x"],
    clone: ["-c", "-u"],
    archive: ["--remote"],
    difftool: ["-x"],
    fetch: ["-u"],
  };
  const usedShort = Object.hasOwn(short, name)
    ? usesOption(
        args.filter(({ literal }) => literal !== undefined),
        short[name] ?? [],
      )
    : undefined;
  if (usedShort) parts.opaque(text, `\`git ${name} ${usedShort}\` can run commands.`);
  if (
    name === "config" &&
    !args.some(({ literal }) => /^(--get\S*|--list|-l|get|list|--show-\S+)$/.test(literal ?? ""))
  ) {
    const isGlobal = args.some(({ literal }) => literal === "--global" || literal === "--system");
    parts.add({ kind: "write", text, word: wordOf(isGlobal ? "~/.gitconfig" : ".git/config"), weight: "full" });
  }
  const isRun =
    (name === "bisect" && args[0]?.literal === "run") ||
    (name === "submodule" && args.some(({ literal }) => literal === "foreach"));
  if (isRun) {
    const start = args.findIndex(({ literal }) => literal === "run" || literal === "foreach") + 1;
    const inner = args.slice(start).filter(({ literal }) => literal !== "--recursive" && literal !== "--quiet");
    if (inner.some(({ literal }) => literal === undefined))
      parts.opaque(text, `What \`git ${name}\` runs is computed.`);
    else context.readText(inner.map(({ literal }) => literal).join(" "), depth + 1, context.fed);
  }
  for (const word of optionValues(args, name === "commit" || name === "push" ? ["--output"] : ["--output", "-o"]))
    parts.add({
      kind: "write",
      text,
      word,
      weight:
        name === "format-patch" || name === "archive" || !["log", "diff", "show"].includes(name) ? "rules" : "full",
    });
}
