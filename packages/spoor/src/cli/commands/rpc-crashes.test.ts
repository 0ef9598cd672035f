import { spawnSync } from "node:child_process";
import { once } from "node:events";
import { mkdirSync } from "node:fs";
import path from "node:path";
import { expect, it } from "vitest";
import { allGone, isRunning } from "../../../testing/process/pids.ts";
import { eventsOf, expectOrderOfZot, typesOf } from "../../../testing/zot/client.ts";
import { commanded, openZotPlace } from "../../../testing/zot/place.ts";

const TIMEOUT = { timeout: 120_000 };

it(
  "ends each prompt once, whether the server, the process of the run or `spoor rpc` is killed",
  TIMEOUT,
  async (context) => {
    const { start, rpc, pids, runs, spoor, home } = openZotPlace(context);
    const other = path.join(home, "other");
    mkdirSync(other);
    const server = start("serve", "--port", "0", "--json", "--workers", "1");
    await once(server.stdout, "data");
    const first = rpc(...commanded, "--approve", "auto");
    const second = rpc(...commanded, "--approve", "auto", "--cwd", other);
    first.send("prompt", { message: "one hang" });
    const waiting = first.send("prompt", { message: "two" });
    await first.until(() => first.lines.find(({ delta }) => delta === "Heard one."));
    // The only worker of the server is busy.
    expect(await second.call("prompt", { message: "three" })).toMatchObject({ success: true });
    expect((await second.call("get_state")).data).toMatchObject({ busy: true, message_count: 0 });
    expect((await runs()).map(({ status }) => status)).toEqual(["queued", "running"]);

    const processes = pids();
    server.kill("SIGKILL");
    await once(server, "exit");
    process.kill(parentOf(processes[0]), "SIGKILL");
    // A process of its own performs the run that nobody takes.
    expectOrderOfZot(await second.done(1));
    const events = await first.done(2);
    await allGone(processes);
    const ends = events.flatMap(({ type }, index) => (type === "done" ? [index + 1] : []));
    expect(typesOf(events.slice(0, ends[0])).slice(-3)).toEqual(["turn_end", "error", "done"]);
    expectOrderOfZot(events.slice(0, ends[0]));
    expectOrderOfZot(events.slice(ends[0]));
    expect(await first.response(waiting)).toMatchObject({ success: true });

    first.send("prompt", { message: "four hang" });
    await first.until(() => first.lines.find(({ delta }) => delta === "Heard four."));
    first.kill("SIGKILL");
    await first.ended;
    expect(eventsOf(first.lines).filter(({ type }) => type === "done")).toHaveLength(2);
    // Like any other run it goes on, until somebody ends it.
    const last = pids();
    expect(last.every(isRunning)).toBe(true);
    const [run] = await runs();
    expect(run).toMatchObject({ status: "running", title: "four hang" });
    await spoor(["cancel", String(run?.run_id)]);
    await allGone(last);
    expect((await second.close()).code).toBe(0);
    expect(eventsOf(second.lines).filter(({ type }) => type === "done")).toHaveLength(1);
  },
);

const parentOf = (pid: number | undefined): number =>
  Number(spawnSync("ps", ["-o", "ppid=", "-p", String(pid)], { encoding: "utf8" }).stdout);
