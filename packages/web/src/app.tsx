import { Suspense } from "react";
import { Route, Switch, useLocation } from "wouter";
import { LoggedOut } from "./frame/banners/logged-out.tsx";
import { Frame } from "./frame/frame.tsx";
import { NotFound } from "./frame/not-found.tsx";
import { ScreenBoundary } from "./frame/screen-boundary.tsx";
import { useConnection } from "./live/use-connection.ts";
import { useReadAhead } from "./live/use-run.ts";
import { Runs } from "./runs/runs.tsx";
import { lazyScreen } from "./ui/lazy-screen.ts";
import { Loading } from "./ui/loading.tsx";

const Run = lazyScreen(() => import("./run/run.tsx"));
const Approvals = lazyScreen(() => import("./inbox/inbox.tsx"));
const Compare = lazyScreen(() => import("./compare/compare.tsx"));
const Usage = lazyScreen(() => import("./usage/usage.tsx"));
const Events = lazyScreen(() => import("./events/all-events.tsx"));

export function App() {
  const [place] = useLocation();
  const connection = useConnection();
  if (connection.state === "stopped" && connection.why === "logged_out") return <LoggedOut />;
  return (
    <Frame>
      <ScreenBoundary place={place}>
        <Suspense fallback={<Loading />}>
          <Switch>
            <Route path="/" component={Runs} />
            <Route path="/runs/:id/:view?">{({ id, view }) => <RunRoute key={id} runId={id} view={view} />}</Route>
            <Route path="/approvals/:id?">{({ id }) => <Approvals selected={id} />}</Route>
            <Route path="/compare" component={Compare} />
            <Route path="/usage" component={Usage} />
            <Route path="/events" component={Events} />
            <Route component={NotFound} />
          </Switch>
        </Suspense>
      </ScreenBoundary>
    </Frame>
  );
}

/** The events of a run are on their way while its screen is still being loaded. */
function RunRoute(props: { runId: string; view?: string | undefined }) {
  useReadAhead(props.runId);
  return <Run {...props} />;
}
