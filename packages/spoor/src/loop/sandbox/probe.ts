import { execFile } from "node:child_process";
import path from "node:path";
import { isInside } from "../../runtime/policy/paths.ts";
import { isFolder, realPathOf } from "./hidden-places.ts";

/** A bubblewrap that works here. */
export interface Bubblewrap {
  readonly path: string;
  readonly flags: readonly string[];
  /** What it cannot do here. */
  readonly weakness?: string;
}

/** What every command is started with: own namespaces, no rights, no terminal, and an end with our own process. */
const FLAGS = ["--unshare-all", "--die-with-parent", "--new-session", "--cap-drop", "ALL"];

/**
 * The folders of the system. In a sandbox that root starts, bubblewrap leaves the settings of the kernel writable, and some of
 * them name a program that the kernel runs outside of it.
 */
export const SYSTEM: readonly string[] = [
  ...["--ro-bind", "/", "/", "--dev", "/dev", "--proc", "/proc"],
  ...["sys", "sysrq-trigger", "mtrr", "pressure", "acpi", "scsi", "fs"].flatMap((each) => [
    "--ro-bind-try",
    `/proc/${each}`,
    `/proc/${each}`,
  ]),
];

/** The best set of flags that works is used. */
const SETS: readonly { flags: readonly string[]; weakness?: string }[] = [
  { flags: [...FLAGS, "--unshare-user", "--disable-userns"] },
  { flags: FLAGS, weakness: "This bubblewrap cannot keep commands from making user namespaces of their own." },
];

/** Looks, once per process and program, whether bubblewrap really starts a command. Otherwise returns the reason. */
export async function probeBubblewrap(
  environment: NodeJS.ProcessEnv,
  root: string,
): Promise<Bubblewrap | { reason: string }> {
  if (process.platform !== "linux") return { reason: "Commands can be held only on Linux, by bubblewrap." };
  const file = findProgram(environment, root);
  if (file === undefined)
    return { reason: "bubblewrap was not found. Install it, for example with: apt install bubblewrap" };
  const known = probes.get(file) ?? tryOut(file);
  probes.set(file, known);
  return known;
}

const probes = new Map<string, Promise<Bubblewrap | { reason: string }>>();

/** A program inside the workspace may come from anybody. */
function findProgram({ PATH = "" }: NodeJS.ProcessEnv, root: string): string | undefined {
  const folders = [...PATH.split(path.delimiter), "/usr/bin", "/bin"].filter((each) => path.isAbsolute(each));
  const workspace = realPathOf(root) ?? root;
  return folders
    .map((folder) => realPathOf(path.join(folder, "bwrap")))
    .find((file) => file !== undefined && !isInside(file, workspace) && !isFolder(file));
}

async function tryOut(file: string): Promise<Bubblewrap | { reason: string }> {
  let problem = "";
  for (const { flags, weakness } of SETS) {
    const failure = await start(file, flags);
    if (failure === undefined) return { path: file, flags, ...(weakness !== undefined && { weakness }) };
    problem = failure;
  }
  return {
    reason: `${file} does not work here: ${problem}. Allow unprivileged user namespaces, or run where they are allowed.`,
  };
}

/** Returns why a command could not be started. */
function start(file: string, flags: readonly string[]): Promise<string | undefined> {
  const args = [...flags, ...SYSTEM, ...["--tmpfs", "/tmp"], "--", "/bin/sh", "-c", `echo ${WORD}`];
  return new Promise((resolve) => {
    execFile(file, args, { cwd: "/", env: {}, timeout: 10_000, killSignal: "SIGKILL" }, (error, stdout, stderr) => {
      if (error === null && stdout.trim() === WORD) return resolve(undefined);
      resolve(stderr.trim().split("\n")[0] || error?.message.split("\n")[0] || "it printed something else");
    });
  });
}

const WORD = "started";
