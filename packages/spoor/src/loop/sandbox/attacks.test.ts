import { spawn, spawnSync } from "node:child_process";
import { closeSync, existsSync, mkdirSync, openSync, readdirSync, readFileSync, symlinkSync } from "node:fs";
import { createServer } from "node:net";
import path from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { needsBubblewrap, openHeld, processesNamed, SECRET } from "../../../testing/loop/held-commands.ts";

needsBubblewrap();

const node = JSON.stringify(process.execPath);
/** Runs JavaScript in the sandbox, where Node's own folder can be read. */
const script = (code: string): string =>
  `${node} -e ${JSON.stringify(code).replaceAll("$", "\\$").replaceAll("`", "\\`")}`;

describe("E1: files outside the workspace", () => {
  it.each([
    "$HOME/../outside/new",
    "$HOME/../outside/notes",
    "/etc/new",
    "/usr/bin/new",
    "/run/new",
    "../new",
    "/proc/1/root/etc/new",
  ])("cannot be written: %s", async (file) => {
    const held = openHeld();
    await held.shell(`echo changed > ${file}`);
    const before = readFileSync(held.inPlace("outside/notes"), "utf8");
    expect(before).toBe(`${SECRET}\n`);
    expect(readdirSync(held.place).sort()).toEqual(["data", "home", "outside", "work"]);
    expect(readdirSync(held.inPlace("outside"))).toEqual(["notes"]);
    expect(existsSync("/etc/new") || existsSync("/usr/bin/new") || existsSync("/run/new")).toBe(false);
  });

  it.each([
    "~/.ssh/id_ed25519",
    "~/.aws/credentials",
    "~/.netrc",
    "$HOME/../data/token",
    "$HOME/../data/*",
    "/proc/self/root$HOME/.netrc",
    "/proc/1/root$HOME/.netrc",
    "/proc/1/cwd/../home/.netrc",
    "/dev/fd/3",
    "leak",
    "leaked/.netrc",
  ])("with secrets cannot be read: %s", async (file) => {
    const held = openHeld();
    symlinkSync(path.join(held.home, ".netrc"), held.at("leak"));
    symlinkSync(held.home, held.at("leaked"));
    const { result } = await held.shell(`cat ${file}; echo over`);
    expect(result.output).toContain("over");
    expect(result.output).not.toContain(SECRET);
  });

  it("the keys of the user are in no environment that a command can read", async () => {
    const { shell } = openHeld();
    const { result } = await shell("env; cat /proc/*/environ | tr '\\0' '\\n'; set");
    expect(result.output).toContain("HOME=");
    expect(result.output).not.toContain(SECRET);
    expect(result.output).not.toMatch(/ANTHROPIC|SPOOR_TOKEN/);
  });

  it("a data directory inside the workspace is hidden, too", async () => {
    const held = openHeld({ root: (place) => place, environment: { HOME: "/root" } });
    const { result } = await held.shell("cat data/token; ls -A data; cat outside/notes");
    expect(result.output.match(new RegExp(SECRET, "g"))).toHaveLength(1);
  });

  it("a workspace that holds the home folder is refused, and nothing is told of a command", async () => {
    const { shell } = openHeld({ root: (place) => place });
    const { result, signals } = await shell("cat home/.netrc");
    expect(result.error).toMatch(/^The sandbox refused the command\. The workspace .* could read your keys/);
    expect(signals).toEqual([]);
  });

  it("the private home folder and /tmp last from one command to the next, and end with the sandbox", async () => {
    const held = openHeld();
    await held.shell("echo kept > /tmp/file; echo kept > ~/file");
    expect((await held.shell("cat /tmp/file ~/file")).result.output).toBe("kept\nkept\n");
    expect(readdirSync(held.home).sort()).toEqual([".aws", ".netrc", ".ssh"]);
    (await held.sandbox()).close();
    expect(readdirSync(path.join(held.directory, "sandbox", "runs"))).toEqual([]);
  });
});

describe("E2: the network", () => {
  it.each([
    ["our own server", "127.0.0.1"],
    ["localhost over IPv6", "::1"],
  ])("%s cannot be reached", async (_, host) => {
    let isReached = false;
    const server = createServer((socket) => {
      isReached = true;
      socket.destroy();
    });
    const isListening = await new Promise<boolean>((resolve) => {
      server.once("error", () => resolve(false));
      server.listen(0, host, () => resolve(true));
    });
    onTestFinished(() => void server.close());
    if (!isListening) return;
    const { port } = server.address() as { port: number };
    const { result } = await openHeld().shell(
      script(
        `require("net").connect(${port}, "${host}").on("connect", () => console.log("reached")).on("error", (e) => console.log(e.code))`,
      ),
    );
    expect(result.output).toMatch(/ECONNREFUSED|ENETUNREACH|EADDRNOTAVAIL/);
    expect(isReached).toBe(false);
  });

  it.each(["169.254.169.254", "10.0.0.1", "192.0.2.1", "fd00:ec2::254"])(
    "an address cannot be reached: %s",
    async (host) => {
      const { result } = await openHeld().shell(
        script(
          `require("net").connect(80, "${host}").on("connect", () => console.log("reached")).on("error", (e) => console.log(e.code))`,
        ),
      );
      expect(result.output).toMatch(/ENETUNREACH|EHOSTUNREACH|EADDRNOTAVAIL/);
    },
  );

  it("names cannot be resolved, and datagrams cannot leave", async () => {
    const { result } = await openHeld().shell(
      script(
        `require("dns").resolve4("example.com", (e) => console.log("dns", e?.code)); const s = require("dgram").createSocket("udp4"); s.send("x", 53, "192.0.2.1", (e) => { console.log("udp", e?.code); s.close(); })`,
      ),
    );
    expect(result.output).toMatch(/dns E[A-Z]+/);
    expect(result.output).toMatch(/udp ENETUNREACH/);
  });

  it("sockets of other programs cannot be reached: an ssh agent, a container engine, a bus", async () => {
    const held = openHeld({
      environment: { SSH_AUTH_SOCK: "", DOCKER_HOST: "", DBUS_SESSION_BUS_ADDRESS: "" },
    });
    const sockets = ["outside/agent.sock", "outside/docker.sock", "outside/bus", "home/x.sock"].map(held.inPlace);
    for (const file of sockets) {
      const server = createServer((socket) => socket.end(SECRET)).listen(file);
      onTestFinished(() => void server.close());
    }
    const [agent, docker, bus] = sockets;
    Object.assign(held.environment, {
      SSH_AUTH_SOCK: agent,
      DOCKER_HOST: `unix://${docker}`,
      DBUS_SESSION_BUS_ADDRESS: `unix:path=${bus},guid=1`,
    });
    const code = `for (const f of ${JSON.stringify(sockets)}) require("net").connect(f).on("data", (d) => console.log(String(d))).on("error", (e) => console.log(e.code))`;
    const { result } = await held.shell(script(code));
    expect(result.output).not.toContain(SECRET);
    expect(result.output.trim().split("\n")).toHaveLength(4);
  });
});

describe("E4: a command that names no hosts", () => {
  it("has no network, and its events say so", async () => {
    const held = openHeld();
    const { shellExec } = await import("../tools/shell-exec.ts");
    for (const input of [{ command: "true" }, { command: "true", hosts: [] }]) {
      expect(shellExec.held?.(input, await held.sandbox())).toMatchObject({ "hecate.sandbox.network.enabled": false });
      const { result } = await held.shell("ls /sys/class/net; cat /proc/net/dev", input);
      expect(result.output).not.toMatch(/eth|wlan|en[op]/);
    }
  });

  it("each named host is judged by the rules", async () => {
    const { shellExec } = await import("../tools/shell-exec.ts");
    const actions = shellExec.actions(
      { command: "npm install", hosts: ["packages.example.org", "169.254.169.254"] },
      { root: "/w", environment: {} },
    );
    expect(actions).toMatchObject([
      { subject: "shell", command: "npm install", cwd: "/w" },
      { subject: "host", host: "packages.example.org" },
      { subject: "host", host: "169.254.169.254" },
    ]);
  });

  it("with hosts it has the network of the machine", async () => {
    const held = openHeld();
    const server = createServer((socket) => socket.end("hello")).listen(0, "127.0.0.1");
    onTestFinished(() => void server.close());
    await new Promise((resolve) => server.once("listening", resolve));
    const { port } = server.address() as { port: number };
    const { result } = await held.shell(
      script(`require("net").connect(${port}, "127.0.0.1").on("data", (d) => console.log(String(d)))`),
      { hosts: [`127.0.0.1:${port}`] },
    );
    expect(result.output).toBe("hello\n");
  });
});

describe("E5: other processes", () => {
  it("cannot be seen, signalled or traced, and their environment cannot be read", async () => {
    const held = openHeld();
    const victim = spawn("sleep", ["60"], { env: { VICTIM: SECRET }, stdio: "ignore" });
    onTestFinished(() => void victim.kill("SIGKILL"));
    const { result } = await held.shell(
      `kill -9 ${victim.pid} ${process.pid}; cat /proc/${victim.pid}/environ /proc/${process.pid}/environ; ls /proc | grep -c '^[0-9]'; cat /proc/1/environ`,
    );
    expect(result.output).not.toContain(SECRET);
    expect(victim.exitCode ?? victim.signalCode).toBeNull();
    expect(Number(/^\d+$/m.exec(result.output)?.[0])).toBeLessThan(10);
  });

  it("a command has no rights, cannot get any, and cannot make namespaces of its own", async () => {
    const { result } = await openHeld().shell(
      "grep -E '^(CapEff|CapBnd|NoNewPrivs)' /proc/self/status; unshare -U true && echo namespace; unshare -m true && echo mounts; mount -t tmpfs none /mnt && echo mounted",
    );
    expect(result.output).toMatch(/CapEff:\s*0+\nCapBnd:\s*0+\nNoNewPrivs:\s*1/);
    expect(result.output).not.toMatch(/^(namespace|mounts|mounted)$/m);
  });

  it("a command cannot change a setting of the kernel, which could make it run a program outside", async () => {
    const { result } = await openHeld().shell(
      "find /proc /sys -path '/proc/[0-9]*' -prune -o -path '/proc/*self*' -prune -o -type f -writable -print 2> /dev/null; echo over",
    );
    expect(result.output).toBe("over\n");
    const same =
      'v=$(cat /proc/sys/kernel/core_pattern); printf %s "$v" > /proc/sys/kernel/core_pattern && echo written';
    expect((await openHeld().shell(same)).result.output).not.toContain("written");
  });

  it("a command inherits no open files, not even those that we inherited", async () => {
    const held = openHeld();
    const { argv, env, release } = (await held.sandbox()).wrap({
      ...{ argv: ["sh", "-c", "for fd in /proc/self/fd/*; do cat $fd; done"], cwd: held.root, network: false },
    });
    const spawning = new URL("../../runtime/queue/spawn-command.ts", import.meta.url).pathname;
    const file = openSync(held.inPlace("home/.netrc"), "r");
    const options = { argv, env, cwd: held.root, mark: "m", timeoutMs: 20_000 };
    const code = `import { spawnCommand } from ${JSON.stringify(spawning)};
      await spawnCommand({ ...${JSON.stringify(options)}, onOutput: async (_, text) => process.stdout.write(text) }).ended;
      console.log("over");`;
    const child = spawnSync(process.execPath, ["--conditions=spoor-source", "--input-type=module", "-e", code], {
      stdio: ["ignore", "pipe", "inherit", ...Array(17).fill("ignore"), file],
      encoding: "utf8",
    });
    closeSync(file);
    release();
    expect(child.stdout).toContain("over");
    expect(child.stdout).not.toContain(SECRET);
  });

  it("a command has no terminal into which it could type", async () => {
    const { result } = await openHeld().shell("(echo x > /dev/tty) 2>&1; ps -o tty= -p $$ 2> /dev/null; true");
    expect(result.output).toMatch(/No such device or address|cannot (create|open)/i);
  });

  it("processes that leave their group and session end with the command", async () => {
    const held = openHeld();
    const name = `spoor-escape-${process.pid}`;
    const { result } = await held.shell(
      `cp "$(command -v sleep)" /tmp/${name}; setsid -f /tmp/${name} 300; (setsid /tmp/${name} 301 > /dev/null 2>&1 &) ; nohup /tmp/${name} 302 > /dev/null 2>&1 & env -i /tmp/${name} 303 & echo over`,
    );
    expect(result.output).toContain("over");
    expect(processesNamed(name)).toEqual([]);
  });

  it("a fork bomb ends with the time limit, and nothing of it is left", async () => {
    const held = openHeld();
    const name = `spoor-bomb-${process.pid}`;
    const { result } = await held.shell(
      `cp "$(command -v sleep)" /tmp/${name}; i=0; while [ $i -lt 200 ]; do /tmp/${name} 300 & i=$((i+1)); done; echo made; wait`,
      { timeout_ms: 3_000 },
    );
    expect(result).toMatchObject({ outcome: "timed_out" });
    expect(processesNamed(name)).toEqual([]);
  });

  it("limits hold memory, files, processes and core dumps", async () => {
    const { result } = await openHeld().shell(
      "ulimit -d; ulimit -f; ulimit -c; cat /proc/self/limits /proc/self/oom_score_adj",
    );
    const [memory, file, core] = result.output.split("\n");
    expect(Number(memory)).toBeGreaterThan(0);
    expect(Number(file)).toBeGreaterThan(0);
    expect(core).toBe("0");
    expect(result.output).toMatch(/Max processes\s+4096/);
    expect(result.output).toMatch(/\n800\n?$/);
  });

  it("a process that takes too much memory is refused it", async () => {
    const { result } = await openHeld().shell(
      `ulimit -d 200000; ${script("const a = []; for (;;) a.push(Buffer.alloc(1e7, 1))")} > /dev/null 2>&1; echo ended $?`,
    );
    expect(result.output).toMatch(/ended [1-9]\d*/);
  });
});

describe("C3: the folder of a command", () => {
  it.each(["..", "/", "/etc", "out", "../outside"])("must be inside the workspace: %s", async (cwd) => {
    const held = openHeld();
    symlinkSync(held.inPlace("outside"), held.at("out"));
    const { result, signals } = await held.shell("pwd", { cwd });
    expect(result.error).toMatch(/is outside the workspace/);
    expect(signals).toEqual([]);
    const sandbox = await held.sandbox();
    expect(() => sandbox.wrap({ argv: ["pwd"], cwd: path.resolve(held.root, cwd), network: false })).toThrow(
      "not inside",
    );
  });

  it("can be one inside it", async () => {
    const held = openHeld();
    mkdirSync(held.at("a/b"), { recursive: true });
    expect((await held.shell("pwd", { cwd: "a/b" })).result.output).toBe(`${held.at("a/b")}\n`);
  });
});
