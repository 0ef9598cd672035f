import { Link } from "wouter";
import { routes } from "../routes.ts";
import { visibleLine } from "../text/visible.ts";
import { shortId } from "../ui/format.ts";
import { usePageTitle } from "../ui/page-title.ts";

/** The address names a run that the log does not have. */
export function MissingRun({ runId }: { runId: string }) {
  usePageTitle("No such run");
  return (
    <main id="main" className="page">
      <div className="page-head">
        <h1>There is no run {visibleLine(shortId(runId))}.</h1>
      </div>
      <p className="two">It may have been pruned.</p>
      <p className="next">
        <Link className="btn" href={routes.runs()}>
          Look at all runs
        </Link>
      </p>
    </main>
  );
}
