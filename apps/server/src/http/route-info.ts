import type { Feature } from '@svc/auth'
import type { RequestFormat } from '@svc/pii/documents'
import type * as z from 'zod'
import type { ScannedWhen } from '../inference/core/ports.ts'
import type { RouteAudit } from './route-audit.ts'

/**
 * The audience of a route: everybody, any credential, the caller for own data, admins, workers with the registration
 * token.
 */
export type Access = 'none' | 'any' | 'self' | 'admin' | 'node'

/**
 * The error body a route answers with (§7.1): OpenAI-compatible, the same with a `message` beside it (rerank), messages,
 * responses, a text with its `type` beside it (alternate ecosystem), `{error: text}` (account endpoints), the same with
 * `success`, `message` and `pending_cleanup` (model files) or with `success` only (settings), audio vendor.
 */
export type ErrorFamily =
  | 'compatible'
  | 'rerank'
  | 'messages'
  | 'responses'
  | 'string'
  | 'flat'
  | 'model-file'
  | 'settings'
  | 'vendor'

export type HttpMethod = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'

/** Loads a schema. Only the OpenAPI document reads the schemas of rows: a start loads none of them. */
export type LoadSchema<T extends z.ZodType = z.ZodType> = () => Promise<T>

/** A documented answer of a route. */
export interface RouteResponse {
  readonly description: string
  readonly schema?: LoadSchema | undefined
  /** @default 'application/json' when there is a schema */
  readonly contentType?: string | undefined
}

/** The sockets of a route. */
export interface SocketInfo {
  /** Subprotocols that the route speaks. The answer names no other. */
  readonly protocols: readonly string[]
  /** Whether messages may be binary. @default false */
  readonly binary?: boolean | undefined
  /** Reads no further from a client that is ahead, instead of closing its socket. @default false */
  readonly waits?: boolean | undefined
}

/** A route without its handler, as readers of the route table see it: gate, OpenAPI, metrics, tests. */
export interface RouteInfo {
  readonly method: HttpMethod
  /** Path pattern with `:name` parameters; also the metrics label. */
  readonly path: string
  /** Further patterns with the same meaning. */
  readonly aliases?: readonly string[] | undefined
  readonly access: Access
  readonly feature?: Feature | undefined
  /**
   * Name of the route in the scopes of keys.
   *
   * @default the feature, else `admin`, `account` for the caller's own data, or `general`
   */
  readonly group?: string | undefined
  readonly family: ErrorFamily
  /** The use that a model must have to serve the route; inference routes only. */
  readonly usecase?: string | undefined
  /** Whether a request must name its model; else the first of the usecase serves. @default false */
  readonly modelRequired?: boolean | undefined
  /** The refusal of an unknown model name: 404 with the name, or 400 with a fixed text. @default 'not_found' */
  readonly unknownModel?: 'not_found' | 'invalid_request' | undefined
  /** The format by which the PII filter scans the request body; not scanned without one. @default false */
  readonly scanned?: RequestFormat | false | undefined
  /** @default 'always' */
  readonly scannedWhen?: ScannedWhen | undefined
  /** The body may be a form (`multipart/form-data`). @default false */
  readonly form?: boolean | undefined
  /** Clients leave HTTP for a WebSocket here; a request that does not ask for one goes to the handler. */
  readonly socket?: SocketInfo | undefined
  readonly tag: string
  readonly summary: string
  readonly query?: LoadSchema<z.ZodObject> | undefined
  readonly body?: LoadSchema | undefined
  /** Media type of a body; none that a form of HTML can send, unless {@link form} is set. @default 'application/json' */
  readonly bodyType?: string | undefined
  readonly responses?: Readonly<Record<number, RouteResponse>> | undefined
  /**
   * The way in which the audit log keeps the changes that the route makes. Every route for admins with another method
   * than GET has it (docs/accounts.md).
   */
  readonly audit?: RouteAudit | undefined
  /** Logged at trace level only: health checks and pollers. */
  readonly quiet?: boolean | undefined
  /**
   * Browsers may keep the reply, and ask each time whether it has changed. Such a reply holds no secret and no person.
   * Replies of other routes behind the gate, and of accounts, are never kept.
   *
   * @default false
   */
  readonly revalidated?: boolean | undefined
}

/** All path patterns of a route: its own and its aliases. */
export function listPaths(route: RouteInfo): readonly string[] {
  return route.aliases === undefined ? [route.path] : [route.path, ...route.aliases]
}
