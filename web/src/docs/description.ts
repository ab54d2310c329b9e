/** The server's own description, as this page shows it. */

export interface Description {
  servers?: { url: string }[];
  paths: Record<string, Record<string, { security?: Record<string, string[]>[] }>>;
  components: { securitySchemes: Record<string, unknown> };
}

/**
 * Asked at the address of this page, also below a path of a proxy. The cookie is not offered: what is tried out
 * here is done by who typed a token, or the code of a public link, and never by who is signed in.
 */
export function tryable(description: Description, root: URL): Description {
  const { cookie: _, ...schemes } = description.components.securitySchemes;
  for (const operations of Object.values(description.paths)) {
    for (const operation of Object.values(operations)) {
      operation.security = operation.security?.filter((way) => !("cookie" in way));
    }
  }
  return {
    ...description,
    servers: [{ url: root.href.replace(/\/$/, "") }],
    components: { ...description.components, securitySchemes: schemes },
  };
}

/** What a request says of who asks, as others may see it. */
export const withoutSecret = (authorization: string): string =>
  authorization.startsWith("Bearer ") ? "Bearer TOKEN" : "Guest CODE";
