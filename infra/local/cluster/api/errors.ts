import type { Dict } from "../model/object.ts";

export interface StatusCause {
  reason: string;
  message: string;
  field: string;
}

/** An answer of the API other than success; rendered as a `Status` body. */
export class ApiError extends Error {
  readonly code: number;
  readonly reason: string;
  readonly details: Dict | undefined;

  constructor(code: number, reason: string, message: string, details?: Dict) {
    super(message);
    this.code = code;
    this.reason = reason;
    this.details = details;
  }

  /** The `Status` object on the wire. */
  body(): Dict {
    return {
      kind: "Status",
      apiVersion: "v1",
      metadata: {},
      status: "Failure",
      message: this.message,
      ...(this.reason ? { reason: this.reason } : {}),
      ...(this.details ? { details: this.details } : {}),
      code: this.code,
    };
  }
}

export interface Named {
  group: string;
  plural: string;
  kind: string;
}

/** `deployments.apps`, or `pods` in the core group. */
export function qualified(resource: Named): string {
  return resource.group ? `${resource.plural}.${resource.group}` : resource.plural;
}

function detailsOf(resource: Named, name: string, kind: string = resource.plural): Dict {
  return { ...(name ? { name } : {}), ...(resource.group ? { group: resource.group } : {}), kind };
}

export function notFound(resource: Named, name: string): ApiError {
  const text = `${qualified(resource)} ${JSON.stringify(name)} not found`;
  return new ApiError(404, "NotFound", text, detailsOf(resource, name));
}

export function alreadyExists(resource: Named, name: string): ApiError {
  const text = `${qualified(resource)} ${JSON.stringify(name)} already exists`;
  return new ApiError(409, "AlreadyExists", text, detailsOf(resource, name));
}

export function conflict(resource: Named, name: string, why: string): ApiError {
  const text = `Operation cannot be fulfilled on ${qualified(resource)} ${JSON.stringify(name)}: ${why}`;
  return new ApiError(409, "Conflict", text, detailsOf(resource, name));
}

export function staleObject(resource: Named, name: string): ApiError {
  return conflict(
    resource,
    name,
    "the object has been modified; please apply your changes to the latest version and try again",
  );
}

export function invalid(resource: Named, name: string | undefined, causes: StatusCause[]): ApiError {
  const listed = causes.map((cause) => `${cause.field}: ${cause.message}`);
  const joined = listed.length === 1 ? listed[0] : `[${listed.join(", ")}]`;
  const kind = resource.group ? `${resource.kind}.${resource.group}` : resource.kind;
  const text = `${kind} ${JSON.stringify(name ?? "")} is invalid: ${joined}`;
  return new ApiError(422, "Invalid", text, { ...detailsOf(resource, name ?? "", resource.kind), causes });
}

export function badRequest(text: string): ApiError {
  return new ApiError(400, "BadRequest", text);
}

export function forbidden(resource: Named, name: string, why: string, causes?: StatusCause[]): ApiError {
  const text = `${qualified(resource)} ${JSON.stringify(name)} is forbidden: ${why}`;
  return new ApiError(403, "Forbidden", text, { ...detailsOf(resource, name), ...(causes ? { causes } : {}) });
}

export function pathNotFound(): ApiError {
  return new ApiError(404, "NotFound", "the server could not find the requested resource", {});
}

export function methodNotAllowed(): ApiError {
  return new ApiError(405, "MethodNotAllowed", "the server does not allow this method on the requested resource", {});
}

export function gone(text: string): ApiError {
  return new ApiError(410, "Expired", text);
}
