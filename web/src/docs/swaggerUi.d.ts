/** What we use of it. */
declare module "swagger-ui-dist/swagger-ui-es-bundle.js" {
  interface Asked extends RequestInit {
    url: string;
  }
  /** Of Immutable. */
  interface Sent {
    getIn(path: string[]): string | undefined;
    setIn(path: string[], value: string): Sent;
  }
  interface Shown {
    request: Sent;
  }
  type Component = (shown: Shown) => unknown;
  interface System {
    React: { createElement: (component: Component, shown: Shown) => unknown };
  }
  interface Plugin {
    wrapComponents: { curl: (original: Component, system: System) => Component };
  }
  interface Options {
    domNode: HTMLElement;
    spec: object;
    plugins: (() => Plugin)[];
    defaultModelsExpandDepth: number;
    displayRequestDuration: boolean;
    docExpansion: "list" | "full" | "none";
    filter: boolean;
    persistAuthorization: boolean;
    requestInterceptor: (asked: Asked) => Asked;
    validatorUrl: null;
  }
  export default function SwaggerUI(options: Options): void;
}
