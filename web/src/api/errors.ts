/**
 * A request that came to nothing, in words for a person.
 *
 * `code` is for programs: the server's own, or `unreachable` when there was no answer at all.
 */
export class ApiError extends Error {
  readonly status: number;
  readonly code: string;
  readonly field: string | null;
  readonly hint: string | null;

  constructor(about: {
    status: number;
    code: string;
    message: string;
    field?: string | null;
    hint?: string | null;
  }) {
    super(about.message);
    this.name = "ApiError";
    this.status = about.status;
    this.code = about.code;
    this.field = about.field ?? null;
    this.hint = about.hint ?? null;
  }
}

/** Everything there is to tell about a failure: the sentence, and what to do next. */
export function sentence(error: unknown): string {
  if (!(error instanceof ApiError)) return error instanceof Error ? error.message : String(error);
  return error.hint ? `${error.message} ${error.hint}` : error.message;
}

export const UNREACHABLE = new ApiError({
  status: 0,
  code: "unreachable",
  message: "The server cannot be reached.",
  hint: "Check that it runs and that you are connected, then try again.",
});

/** An answer that is no success, read. A proxy before the server may have written it, in any form. */
export async function errorOf(response: Response): Promise<ApiError> {
  const { status } = response;
  const body: unknown = await response.json().catch(() => null);
  const detail = isObject(body) && isObject(body.error) ? body.error : null;
  if (detail === null || typeof detail.message !== "string") {
    return new ApiError({ status, code: "unknown", message: `The server answered with status ${status}.` });
  }
  return new ApiError({
    status,
    code: text(detail.code) ?? "unknown",
    message: detail.message,
    field: text(detail.field),
    hint: text(detail.hint),
  });
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null;

const text = (value: unknown): string | null => (typeof value === "string" ? value : null);
