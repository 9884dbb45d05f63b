import { randomUUID } from 'node:crypto'
import type { AuthInfo } from '@modelcontextprotocol/sdk/server/auth/types.js'
import type { Server } from '@modelcontextprotocol/sdk/server/index.js'
import { WebStandardStreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/webStandardStreamableHttp.js'
import { LATEST_PROTOCOL_VERSION, SUPPORTED_PROTOCOL_VERSIONS } from '@modelcontextprotocol/sdk/types.js'
import { SvcError } from '@svc/errors'
import type { Clock, Logger } from '../../ports.ts'
import { createEventStore, type EventLimits } from './event-store.ts'

/** Limits of the sessions of a server. */
export interface SessionLimits extends EventLimits {
  readonly maxSessions: number
  readonly maxSessionsOfOwner: number
  /** Time without a request and an open stream after which a session may end, milliseconds. */
  readonly idleMs: number
  /** Pause after which a client comes back to a stream, milliseconds. */
  readonly retryMs: number
}

/** Parts of {@link createSessions}. */
export interface SessionParts {
  readonly limits: SessionLimits
  readonly createServer: () => Server
  readonly clock: Pick<Clock, 'monotonic'>
  readonly logger: Logger
}

/** A message of a client to its session. */
export interface SessionRequest {
  readonly request: Request
  /** The parsed body of a POST. */
  readonly body?: unknown
  readonly authInfo: AuthInfo
}

/** Whom a session belongs to. */
export interface SessionOwner {
  /** The caller, whose sessions count together. */
  readonly caller: string
  /** The caller with the credential in use: no other one finds the session, as it may have other rights. */
  readonly credential: string
}

/** An open session. */
export interface Session {
  /** The version that its messages speak where they name none. */
  readonly protocolVersion: string
  handle(request: SessionRequest): Promise<Response>
  /** Keeps the session while a reply of it is sent. @returns a function that ends this */
  use(): () => void
}

/** The sessions of the protocol. */
export interface Sessions {
  readonly count: number
  /** Finds the session of an id; undefined for one that does not exist or belongs to somebody else. */
  find(id: string, owner: SessionOwner): Session | undefined
  /**
   * Opens a session, which ends with its first message where that does not initialize it.
   *
   * @param asked the version that the client asks for
   * @throws {SvcError} `rate_limited`
   */
  open(owner: SessionOwner, asked: string): Promise<Session>
  /** Ends all sessions. */
  closeAll(): void
}

interface OpenSession extends Session {
  readonly owner: SessionOwner
  readonly transport: WebStandardStreamableHTTPServerTransport
  users: number
  lastUsed: number
}

/** Creates the list of sessions. */
export function createSessions({ limits, createServer, clock, logger }: SessionParts): Sessions {
  const sessions = new Map<string, OpenSession>()

  function end(id: string, session: OpenSession): void {
    sessions.delete(id)
    session.transport.close().catch((err: unknown) => logger.debug({ err }, 'a session did not end cleanly'))
  }

  function endIdle(): void {
    const before = clock.monotonic() - limits.idleMs
    for (const [id, session] of sessions) if (session.users === 0 && session.lastUsed < before) end(id, session)
  }

  /** Ends the session that was unused for the longest time. @returns whether there was one */
  function endOldest(isMeant: (session: OpenSession) => boolean): boolean {
    const unused = [...sessions].filter(([, session]) => session.users === 0 && isMeant(session))
    const oldest = unused.toSorted(([, one], [, other]) => one.lastUsed - other.lastUsed)[0]
    if (oldest !== undefined) end(...oldest)
    return oldest !== undefined
  }

  function makeRoom({ caller }: SessionOwner): void {
    endIdle()
    const isOwn = (session: OpenSession): boolean => session.owner.caller === caller
    const ownCount = [...sessions.values()].filter(isOwn).length
    if (ownCount >= limits.maxSessionsOfOwner && !endOldest(isOwn)) throw tooMany()
    if (sessions.size >= limits.maxSessions && !endOldest(isOwn) && !endOldest(() => true)) throw tooMany()
  }

  return {
    get count() {
      return sessions.size
    },
    find(id, owner) {
      const session = sessions.get(id)
      return session?.owner.credential === owner.credential ? session : undefined
    },
    async open(owner, asked) {
      makeRoom(owner)
      const id = randomUUID()
      const transport = new WebStandardStreamableHTTPServerTransport({
        sessionIdGenerator: () => id,
        eventStore: createEventStore(limits),
        retryInterval: limits.retryMs,
      })
      const session: OpenSession = {
        owner,
        transport,
        protocolVersion: SUPPORTED_PROTOCOL_VERSIONS.includes(asked) ? asked : LATEST_PROTOCOL_VERSION,
        users: 0,
        lastUsed: clock.monotonic(),
        async handle({ request, body, authInfo }) {
          session.lastUsed = clock.monotonic()
          const options = body === undefined ? { authInfo } : { parsedBody: body, authInfo }
          try {
            return await transport.handleRequest(request, options)
          } finally {
            opened()
            if (transport.sessionId === undefined) end(id, session)
          }
        },
        use() {
          session.users += 1
          let isUsed = true
          return () => {
            if (!isUsed) return
            isUsed = false
            session.users -= 1
            session.lastUsed = clock.monotonic()
          }
        },
      }
      // It takes its room, and keeps it, before its client has initialized it.
      const opened = session.use()
      sessions.set(id, session)
      const server = createServer()
      server.onerror = (err) => logger.debug({ err }, 'a message of the assistant protocol failed')
      await server.connect(transport)
      const onClose = transport.onclose
      transport.onclose = () => {
        sessions.delete(id)
        onClose?.()
      }
      return session
    },
    closeAll() {
      for (const [id, session] of sessions) end(id, session)
    },
  }
}

function tooMany(): SvcError {
  return new SvcError('rate_limited', 'too many sessions are in use', { code: 'too_many_sessions', retryAfterMs: 5000 })
}
