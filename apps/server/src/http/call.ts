import type { Authentication, Principal } from '@svc/auth'
import { type SvcError, toSvcError } from '@svc/errors'
import type { Context } from 'hono'
import type { RequestContext } from '../inference/core/ports.ts'
import type { LogFields, Logger } from '../ports.ts'
import type { ServerReply, ServerRequest } from './messages.ts'
import { ANONYMOUS } from './middleware/authenticate.ts'
import type { MatchedPath } from './middleware/authorize.ts'
import { type ChangeNotes, type ChangeOutcome, findChange, type MadeChange } from './route-audit.ts'
import type { RouteInfo } from './route-info.ts'
import { type Admitted, RunningCall, type RunningCalls } from './running-calls.ts'
import type { Upgrade } from './upgrade.ts'

/** The environment of Hono's context. */
export interface HonoEnv {
  Bindings: {
    readonly incoming: ServerRequest
    readonly outgoing: ServerReply
    readonly upgrade?: Upgrade
    /** What Hono's server takes for a reply that was written already. */
    readonly alreadySent: Response
  }
}

/** One HTTP call, as handlers see it. Its id is the client's when that is well formed. */
export interface Call extends RequestContext {
  readonly route: RouteInfo
  /** The caller, with the credential that proved who it is. */
  readonly authentication: Authentication
  readonly incoming: ServerRequest
  readonly outgoing: ServerReply
  /** The address of the peer, or the one that a trusted proxy names. */
  readonly clientAddress: string
  /** The URL of this server as the client sees it, ending in `/`. */
  readonly baseUrl: string
  /** The path that found the route, not decoded, without a prefix that a proxy put before it. */
  readonly path: string
  /** A value of the path, percent-decoded; empty if the pattern has no such name. */
  param(name: string): string
  /** The first value of that name in the query. */
  query(name: string): string | undefined
  /** Notes facts of the change that the handler makes, for the audit log. Later notes replace earlier ones. */
  noteChange(notes: ChangeNotes): void
  /** Records the change now, as done: for a reply that lasts. */
  recordChange(): Promise<void>
  /**
   * Makes sure that the caller still has the right to the call, after time that the client could draw out.
   *
   * @throws {SvcError} `unauthenticated` or `forbidden`
   */
  confirm(): Promise<void>
  /** Begins a request inside the call, which can outlive it: a turn on a socket, a response in the background. */
  derive(changes?: CallChanges): DerivedCall
}

/** A request inside a call, with an abort of its own. It ends when its caller loses the right to it. */
export interface DerivedCall {
  /** The call as the request sees it. */
  readonly call: CallState
  end(reason: SvcError): void
  /** Lets the request outlive the signal that it was derived with. */
  detach(): void
  /** Forgets the request, which has ended. */
  close(): void
}

/** The facts in which a request inside a call may differ. */
export interface CallChanges extends Partial<Pick<Call, 'requestId' | 'startedAt'>> {
  /** Ends the request. @default the request does not end with the call */
  readonly signal?: AbortSignal | undefined
}

/** A request whose route has been found. */
export interface CallSource {
  readonly incoming: ServerRequest
  readonly outgoing: ServerReply
  /** Set for a WebSocket handshake. */
  readonly upgrade: Upgrade | undefined
  /** The path that found the route, without a prefix that a proxy put before it. */
  readonly path: string
  param(name: string): string | undefined
  query(name: string): string | undefined
}

/** A call whose route Hono has found. */
export class MatchedSource implements CallSource {
  readonly #context: Context<HonoEnv>

  constructor(context: Context<HonoEnv>) {
    this.#context = context
  }

  get incoming(): ServerRequest {
    return this.#context.env.incoming
  }

  get outgoing(): ServerReply {
    return this.#context.env.outgoing
  }

  get upgrade(): Upgrade | undefined {
    return this.#context.env.upgrade
  }

  get path(): string {
    return this.#context.req.path
  }

  param(name: string): string | undefined {
    return this.#context.req.param(name)
  }

  query(name: string): string | undefined {
    return this.#context.req.query(name)
  }
}

/** A call whose path is that of a route without parameters. */
export class LiteralSource implements CallSource {
  readonly incoming: ServerRequest
  readonly outgoing: ServerReply
  readonly upgrade = undefined
  readonly path: string
  #query: URLSearchParams | undefined

  constructor(incoming: ServerRequest, outgoing: ServerReply, path: string) {
    this.incoming = incoming
    this.outgoing = outgoing
    this.path = path
  }

  param(_name: string): undefined {
    return undefined
  }

  query(name: string): string | undefined {
    const { url = '' } = this.incoming
    const mark = url.indexOf('?')
    if (mark < 0) return undefined
    this.#query ??= new URLSearchParams(url.slice(mark + 1))
    return this.#query.get(name) ?? undefined
  }
}

/** The path of the base URL, without a slash at its end. */
export function pathPrefix({ baseUrl }: Pick<Call, 'baseUrl'>): string {
  return new URL(baseUrl).pathname.slice(0, -1)
}

/** Parts that all calls of an edge share. */
export interface EdgeParts {
  /** The requests inside of calls. */
  readonly derived: RunningCalls
  /** Asks for the caller of a call again where rights have changed. */
  readonly confirm: (call: CallState) => Promise<void>
  /** Records a change of a call. Never rejects. */
  readonly record: (call: Call, change: MadeChange) => Promise<void>
}

/** The facts that the edge knows when a call begins. */
export interface CallFacts {
  readonly route: RouteInfo
  readonly requestId: string
  readonly running: RunningCall
  readonly edge: EdgeParts
  readonly clientAddress: string
  readonly baseUrl: string
  readonly startedAt: number
  readonly log: Logger
  /** The tool that makes the call for its caller. @default the caller makes it */
  readonly tool?: string | undefined
}

const NO_NOTES: ChangeNotes = {}
const NOWHERE: MatchedPath = { pattern: '', path: '' }

/** The call of a request that has a route. The edge sets the caller later. */
// A class: an object literal would make its methods anew for each request.
export class CallState implements Call, Admitted {
  readonly route: RouteInfo
  readonly requestId: string
  authentication: Authentication
  /** The generation of rights with which the caller was let in. Set by the edge together with the caller. */
  rightsGeneration = 0
  /** Set by the edge together with the caller. */
  matched: MatchedPath = NOWHERE
  readonly abort: RunningCall
  readonly incoming: ServerRequest
  readonly outgoing: ServerReply
  readonly clientAddress: string
  readonly baseUrl: string
  readonly startedAt: number
  readonly log: Logger
  private readonly tool: string | undefined
  private readonly source: CallSource
  private readonly edge: EdgeParts
  private changeNotes: ChangeNotes = NO_NOTES
  private isRecorded = false

  constructor(source: CallSource, facts: CallFacts) {
    this.route = facts.route
    this.requestId = facts.requestId
    this.authentication = ANONYMOUS
    this.abort = facts.running
    this.incoming = source.incoming
    this.outgoing = source.outgoing
    this.clientAddress = facts.clientAddress
    this.baseUrl = facts.baseUrl
    this.startedAt = facts.startedAt
    this.log = facts.log
    this.tool = facts.tool
    this.source = source
    this.edge = facts.edge
  }

  get principal(): Principal {
    return this.authentication.principal
  }

  get signal(): AbortSignal {
    return this.abort.signal
  }

  get path(): string {
    return this.source.path
  }

  param(name: string): string {
    return this.source.param(name) ?? ''
  }

  query(name: string): string | undefined {
    return this.source.query(name)
  }

  header(name: string): string | undefined {
    const value = this.incoming.headers[name]
    return Array.isArray(value) ? value.join(', ') : value
  }

  useModel(model: string, through: readonly string[]): void {
    // The model is the target of a change that has no other one.
    if (this.route.audit !== undefined && this.changeNotes.target === undefined) this.noteChange({ target: model })
    this.abort.useModel({ model, through })
  }

  noteChange(notes: ChangeNotes): void {
    this.changeNotes = { ...this.changeNotes, ...notes }
  }

  recordChange(outcome: ChangeOutcome = 'done'): Promise<void> {
    const audited = findChange(this.route)
    if (audited === undefined || this.isRecorded) return Promise.resolve()
    this.isRecorded = true
    const { target } = audited
    const { change = audited.change, ...notes } = this.changeNotes
    const named = target === undefined ? {} : { target: this.param(target) }
    return this.edge.record(this, { ...named, ...notes, change, outcome, tool: this.tool })
  }

  confirm(): Promise<void> {
    return this.edge.confirm(this)
  }

  derive({ signal, requestId = this.requestId, startedAt = this.startedAt }: CallChanges = {}): DerivedCall {
    const { route, edge, clientAddress, baseUrl, log, tool } = this
    const running = new RunningCall()
    const facts = { route, requestId, running, edge, clientAddress, baseUrl, startedAt, log, tool }
    const call = new CallState(this.source, facts)
    call.authentication = this.authentication
    call.rightsGeneration = this.rightsGeneration
    call.matched = this.matched
    running.admitted = call
    edge.derived.add(running)
    const end = (reason: SvcError): void => running.end(reason)
    const detach = signal === undefined ? () => undefined : endWith(signal, end)
    const close = (): void => {
      detach()
      edge.derived.delete(running)
    }
    return { call, end, detach, close }
  }
}

/** Calls `end` when a signal aborts. @returns a function that ends the wait */
function endWith(signal: AbortSignal, end: (reason: SvcError) => void): () => void {
  const onAbort = (): void => end(toSvcError(signal.reason))
  if (signal.aborted) onAbort()
  else signal.addEventListener('abort', onAbort, { once: true })
  return () => signal.removeEventListener('abort', onAbort)
}

/** The log of one call. Its first line makes the child logger. */
export class CallLog implements Logger {
  readonly #root: RootLog
  readonly #fields: Readonly<Record<string, unknown>>
  #log: Logger | undefined

  constructor(root: RootLog, fields: Readonly<Record<string, unknown>>) {
    this.#root = root
    this.#fields = fields
  }

  debug(fields: LogFields, message: string): void {
    // Most calls log only debug lines, and few logs keep those.
    if (this.#root.isLevelEnabled?.('debug') !== false) this.#own().debug(fields, message)
  }

  info(fields: LogFields, message: string): void {
    this.#own().info(fields, message)
  }

  warn(fields: LogFields, message: string): void {
    this.#own().warn(fields, message)
  }

  error(fields: LogFields, message: string): void {
    this.#own().error(fields, message)
  }

  #own(): Logger {
    this.#log ??= this.#root.child(this.#fields)
    return this.#log
  }
}

/** A log that makes child loggers. */
export interface RootLog extends Logger {
  child(fields: Record<string, unknown>): Logger
  isLevelEnabled?(level: string): boolean
}
