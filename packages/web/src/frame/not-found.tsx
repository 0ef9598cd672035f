import { Link } from "wouter";
import { routes } from "../routes.ts";
import { usePageTitle } from "../ui/page-title.ts";

export function NotFound() {
  usePageTitle("No such page");
  return (
    <main id="main" className="page">
      <div className="page-head">
        <h1>There is no such page.</h1>
      </div>
      <p>
        <Link className="btn" href={routes.runs()}>
          Look at all runs
        </Link>
      </p>
    </main>
  );
}
