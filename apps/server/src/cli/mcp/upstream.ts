import { StreamableHTTPClientTransport, StreamableHTTPError } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import {
  InitializeResultSchema,
  isInitializeRequest,
  isJSONRPCErrorResponse,
  isJSONRPCRequest,
  isJSONRPCResultResponse,
  type JSONRPCMessage,
  type JSONRPCRequest,
} from '@modelcontextprotocol/sdk/types.js'
import { SvcError } from '@svc/errors'

/** Id of the request with which a session is opened again. */
const AGAIN = 'svc-session'
/** Longest wait for a session that is opened again, milliseconds. */
const OPENING_MS = 30_000
/** Longest wait for the end of a session, milliseconds. */
const ENDING_MS = 2000

/** Parts of {@link createUpstream}. */
export interface UpstreamParts {
  readonly url: URL
  readonly headers: Readonly<Record<string, string>>
  readonly onMessage: (message: JSONRPCMessage) => void
  readonly onProblem: (text: string) => void
}

/** The session of a client on the server. */
export interface Upstream {
  /** Sends a message. A session that the server does not know any more is opened again. @throws the transport's errors */
  send(message: JSONRPCMessage): Promise<void>
  /** Ends the session. Never rejects. */
  close(): Promise<void>
}

/** Creates a session on a server. */
export function createUpstream({ url, headers, onMessage, onProblem }: UpstreamParts): Upstream {
  let initialize: JSONRPCRequest | undefined
  let transport = createTransport()
  let opening: Promise<void> | undefined
  let isLost = false
  let opened: ((message: JSONRPCMessage) => void) | undefined

  function createTransport(): StreamableHTTPClientTransport {
    const created = new StreamableHTTPClientTransport(url, {
      requestInit: { headers },
      reconnectionOptions: {
        initialReconnectionDelay: 500,
        maxReconnectionDelay: 10_000,
        reconnectionDelayGrowFactor: 1.5,
        maxRetries: 10,
      },
    })
    created.onmessage = take
    created.onerror = ({ message }) => onProblem(message)
    return created
  }

  function take(message: JSONRPCMessage): void {
    const isAnswer = isJSONRPCResultResponse(message) || isJSONRPCErrorResponse(message)
    if (isAnswer && (message.id === initialize?.id || message.id === AGAIN) && 'result' in message) {
      const { data } = InitializeResultSchema.safeParse(message.result)
      if (data !== undefined) transport.setProtocolVersion(data.protocolVersion)
    }
    if (isAnswer && message.id === AGAIN) opened?.(message)
    else onMessage(message)
  }

  async function openAgain(request: JSONRPCRequest): Promise<void> {
    const before = transport
    transport = createTransport()
    before.onmessage = () => undefined
    await before.close().catch(() => undefined)
    await transport.start()
    const answer = new Promise<JSONRPCMessage>((resolve) => {
      opened = resolve
    })
    await transport.send({ ...request, id: AGAIN })
    const patience = AbortSignal.timeout(OPENING_MS)
    const message = await Promise.race([answer, whenAborted(patience)])
    if (message === undefined || 'error' in message) throw new SvcError('unavailable', 'the server opens no session')
    await transport.send({ jsonrpc: '2.0', method: 'notifications/initialized' })
  }

  /** Opens the session again. Messages that need it at the same time share it. */
  function reopen(request: JSONRPCRequest): Promise<void> {
    isLost = true
    opening ??= openAgain(request)
      .then(() => {
        isLost = false
      })
      .finally(() => {
        opening = undefined
      })
    return opening
  }

  return {
    async send(message) {
      if (isInitializeRequest(message) && isJSONRPCRequest(message)) {
        initialize = message
        isLost = false
        await transport.start().catch(() => undefined)
        return transport.send(message)
      }
      if (initialize !== undefined && (isLost || opening !== undefined)) await reopen(initialize)
      const used = transport
      try {
        await used.send(message)
      } catch (error) {
        const isUnknown = error instanceof StreamableHTTPError && error.code === 404
        if (!isUnknown || initialize === undefined) throw error
        if (used === transport) await reopen(initialize)
        await transport.send(message)
      }
    },
    async close() {
      const ended = transport.terminateSession().catch(() => undefined)
      await Promise.race([ended, whenAborted(AbortSignal.timeout(ENDING_MS))])
      await transport.close().catch(() => undefined)
    },
  }
}

function whenAborted(signal: AbortSignal): Promise<undefined> {
  return new Promise((resolve) => signal.addEventListener('abort', () => resolve(undefined), { once: true }))
}
