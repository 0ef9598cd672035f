import { VisibleText } from "../text/visible-text.tsx";
import { count } from "../ui/format.ts";
import type { RunDocument } from "./run-document.ts";

/** What the file is, and where the whole run is. */
export const Foot = ({ document: { view, events } }: { document: RunDocument }) => (
  <footer className="part foot dim">
    <p>
      Written by Spoor from {count(events)} events. Secrets that were found are replaced, and home directories stand as{" "}
      <code>~</code>. Times are in UTC. This file loads nothing from anywhere.
    </p>
    <p>
      The log from which it was written has the whole run:{" "}
      <code>
        spoor export <VisibleText text={view.runId ?? ""} />
      </code>{" "}
      writes it with the hashes that verify it.
    </p>
  </footer>
);
