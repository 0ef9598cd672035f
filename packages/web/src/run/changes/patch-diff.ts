import { useEffect, useState } from "react";
import { client } from "../../live/client.ts";

/** `missing`: it is not stored any more. */
type LoadedDiff =
  | { readonly state: "loading" | "missing" | "failed" }
  | { readonly state: "ready"; readonly text: string };

/** The diff of a stored patch. It never changes, so it is read once. */
export function usePatchDiff(artifactId: string | undefined, isWanted: boolean): LoadedDiff {
  const [, setRead] = useState(0);
  const known = artifactId === undefined ? undefined : diffs.get(artifactId);
  useEffect(() => {
    if (artifactId === undefined || !isWanted || known) return;
    let isMounted = true;
    const keep = (diff: LoadedDiff) => {
      remember(artifactId, diff);
      if (isMounted) setRead((count) => count + 1);
    };
    client.artifacts
      .get(artifactId)
      .then(({ diff }) => keep(diff === undefined ? { state: "missing" } : { state: "ready", text: diff }))
      .catch((error: { code?: unknown }) =>
        keep({ state: error.code === "artifact_not_found" || error.code === "content_gone" ? "missing" : "failed" }),
      );
    return () => {
      isMounted = false;
    };
  }, [artifactId, isWanted, known]);
  return known ?? { state: "loading" };
}

const diffs = new Map<string, LoadedDiff>();
const MOST = 300;

function remember(id: string, diff: LoadedDiff): void {
  // A failed request is tried again when the file is shown again.
  if (diff.state === "failed") setTimeout(() => diffs.delete(id), 5_000);
  diffs.set(id, diff);
  for (const old of diffs.keys()) {
    if (diffs.size <= MOST) break;
    diffs.delete(old);
  }
}
