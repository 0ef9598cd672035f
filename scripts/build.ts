import { spawnSync } from "node:child_process";
import { cpSync, rmSync } from "node:fs";
import path from "node:path";
import { bundleCommand, copyWasm } from "./bundle.ts";

// Each package is compiled against the built declarations of those before it.
const packages = ["protocol", "spoor"];
const root = path.dirname(import.meta.dirname);

for (const name of packages) {
  const folder = path.join(root, "packages", name);
  cpSync(path.join(root, "LICENSE"), path.join(folder, "LICENSE"));
  // Removed first, so that no file is published whose source is gone.
  rmSync(path.join(folder, "dist"), { recursive: true, force: true });
  const { status } = spawnSync("tsc", ["-p", path.join(folder, "tsconfig.build.json")], { stdio: "inherit" });
  if (status !== 0) {
    console.error(`Build stopped: packages/${name} does not compile.`);
    process.exit(1);
  }
}
const spoor = path.join(root, "packages/spoor");
const migrations = "log/sqlite/migrations";
cpSync(path.join(spoor, "src", migrations), path.join(spoor, "dist", migrations), { recursive: true });
// The grammar is not a dependency of the package, because installing it would run a script.
copyWasm("tree-sitter-bash", path.join(spoor, "dist/runtime/policy/shell"));
// The set-up step has built the page.
cpSync(path.join(root, "packages/web/dist"), path.join(spoor, "dist/page"), {
  recursive: true,
  filter: (file) => path.basename(file) !== ".digest",
});
await bundleCommand(path.join(spoor, "dist/bundle"));
