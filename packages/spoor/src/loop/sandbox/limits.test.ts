import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { needsBubblewrap } from "../../../testing/loop/held-commands.ts";
import { withLimits } from "./limits.ts";

needsBubblewrap();

/** The system does not count the processes of root, so another user starts bubblewrap then. */
const asUser = process.getuid?.() === 0 ? ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"] : [];

describe("E5: limits, for a user who is not root", () => {
  it.skipIf(asUser.length > 0 && !existsSync("/usr/bin/setpriv"))(
    "a fork bomb gets no more processes than it may",
    () => {
      const places = ["--unshare-all", "--die-with-parent", "--ro-bind", "/", "/", "--proc", "/proc", "--dev", "/dev"];
      const bomb = "i=0; while [ $i -lt 100 ]; do sleep 60 & i=$((i+1)); echo $i; done; echo unlimited";
      const [program = "", ...args] = [
        ...asUser,
        "bwrap",
        ...places,
        "--",
        ...withLimits(["sh", "-c", bomb], "/", { maxProcesses: 30 }),
      ];
      const { stdout, stderr } = spawnSync(program, args, { encoding: "utf8", cwd: "/", timeout: 15_000 });
      expect(stderr).toMatch(/fork/i);
      expect(stdout).not.toContain("unlimited");
      const made = stdout.trim().split("\n").length;
      // The count is that of this sandbox alone, whatever else the user runs.
      expect(made).toBeGreaterThan(20);
      expect(made).toBeLessThan(31);
    },
  );
});
