import { ConfirmDialog } from "./confirm-dialog.tsx";

/** Asks before a run is cancelled, and why. */
export function CancelDialog({ onCancel, onClose }: { onCancel: (reason: string) => void; onClose: () => void }) {
  return (
    <ConfirmDialog
      title="Cancel this run?"
      confirm="Cancel the run"
      isDangerous
      onConfirm={onCancel}
      onClose={onClose}
      field={{ label: "Why (kept in the log)", placeholder: "Optional" }}
    >
      The agent and all its processes end. What it changed so far stays, and can be reverted.
    </ConfirmDialog>
  );
}
