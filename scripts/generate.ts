// Writes every file that follows from the event definitions:
//
//   generate.ts             bring the files up to date and remove stale ones
//   generate.ts --check     change nothing; exit 1 and name what is stale
//   generate.ts --release   record what is new in released.json; refuse what breaks it

import path from "node:path";
import { main } from "./generate/main.ts";

process.exitCode = main(process.argv.slice(2), path.dirname(import.meta.dirname), console);
