import type { ComponentType, ElementType, ReactNode } from "react";

interface Props {
  as?: ElementType;
  children?: ReactNode;
  [more: string]: unknown;
}

/** Stands in for the package of this name: see vite.config.ts. Renders what it wraps, and locks nothing. */
export const RemoveScroll: ComponentType<Props> = ({
  as: Wrapper = "div",
  allowPinchZoom: _pinch,
  shards: _shards,
  enabled: _enabled,
  ...rest
}) => <Wrapper {...rest} />;
