import { spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { atMost, type Row } from "./table.ts";

const program = fileURLToPath(new URL("../packages/web/testing/measure/page-costs.ts", import.meta.url));

/**
 * What people wait for and what their machine pays: the size of the page, the first picture of a long run, frames while a
 * run streams, memory. A real browser is measured, by a program of its own.
 */
export async function* pageCosts({ events, seconds }: { events: number; seconds: number }): AsyncGenerator<Row> {
  const child = spawn(process.execPath, ["--conditions=spoor-source", program, `${events}`, `${seconds}`], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  const ended = once(child, "exit");
  for await (const line of createInterface(child.stdout)) {
    const { what, ratio, against, goal, on } = JSON.parse(line);
    yield atMost(what, ratio, against, { goal }, on);
  }
  const [code] = await ended;
  if (code !== 0) throw new Error(`The measuring program ended with code ${code}.`);
}
