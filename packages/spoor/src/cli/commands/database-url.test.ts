import { readdirSync } from "node:fs";
import { expect, it, onTestFinished } from "vitest";
import { createPlace } from "../../../testing/cli/process.ts";

it.each([["serve", "--port", "0"], ["login"], ["ls"], ["verify"]])(
  "`spoor %s` refuses a PostgreSQL URL as its data directory, and creates no directory",
  async (...argv) => {
    const place = createPlace("database-url");
    onTestFinished(place.remove);
    const { code, stdout, stderr } = await place.spoor([...argv, "--data", "postgres://me:password@localhost/spoor"]);
    expect({ code, stdout }).toEqual({ code: 1, stdout: "" });
    expect(stderr).toMatch(/^The data directory is the URL of a PostgreSQL database.* Choose a data directory.*\n$/);
    expect(readdirSync(place.home)).toEqual([]);
  },
);
