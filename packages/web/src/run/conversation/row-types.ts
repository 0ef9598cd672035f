import type {
  ApprovalView,
  AttachmentView,
  Envelope,
  ErrorView,
  FileView,
  GapView,
  ImageView,
  MessageView,
  NoteView,
  PromptView,
  QuestionView,
  RetryView,
  RunEnd,
  ShellView,
  SubagentView,
  ThoughtView,
  ToolView,
  TurnView,
} from "@spoor/protocol";

/** The mark of a row on the trail: you, the agent speaks, it does something, a thought, it waits, an error, a gap. */
export type Mark = "you" | "say" | "do" | "quiet" | "hold" | "bad" | "break" | "none";

/** A call with everything that is drawn inside its card. */
export interface ToolCardItem {
  readonly kind: "tool";
  readonly key: string;
  readonly sequence: number;
  readonly tool: ToolView;
  readonly shells: readonly ShellView[];
  readonly files: readonly FileView[];
  readonly approvals: readonly ApprovalView[];
  readonly subagent?: SubagentView | undefined;
}

/** Something that was done and that no call is known for. */
type LooseCardItem = { readonly key: string; readonly sequence: number } & (
  | { readonly kind: "shell"; readonly shell: ShellView }
  | { readonly kind: "file"; readonly file: FileView }
  | { readonly kind: "subagent"; readonly subagent: SubagentView }
);

/** Several reads and searches in a row. */
export interface GroupItem {
  readonly kind: "group";
  readonly key: string;
  readonly sequence: number;
  readonly cards: readonly ToolCardItem[];
}

export type CardItem = ToolCardItem | LooseCardItem | GroupItem;

type Content =
  | { readonly kind: "prompt"; readonly prompt: PromptView; readonly attachments: readonly AttachmentView[] }
  | {
      readonly kind: "turn";
      readonly turn: TurnView;
      readonly isNewModel: boolean;
      readonly offsetMs?: number | undefined;
    }
  | { readonly kind: "text"; readonly message: MessageView }
  | { readonly kind: "thought"; readonly thought: ThoughtView; readonly durationMs?: number | undefined }
  | { readonly kind: "cards"; readonly cards: readonly CardItem[] }
  | { readonly kind: "approval"; readonly approval: ApprovalView }
  | { readonly kind: "question"; readonly question: QuestionView }
  | { readonly kind: "image"; readonly image: ImageView }
  | { readonly kind: "error"; readonly error: ErrorView }
  | { readonly kind: "retry"; readonly retry: RetryView; readonly isOpen: boolean }
  | { readonly kind: "gap"; readonly gap: GapView }
  | { readonly kind: "note"; readonly note: NoteView }
  | { readonly kind: "opaque"; readonly envelope: Envelope }
  | { readonly kind: "end"; readonly end: RunEnd };

export type RowKind = Content["kind"];

/** A row of the conversation. A row whose items did not change is the same object in the next list. */
export type Row = Content & {
  readonly key: string;
  /** The first event of the row. */
  readonly sequence: number;
  readonly mark: Mark;
  /** Everything that the row is drawn from. */
  readonly parts: readonly unknown[];
};

export type RowOf<Kind extends RowKind> = Extract<Row, { kind: Kind }>;

/** What the component of a row gets. */
export interface RowProps<Kind extends RowKind> {
  row: RowOf<Kind>;
  /** Whether A and D are for this row. */
  takesKeys: boolean;
}
