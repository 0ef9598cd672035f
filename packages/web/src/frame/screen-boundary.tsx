import { Component, type ReactNode } from "react";
import { ScreenFailed } from "./screen-failed.tsx";

interface Props {
  /** Where the reader is. Another place is another try. */
  place: string;
  children: ReactNode;
}

interface State {
  error: Error | undefined;
  place: string;
}

/** Keeps the frame when a screen cannot be loaded or drawn, and says what happened instead of showing nothing. */
export class ScreenBoundary extends Component<Props, State> {
  override state: State = { error: undefined, place: this.props.place };

  static getDerivedStateFromError(error: Error): Partial<State> {
    return { error };
  }

  static getDerivedStateFromProps({ place }: Props, state: State): Partial<State> | null {
    return place === state.place ? null : { place, error: undefined };
  }

  override render(): ReactNode {
    return this.state.error ? <ScreenFailed error={this.state.error} /> : this.props.children;
  }
}
