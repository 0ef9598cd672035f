import { randomBytes } from "node:crypto";
import { lstatSync, mkdirSync, rmSync, symlinkSync } from "node:fs";
import path from "node:path";
import { isInside } from "../../runtime/policy/paths.ts";
import { commandEnvironment } from "./command-environment.ts";
import { findOutsideGit, type OutsideGit } from "./git-directory.ts";
import { type HiddenPlace, hiddenPlaces, homeOf, realPathOf, toolFolders } from "./hidden-places.ts";
import { createHooksPaths } from "./hooks-path.ts";
import { withLimits } from "./limits.ts";
import { gitMasksIn, linkTargetOf, type Mask, masksOf } from "./masks.ts";
import { createNested, type Nested } from "./nested.ts";
import { inPinnedFolder } from "./pinned-folder.ts";
import { holdPlaceholders, sweepPlaceholders } from "./placeholders.ts";
import { type Bubblewrap, SYSTEM } from "./probe.ts";
import { type OpenOptions, type PlainCommand, type Sandbox, type SandboxedCommand, SandboxRefusal } from "./sandbox.ts";

/** Runs the commands of one run inside bubblewrap. */
export function createBubblewrap(bubblewrap: Bubblewrap, options: OpenOptions): Sandbox {
  const { environment, directory } = options;
  const root = realPathOf(options.root);
  if (root === undefined)
    throw new SandboxRefusal(`The workspace ${options.root} is not there. Create it, or start with another one.`);
  const home = homeOf(environment);
  const hidden = hiddenPlaces(environment, directory);
  const containing = hidden.find(({ path: each }) => isInside(each, root) && (each === root || each === home));
  if (containing) throw new SandboxRefusal(tooWide(root, containing.path));
  sweepPlaceholders(directory);
  const scratch = path.join(directory, "sandbox", "runs", path.basename(options.run_id));
  const hiddenPaths = hidden.map(({ path: each }) => each);
  const nested = createNested(root, hiddenPaths);
  const hooksPaths = createHooksPaths(root, environment);
  const place: Place = {
    ...options,
    root,
    home,
    hidden,
    scratch,
    git: findOutsideGit(root, hidden),
    nested,
    hooksPaths,
  };
  const weaknesses = [bubblewrap.weakness, nested.weakness].filter((each) => each !== undefined);
  return {
    layer: "bwrap",
    ...(weaknesses.length > 0 && { reason: weaknesses.join(" ") }),
    asks: false,
    wrap: (command) => wrap(bubblewrap, place, command),
    close: () => rmSync(scratch, { recursive: true, force: true }),
  };
}

interface Place extends OpenOptions {
  home: string | undefined;
  hidden: readonly HiddenPlace[];
  /** Holds the private home and the private /tmp of the run. */
  scratch: string;
  git: OutsideGit;
  nested: Nested;
  hooksPaths: ReturnType<typeof createHooksPaths>;
}

function wrap(bubblewrap: Bubblewrap, place: Place, command: PlainCommand): SandboxedCommand {
  const { root, directory, scratch } = place;
  const cwd = realPathOf(command.cwd);
  if (cwd === undefined || !isInside(cwd, root))
    throw new SandboxRefusal(`The folder ${command.cwd} is not inside the workspace ${root}.`);
  for (const name of ["home", "tmp"]) mkdirSync(path.join(scratch, name), { recursive: true, mode: 0o700 });
  const nested = place.nested.protect();
  const masks = masksFor(place, command, nested.masks);
  const before = masks.map(({ path: each, is }) => (is === "link" ? linkTargetOf(each) : undefined));
  const release = holdPlaceholders(directory, root, masks);
  try {
    const env = commandEnvironment(place.environment, { network: command.network, set: command.env });
    const flags = [
      ...bubblewrap.flags,
      ...(command.network ? ["--share-net"] : []),
      ...mounts(place, masks, command),
      ...["--chdir", cwd, "--"],
    ];
    // No command can know it, and so none can write it.
    const startMark = `started-${randomBytes(16).toString("hex")}\n`;
    return {
      argv: [bubblewrap.path, ...flags, ...withLimits(command.argv, root, { startMark })],
      startMark,
      env: { ...env, TMPDIR: "/tmp" },
      network: command.network,
      release() {
        const undone = masks.filter((mask, at) => undo(mask, before[at])).map(({ path: each }) => each);
        release();
        return [...undone, ...nested.settle()].map((each) => path.relative(root, each));
      },
    };
  } catch (error) {
    release();
    throw error;
  }
}

/** Git alone may make a repository where there is none. What is in a read-only folder needs no mask of its own. */
function masksFor({ root, hooksPaths }: Place, { isGit }: PlainCommand, nested: readonly Mask[]): readonly Mask[] {
  const own = path.join(root, ".git");
  const top = masksOf(root).filter(({ path: each, is }) => !isGit || each !== own || is !== "folder");
  const gits = nested.filter(({ path: each }) => path.basename(each) === ".git").map(({ path: each }) => each);
  const masks = [...top, ...hooksPaths([own, ...gits].map((each) => path.dirname(each))), ...nested];
  const isCovered = ({ path: each }: Mask): boolean =>
    masks.some(({ path: other, is }) => is === "folder" && other !== each && isInside(each, other));
  const paths = masks.map(({ path: each }) => each);
  return masks.filter((mask, at) => !isCovered(mask) && paths.indexOf(mask.path) === at);
}

/** Later mounts cover earlier ones. */
function mounts(place: Place, masks: readonly Mask[], command: PlainCommand): string[] {
  const { root, home, hidden, scratch, git, environment } = place;
  const tools = [...toolFolders(environment), ...ownNode(hidden)];
  const readable = [...tools, ...[git.tree, git.common].flatMap((each) => (each ? [{ at: each, real: each }] : []))];
  const shown = [root, ...readable.map(({ at }) => at)];
  const outer = hidden.filter(
    ({ path: each }) => !hidden.some((other) => other.path !== each && isInside(each, other.path)),
  );
  const inner = hidden.filter(
    ({ path: each }) => !isInside(root, each) && shown.some((other) => isInside(each, other)),
  );
  const temporary = ["/tmp", "/var/tmp"]
    .filter((each) => realPathOf(each) === each)
    .map((each) => ["tmp", each] as const);
  const writable = [...temporary, ...(home === undefined ? [] : [["home", home] as const])];
  const kept = new Set([...writable.map(([, to]) => to), root]);
  const resolver = command.network ? realPathOf("/etc/resolv.conf") : undefined;
  return [
    ...SYSTEM,
    ...outer.flatMap(hide),
    ...writable.flatMap(([from, to]) => ["--bind", path.join(scratch, from), to]),
    ...["--ro-bind-try", "/run/current-system", "/run/current-system"],
    ...(resolver?.startsWith("/run/") ? ["--ro-bind", resolver, resolver] : []),
    ...readable.flatMap(({ at, real }) => ["--ro-bind", real, at]),
    ...["--bind", root, root],
    ...inner.flatMap(hide),
    ...masks.flatMap(mount),
    ...(command.isGit ? gitMounts(git) : []),
    ...outer.flatMap(({ path: each, isFolder }) => (isFolder && !kept.has(each) ? ["--remount-ro", each] : [])),
  ];
}

/** The Node that runs Spoor is a program that commands may use, wherever it is installed. */
function ownNode(hidden: readonly HiddenPlace[]): { at: string; real: string }[] {
  const at = path.dirname(process.execPath);
  const real = realPathOf(at);
  return real !== undefined && hidden.some(({ path: each }) => at !== each && isInside(at, each)) ? [{ at, real }] : [];
}

const hide = ({ path: each, isFolder }: HiddenPlace): string[] =>
  isFolder ? ["--tmpfs", each] : ["--ro-bind", "/dev/null", each];

function mount({ path: each, is }: Mask): string[] {
  if (is === "link" || is === "absent") return [];
  return [is === "fixed" ? "--bind" : "--ro-bind", each, each];
}

/** Git can write objects, references and the index of the work tree, but nothing that makes it run a program. */
function gitMounts({ common, own }: OutsideGit): string[] {
  if (common === undefined || own === undefined) return [];
  const there = gitMasksIn(common).filter(({ path: each }) => lstatSync(each, { throwIfNoEntry: false }));
  return ["--bind", common, common, ...there.flatMap(mount), "--bind", own, own];
}

/** Undoes what a command did to something on which nothing can be mounted. Returns whether there was anything to undo. */
function undo({ path: file, is }: Mask, target: string | undefined): boolean {
  if (is !== "absent" && is !== "link") return false;
  // Whoever removed the folder of a link wanted to be rid of the link, too.
  const isUndone = inPinnedFolder(path.dirname(file), (at) => {
    const place = at(path.basename(file));
    const isChanged = is === "absent" ? lstatSync(place, { throwIfNoEntry: false }) : linkTargetOf(place) !== target;
    if (!isChanged) return false;
    rmSync(place, { recursive: true, force: true });
    if (target !== undefined) symlinkSync(target, place);
    return true;
  });
  return isUndone === true;
}

const tooWide = (root: string, inside: string): string =>
  `The workspace ${root} holds ${inside}, so a command could read your keys. Start in the folder of a project, ` +
  `or give up the sandbox with \`sandbox: "none"\` (--sandbox none).`;
