import type { OAuthClientProvider } from '@modelcontextprotocol/sdk/client/auth.js'
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { SSEClientTransport, SseError } from '@modelcontextprotocol/sdk/client/sse.js'
import { StreamableHTTPClientTransport, StreamableHTTPError } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js'
import { isJSONRPCErrorResponse, isJSONRPCResultResponse } from '@modelcontextprotocol/sdk/types.js'
import type { JsonSchemaValidator, jsonSchemaValidator } from '@modelcontextprotocol/sdk/validation/types.js'
import { SvcError } from '@svc/errors'
import { type Environment, toChildEnvironment } from '../backends/child-environment.ts'
import type { BackendProcess } from '../backends/process.ts'
import { settlesWithin } from '../backends/settles-within.ts'
import type { McpServerSettings, RemoteServerSettings, StdioServerSettings } from '../catalog/mcp-settings.ts'
import type { OutboundClient } from '../outbound/client.ts'
import type { Trust } from '../outbound/failures.ts'
import type { Clock, Logger } from '../ports.ts'
import { serverFailed, toServerFailure, toWords } from './failures.ts'
import { createGuardedFetch, type GuardedFetch } from './guarded-fetch.ts'
import { CONNECT_MS, START_MS } from './limits.ts'
import { createStdioTransport } from './stdio-transport.ts'

/** Parts that every connection needs. */
export interface ConnectionParts {
  readonly outbound: OutboundClient
  /** The environment of this server; programs get its allowed part. */
  readonly environment: Environment
  /** Working folder of programs. */
  readonly cwd: string
  readonly version: string
  readonly maxMessageBytes: number
  /** Longest start of a program. @default {@link START_MS} */
  readonly startMs?: number | undefined
  /** Longest handshake of a remote server. @default {@link CONNECT_MS} */
  readonly connectMs?: number | undefined
  /** Called with each program that runs. */
  readonly onProcess: (process: BackendProcess, end: (failure: SvcError) => void, name: string) => void
  readonly clock: Clock
  readonly logger: Logger
}

/** A server that has agreed on the protocol. */
export interface Connection {
  readonly client: Client
  /** The failure that ended the connection; undefined while it lives. */
  failure(): SvcError | undefined
  /** Called once, when the connection has ended for any reason. */
  onEnd(listener: () => void): void
  /** Ends the connection, and the program behind it. Must not throw. */
  close(failure?: SvcError): Promise<void>
}

/** Statuses with which servers of the older transport answer a POST to their address. */
const OLDER_SERVER = new Set([400, 404, 405, 406, 415, 501])

/** Options of {@link connect}. */
export interface ConnectOptions {
  readonly trust: Trust
  readonly signal: AbortSignal
  /** Gives and renews the tokens of a remote server. */
  readonly authProvider?: OAuthClientProvider | undefined
}

/**
 * Connects to a server and shakes hands with it.
 *
 * @throws {SvcError} `upstream_failed`, `timeout`, `too_large`, `unavailable`; those of the guarded client
 */
export async function connect(
  server: McpServerSettings,
  { trust, signal, authProvider }: ConnectOptions,
  parts: ConnectionParts,
): Promise<Connection> {
  if (server.kind === 'stdio') {
    return open(server, parts, (life) => openProgram(server, parts, life), {
      timeout: parts.startMs ?? START_MS,
      signal,
    })
  }
  const over = (transport: 'http' | 'sse'): Promise<Connection> =>
    open(server, parts, (life) => openRemote({ server, transport, trust, authProvider }, parts, life), {
      timeout: parts.connectMs ?? CONNECT_MS,
      signal,
    })
  if (server.transport !== 'auto') return over(server.transport)
  try {
    return await over('http')
  } catch (error) {
    const cause = SvcError.is(error) ? error.cause : undefined
    if (!(cause instanceof StreamableHTTPError) || !OLDER_SERVER.has(cause.code ?? 0)) throw error
    return over('sse')
  }
}

/** The life of a connection, as its transport sees it. */
interface Life {
  fail(failure: SvcError): void
}

interface OpenTransport {
  readonly transport: Transport
  readonly fetch?: GuardedFetch | undefined
}

async function open(
  server: McpServerSettings,
  parts: ConnectionParts,
  start: (life: Life) => OpenTransport,
  { timeout, signal }: { readonly timeout: number; readonly signal: AbortSignal },
): Promise<Connection> {
  const { name } = server
  signal.throwIfAborted()
  const client = new Client(
    { name: 'svc', version: parts.version },
    { capabilities: {}, jsonSchemaValidator: NO_CHECKS },
  )
  let failure: SvcError | undefined
  let isOpen = false
  const ended = new EventTarget()
  let closing: Promise<void> | undefined

  const close = (reason: SvcError = serverFailed(name, 'was closed')): Promise<void> => {
    failure ??= reason
    closing ??= shut()
    return closing
  }
  const { transport, fetch } = start({ fail: (reason) => void close(reason) })
  async function shut(): Promise<void> {
    if (failure?.code === CLOSED_BY_US && transport instanceof StreamableHTTPClientTransport) {
      await settlesWithin(transport.terminateSession(), GOODBYE_MS, parts.clock)
    }
    await client.close().catch(() => undefined)
    await transport.close().catch(() => undefined)
    fetch?.close()
    ended.dispatchEvent(new Event('end'))
  }
  client.onclose = () => {
    // A failed handshake closes the connection before it says why.
    if (isOpen) void close(serverFailed(name, 'closed the connection'))
  }
  client.onerror = (error) => onError(error)
  function onError(error: Error): void {
    parts.logger.debug({ server: name, reason: toWords(error.message) }, 'mcp connection reports an error')
    // The library opens such a stream anew, and the server knows nothing of the session then.
    if (isOpen && error instanceof SseError) void close(serverFailed(name, 'closed the connection'))
  }

  const timer = new AbortController()
  const onAbort = (): void => void close(SvcError.is(signal.reason) ? signal.reason : undefined)
  signal.addEventListener('abort', onAbort)
  try {
    const late = parts.clock.sleep(timeout, { signal: timer.signal }).then(() => {
      throw new SvcError('timeout', `the MCP server "${name}" did not start in time`, {
        code: 'mcp_timeout',
        details: { upstream: true },
      })
    })
    late.catch(() => undefined)
    await Promise.race([client.connect(transport, { timeout }), late])
    isOpen = true
  } catch (error) {
    const reason = failure ?? toServerFailure(error, { server: name, what: 'start' })
    await close(reason)
    throw reason
  } finally {
    timer.abort()
    signal.removeEventListener('abort', onAbort)
  }
  return {
    client,
    failure: () => failure,
    onEnd: (listener) => ended.addEventListener('end', listener, { once: true }),
    close: (reason) => close(reason ?? closedByUs(name)),
  }
}

/** Time that a remote server gets to hear that a session is over. */
const GOODBYE_MS = 1000
const CLOSED_BY_US = 'mcp_session_closed'

function closedByUs(server: string): SvcError {
  return new SvcError('unavailable', `the session of the MCP server "${server}" was closed`, { code: CLOSED_BY_US })
}

/** Tools say what they answer in schemas of their own. Compiling foreign schemas would run code that they make. */
const NO_CHECKS: jsonSchemaValidator = {
  getValidator: <T>(): JsonSchemaValidator<T> => {
    // The data is what the schema is said to describe.
    return (input) => ({ valid: true, data: input as T, errorMessage: undefined })
  },
}

function openProgram(server: StdioServerSettings, parts: ConnectionParts, life: Life): OpenTransport {
  const transport = createStdioTransport({
    server: server.name,
    command: server.command,
    args: server.args,
    cwd: parts.cwd,
    env: { ...listVariables(parts.environment), ...server.env },
    maxMessageBytes: parts.maxMessageBytes,
    onStarted: (process) => parts.onProcess(process, life.fail, server.name),
    onFailed: life.fail,
    clock: parts.clock,
    logger: parts.logger,
  })
  return { transport }
}

/** The variables of this server that backends see, without the token of the hub: programs are written by strangers. */
function listVariables(environment: Environment): Record<string, string> {
  const { HF_TOKEN: _, ...others } = toChildEnvironment(environment)
  return others
}

function openRemote(
  {
    server,
    transport: kind,
    trust,
    authProvider,
  }: Pick<ConnectOptions, 'trust' | 'authProvider'> & {
    readonly server: RemoteServerSettings
    readonly transport: 'http' | 'sse'
  },
  parts: ConnectionParts,
  life: Life,
): OpenTransport {
  const { name, url, token, headers, timeoutMs } = server
  const guarded = createGuardedFetch({
    client: parts.outbound,
    clock: parts.clock,
    server: name,
    url,
    trust,
    token,
    headers,
    issuer: server.oauth?.issuer,
    timeoutMs,
    maxMessageBytes: parts.maxMessageBytes,
    onLost: (id, failure) => {
      if (failure.kind === 'too_large') return life.fail(failure)
      transport.onmessage?.({ jsonrpc: '2.0', id, error: { code: -32_603, message: failure.message } })
    },
  })
  const shared = { fetch: guarded.fetch, ...(authProvider === undefined ? {} : { authProvider }) }
  const transport = watched(
    kind === 'http'
      ? new StreamableHTTPClientTransport(new URL(url), { ...shared, reconnectionOptions: RECONNECTION })
      : new SSEClientTransport(new URL(url), shared),
    guarded,
  )
  return { transport, fetch: guarded }
}

const RECONNECTION = {
  initialReconnectionDelay: 500,
  maxReconnectionDelay: 10_000,
  reconnectionDelayGrowFactor: 2,
  maxRetries: 4,
}

/** Tells the guarded fetch which requests are answered. */
function watched<T extends Transport>(transport: T, guarded: GuardedFetch): T {
  transport.onmessage = (message) => {
    if ((isJSONRPCResultResponse(message) || isJSONRPCErrorResponse(message)) && message.id !== undefined) {
      guarded.settle(message.id)
    }
  }
  return transport
}
