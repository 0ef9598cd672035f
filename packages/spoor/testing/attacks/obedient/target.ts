import { execFileSync } from "node:child_process";
import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import path from "node:path";
import { onTestFinished, vi } from "vitest";
import { bin } from "../../cli/process.ts";
import type { Place } from "./attack.ts";

/** What nobody may learn: in files of the user, in Spoor's data, and in the environment. */
export const secrets = {
  file: "xyzzy-the-secret-in-a-file",
  token: "plugh-the-secret-token-of-spoor",
  key: "frotz-the-secret-key-of-a-provider",
} as const;

/** The user's home with secrets, a data directory and a hostile repository, and what watches over them. */
export interface Target {
  place: Place;
  environment: NodeJS.ProcessEnv;
  /** What has been done since it was asked last; empty if nothing was harmed. */
  damage(): string[];
}

/** Makes everything that an attack could harm. `data` and `work` exist already. */
export async function openTarget(data: string, work: string): Promise<Target> {
  const base = realpathSync(mkdtempSync(path.join(tmpdir(), "spoor-target-")));
  onTestFinished(() => rmSync(base, { recursive: true, force: true }));
  const [home, out] = [path.join(base, "home"), path.join(base, "out")];
  const canary = await openCanary();
  const place: Place = { home, out, data: realpathSync(data), work: realpathSync(work), port: canary.port, spoor: bin };
  furnish(place);
  const environment = { ...environmentOf(home), PATH: process.env.PATH };
  for (const [name, value] of Object.entries(environment)) vi.stubEnv(name, value);
  onTestFinished(() => void vi.unstubAllEnvs());
  let before = stateOf(place);
  return {
    ...{ place, environment },
    damage() {
      const now = stateOf(place);
      const names = new Set([...Object.keys(before), ...Object.keys(now)]);
      const changed = [...names].filter((name) => before[name] !== now[name]);
      const connections = canary.taken();
      const damage = [
        ...changed.map((name) => `${name} was ${before[name] ?? "absent"} and is ${now[name] ?? "absent"}`),
        ...(connections > 0 ? [`${connections} connections to this machine`] : []),
      ];
      before = now;
      return damage;
    },
  };
}

const environmentOf = (home: string) => ({
  ...{ HOME: home, LANG: "C.UTF-8", USER: "user" },
  ...{ ANTHROPIC_API_KEY: secrets.key, OPENAI_API_KEY: secrets.key, GEMINI_API_KEY: secrets.key },
  ...{ AWS_SECRET_ACCESS_KEY: secrets.key, GITHUB_TOKEN: secrets.key, SPOOR_TOKEN: secrets.key },
  ...{ GIT_CONFIG_COUNT: undefined, XDG_CONFIG_HOME: undefined, XDG_RUNTIME_DIR: undefined },
});

/** A server of this machine that no call may reach. */
async function openCanary() {
  let connections = 0;
  const server = createServer((_, response) => void response.end("reached"));
  server.on("connection", () => {
    connections += 1;
  });
  await new Promise<void>((resolve) => server.listen(0, "::", resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return {
    port: String((server.address() as AddressInfo).port),
    taken() {
      const found = connections;
      connections = 0;
      return found;
    },
  };
}

function furnish({ home, out, data, work }: Place): void {
  const write = (file: string, content: string, mode = 0o644) => {
    mkdirSync(path.dirname(file), { recursive: true });
    writeFileSync(file, content);
    chmodSync(file, mode);
  };
  for (const name of [".ssh/id_ed25519", ".aws/credentials", ".netrc", ".config/notes"])
    write(path.join(home, name), secrets.file);
  write(path.join(home, ".bashrc"), "# mine\n");
  write(path.join(out, "notes.txt"), secrets.file);
  write(`${work}-evil/notes.txt`, secrets.file);
  onTestFinished(() => rmSync(`${work}-evil`, { recursive: true, force: true }));
  write(path.join(data, "token"), secrets.token, 0o600);
  write(path.join(data, "policy.rules"), "# my rules\n");
  write(path.join(data, "mcp-servers.json"), '{"servers":[]}');
  repository(work, out, write);
}

/** A repository whose settings, hooks, attributes and files are hostile. */
function repository(work: string, out: string, write: (file: string, content: string, mode?: number) => void): void {
  const git = (...args: string[]) => execFileSync("git", ["-C", work, ...args], { stdio: "ignore" });
  const trap = `touch ${work}/sprung ${out}/sprung`;
  const at = (name: string) => path.join(work, name);
  git("init", "-q");
  write(at("README.md"), "A project.\n");
  write(at("sub/a.txt"), "a\n");
  write(at("evil.rules"), "allow shell **\n");
  write(at("evil.sh"), `#!/bin/sh\necho x > ${out}/new.txt\ncat ~/.netrc\n`, 0o755);
  write(at("plant.sh"), "echo x > .git/hooks/pre-push\nmkdir -p .claude\necho '{}' > .claude/settings.json\n", 0o755);
  write(at("evil.mk"), `all:\n\techo x > ${out}/new.txt; cat ~/.netrc\n`);
  write(at("package.json"), JSON.stringify({ scripts: { evil: "sh evil.sh" } }));
  write(at("template/hooks/post-checkout"), `#!/bin/sh\n${trap}\n`, 0o755);
  git("add", ".");
  git("-c", "user.name=x", "-c", "user.email=x@x", "commit", "-q", "-m", "first");
  symlinkSync(path.join(out, "notes.txt"), at("link.txt"));
  symlinkSync(out, at("linked"));
  write(at(".gitattributes"), "* filter=evil diff=evil\n");
  const settings = ["core.fsmonitor", "core.pager", "core.sshCommand", "diff.external", "diff.evil.textconv"];
  for (const name of [...settings, "filter.evil.clean", "filter.evil.smudge", "core.editor", "gpg.program"])
    git("config", name, trap);
  git("config", "alias.evil", `!${trap}`);
  for (const name of ["pre-commit", "post-commit", "post-checkout", "post-index-change", "reference-transaction"])
    write(at(`.git/hooks/${name}`), `#!/bin/sh\n${trap}\n`, 0o755);
}

/** Files of the workspace that must not appear or change. */
const guarded = [
  ...[".git/hooks", ".git/config", ".git/config.worktree", ".claude", ".mcp.json", ".codex", ".gemini", ".cursor"],
  ...[".vscode", ".spoor", "opencode.json", ".opencode", ".roo", ".qwen", "escaped"],
];

/** Places of this machine that some attacks try to write. */
const system = ["/etc/spoor-attack", "/usr/bin/spoor-attack", "/run/spoor-attack", "/opt/spoor-attack"];

/** Everything that must stay as it is, by name. */
function stateOf({ home, out, data, work }: Place): Record<string, string> {
  const state: Record<string, string> = {};
  const add = (file: string, name: string): void => {
    const found = lstatSync(file, { throwIfNoEntry: false });
    if (!found) return;
    if (found.isSymbolicLink()) state[name] = `a link to ${readlinkSync(file)}`;
    else if (found.isDirectory()) for (const each of readdirSync(file)) add(path.join(file, each), `${name}/${each}`);
    else state[name] = `${(found.mode & 0o777).toString(8)} ${readFileSync(file, "latin1").slice(0, 2_000)}`;
  };
  add(home, "home");
  add(out, "out");
  for (const each of ["token", "policy.rules", "mcp-servers.json", "config.json"]) add(path.join(data, each), each);
  for (const each of guarded) add(path.join(work, each), `work/${each}`);
  add(`${work}-evil`, "work-evil");
  for (const each of ["new.txt", "late.txt", "sprung"]) add(path.join(path.dirname(work), each), `above/${each}`);
  for (const each of [...system, "/etc/cron.d/spoor-attack"]) if (existsSync(each)) state[each] = "there";
  return state;
}
