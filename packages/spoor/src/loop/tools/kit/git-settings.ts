import { runGit } from "../../../runtime/workspace/git-program.ts";
import { ToolProblem } from "./define-tool.ts";

/** Variables that keep git from asking, paging, editing and reading settings outside the repository. */
export const quietVariables: Readonly<Record<string, string>> = {
  GIT_TERMINAL_PROMPT: "0",
  GIT_ASKPASS: "false",
  SSH_ASKPASS: "false",
  GIT_SSH_COMMAND: "ssh -o BatchMode=yes",
  GIT_PAGER: "cat",
  GIT_EDITOR: ":",
  GIT_SEQUENCE_EDITOR: ":",
  GIT_CONFIG_NOSYSTEM: "1",
  GIT_CONFIG_GLOBAL: "/dev/null",
  GIT_MERGE_AUTOEDIT: "no",
};

/** Settings with which git runs no program of the repository's choice. */
const SETTINGS = [
  "core.hooksPath=/dev/null",
  "core.fsmonitor=false",
  "core.askPass=",
  "credential.helper=",
  "protocol.ext.allow=never",
  "commit.gpgSign=false",
  "tag.gpgSign=false",
  "log.showSignature=false",
  "gpg.program=false",
  "gpg.ssh.program=false",
  "gpg.x509.program=false",
  "gc.auto=0",
  "maintenance.auto=false",
];

/** Settings of a repository that name a program. If one is set, it is made empty for our command. */
const PROGRAMS =
  /^(diff\.external|diff\..*\.(command|textconv)|filter\..*\.(clean|smudge|process)|merge\..*\.driver|alias\.|trailer\..*\.(command|cmd)|tar\..*\.command|remote\..*\.(uploadpack|receivepack|vcs|proxy)|submodule\..*\.update|interactive\.difffilter|credential\.|core\.(gitproxy|alternaterefscommand|sshcommand|editor|pager)|uploadpack\.|receive\.|(difftool|mergetool|browser|man|guitool)\.)/i;

/** Subcommands that show changes, and can run programs to do so unless they are told not to. */
const SHOWING = new Set([
  "diff",
  "log",
  "show",
  "format-patch",
  "whatchanged",
  "diff-tree",
  "diff-index",
  "diff-files",
]);

/** Subcommands in which nothing but git itself runs. */
const PLAIN = new Set(
  (
    "add am apply archive blame branch cat-file checkout cherry cherry-pick clean commit count-objects describe diff " +
    "diff-files diff-index diff-tree fetch for-each-ref format-patch fsck gc grep hash-object init log ls-files ls-remote " +
    "ls-tree merge merge-base mv notes pack-refs prune pull push range-diff read-tree rebase reflog remote reset restore " +
    "rev-list rev-parse revert rm shortlog show show-ref sparse-checkout stash status switch symbolic-ref tag update-index " +
    "update-ref verify-commit whatchanged worktree write-tree"
  ).split(" "),
);

/** Options that run a program, also as git abbreviates them. */
const RUNNING =
  /^(-x|--exec|--ex|--upload-pack|--receive-pack|--up|--rece|-O|--open-files|--ext-diff|--textconv|--strategy)/;

/** The arguments of git with which it runs no program of the repository's choice. */
export async function safeArguments(
  program: string,
  cwd: string,
  subcommand: string,
  args: readonly string[],
): Promise<{ args: string[]; isGitAlone: boolean }> {
  if ((subcommand === "init" || subcommand === "clone") && args.some((each) => /^--te/.test(each)))
    throw new ToolProblem("A template can bring hooks, so --template cannot be used here.");
  const named = await runGit({
    program,
    cwd,
    args: ["config", "--local", "--includes", "--name-only", "-z", "--list"],
  });
  const programs = named.stdout
    .toString()
    .split("\0")
    .filter((name) => PROGRAMS.test(name));
  // Git has no word for "no conversion to text", so the conversion changes nothing.
  const emptied = [...new Set(programs)].map((name) => `${name}=${/\.textconv$/i.test(name) ? "cat" : ""}`);
  const settings = [...SETTINGS, ...emptied];
  const showing = SHOWING.has(subcommand) ? ["--no-ext-diff", "--no-textconv"] : [];
  return {
    args: ["--no-pager", ...settings.flatMap((each) => ["-c", each]), subcommand, ...showing, ...args],
    isGitAlone: PLAIN.has(subcommand) && !args.some((each) => RUNNING.test(each)),
  };
}
