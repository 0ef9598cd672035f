// First, so that the styles of a component come after what all components share.
import "../ui/tokens.css";
import "../ui/components.css";

import { countDiff } from "@spoor/protocol";
import type { ReactElement } from "react";
import { renderToStaticMarkup } from "react-dom/server";
import type { RunSnapshot } from "../live/run-snapshot.ts";
import { createRowBuilder } from "../run/conversation/build-rows.ts";
import conversation from "../run/conversation/conversation.module.css";
import trail from "../run/conversation/trail.module.css";
import { titleOf } from "../run/head/title-of.ts";
import { Panel } from "../run/panel/panel.tsx";
import { RunContext, type RunFacts } from "../run/run-context.ts";
import { visibleLine } from "../text/visible.ts";
import { shownState } from "../ui/run-state.ts";
import { changedFiles, FileSection, FilesHead } from "./document-changes.tsx";
import { Foot } from "./document-foot.tsx";
import { DocumentHead } from "./document-head.tsx";
import { DocumentRow } from "./document-row.tsx";
import { DocumentTimeline } from "./document-timeline.tsx";
import "./document.css";
import { documentScript } from "./document-script.ts";
import type { RunDocument } from "./run-document.ts";
import { Now } from "./stills/use-now.ts";
import { Sums } from "./stills/use-sums.ts";
import { shareRules, withoutStyles } from "./without-styles.ts";

/**
 * Writes a run as one HTML file, piece by piece: the components of the page with everything in them that needs a server
 * replaced (`stills/`). It holds no data besides what is shown, so no text of a run is ever inside of a script.
 */
export function* renderDocument(document: RunDocument): Generator<string> {
  const { record, view, spans, diff, hashOf, omissions } = document;
  const style = document.style + shareRules();
  const snapshot: RunSnapshot = { ...(record && { record }), view, spans, state: "ready" };
  const now = Date.parse(view.updatedAt ?? "") || 0;
  const runId = view.runId ?? "";
  const facts: RunFacts = {
    ...{ runId, workspace: view.workspacePath, showsThoughts: false, isPast: false, isOver: view.end !== undefined },
    ...{ canRetry: false, canRetryFromTurn: false },
  };
  const files = changedFiles(view, diff);
  const sums = new Map(files.flatMap(({ path, sum }) => (sum === undefined ? [] : [[path, countDiff(sum)]])));
  const draw = (element: ReactElement): string =>
    withoutStyles(
      renderToStaticMarkup(
        <Now value={now}>
          <Sums value={sums}>
            <RunContext value={facts}>{element}</RunContext>
          </Sums>
        </Now>,
      ),
    );

  const rows = createRowBuilder()(view);
  const title = `${shownState(view, now).word} · ${visibleLine(titleOf(snapshot))}`;
  const policy = [
    "default-src 'none'",
    `style-src '${hashOf(style)}'`,
    `script-src '${hashOf(documentScript)}'`,
    ...["img-src data:", "base-uri 'none'", "form-action 'none'"],
  ].join("; ");
  yield `<!doctype html>\n<html lang="en">\n`;
  yield draw(
    <head>
      <meta charSet="utf-8" />
      <meta httpEquiv="Content-Security-Policy" content={policy} />
      <meta name="viewport" content="width=device-width, initial-scale=1, viewport-fit=cover" />
      <meta name="color-scheme" content="light dark" />
      <meta name="referrer" content="no-referrer" />
      <meta name="generator" content="spoor" />
      <title>{title}</title>
    </head>,
  ).replace("</head>", "");
  // The style sheet is ours, and its bytes are what the policy names.
  yield `<style>${style}</style></head>\n<body>\n`;
  yield draw(<DocumentHead snapshot={snapshot} now={now} files={files.length} omissions={omissions} />);
  yield `\n<div class="${conversation.body}" id="conversation"><main id="main" class="${conversation.main}">`;
  yield `<ol class="${trail.trail}" aria-label="Conversation">\n`;
  for (const row of rows) yield `${draw(<DocumentRow row={row} />)}\n`;
  yield "</ol></main>\n";
  yield draw(<Panel runId={runId} snapshot={snapshot} />);
  yield "</div>\n";
  if (files.length > 0) {
    yield `<section class="part" aria-labelledby="changes">${draw(<FilesHead files={files} />)}\n`;
    for (const file of files) yield `${draw(<FileSection file={file} />)}\n`;
    yield "</section>\n";
  }
  yield draw(<DocumentTimeline snapshot={snapshot} now={now} />);
  yield draw(<Foot document={document} />);
  yield `\n<script>${documentScript}</script>\n</body>\n</html>\n`;
}
