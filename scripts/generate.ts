// Writes every file that is generated from the event definitions:
//
//   generate.ts             updates the files and removes stale ones
//   generate.ts --check     changes nothing; exits with 1 and names stale files
//   generate.ts --release   records additions in released.json; refuses breaking changes

import path from "node:path";
import { main } from "./generate/main.ts";

process.exitCode = main(process.argv.slice(2), path.dirname(import.meta.dirname), console);
