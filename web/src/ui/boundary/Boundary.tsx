import { Component, type ReactNode } from "react";
import { Button } from "../Button";

interface BoundaryProps {
  /** What is inside, as a person would call it. */
  what: string;
  /** Shown instead of it; left out: a sentence, and a button that loads the page again. */
  otherwise?: ReactNode;
  /** Another one is worth another try. */
  of?: string;
  children: ReactNode;
}

interface BoundaryState {
  hasFailed: boolean;
  of?: string;
}

/**
 * What cannot be drawn says so in its own place, and everything around it goes on. Mostly its code could not be
 * loaded: the connection is lost, or a newer server has taken the place of the one that the page is from.
 */
export class Boundary extends Component<BoundaryProps, BoundaryState> {
  override state: BoundaryState = { hasFailed: false, of: this.props.of };

  static getDerivedStateFromError(): Partial<BoundaryState> {
    return { hasFailed: true };
  }

  static getDerivedStateFromProps({ of }: BoundaryProps, state: BoundaryState): BoundaryState | null {
    return of === state.of ? null : { hasFailed: false, of };
  }

  override render(): ReactNode {
    const { what, otherwise, children } = this.props;
    if (!this.state.hasFailed) return children;
    if (otherwise !== undefined) return otherwise;
    return (
      <div role="alert" className="m-auto flex max-w-md flex-col items-start gap-3 p-4 text-sm">
        <p>
          <span className="font-medium">{what} could not be shown.</span> Load the page again; what you have
          written is kept.
        </p>
        <Button size="small" onClick={() => window.location.reload()}>
          Load the page again
        </Button>
      </div>
    );
  }
}
