import type { Readable, Writable } from 'node:stream'
import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js'
import {
  CancelledNotificationSchema,
  ErrorCode,
  isJSONRPCErrorResponse,
  isJSONRPCRequest,
  isJSONRPCResultResponse,
  type JSONRPCMessage,
  type JSONRPCRequest,
} from '@modelcontextprotocol/sdk/types.js'
import { createUpstream, type Upstream } from './upstream.ts'

/** Longest line of a client, bytes. */
const MAX_LINE_BYTES = 4 * 1024 * 1024
/** Most requests that wait for an answer. */
const MAX_WAITING = 64
/** Longest wait for answers after the end of the input, milliseconds. */
const LAST_ANSWERS_MS = 5000

/** Parts of {@link runBridge}. */
export interface BridgeParts {
  readonly input: Readable
  readonly output: Writable
  /** The address of the protocol on the server. */
  readonly url: URL
  readonly headers: Readonly<Record<string, string>>
  /** Ends the bridge. */
  readonly signal: AbortSignal
  /** Takes a line about something that went wrong. */
  readonly onProblem: (text: string) => void
}

/** Passes the messages of a client on its streams to a server, and back, until the input ends. */
export async function runBridge({ input, output, url, headers, signal, onProblem }: BridgeParts): Promise<void> {
  const waiting = new Set<JSONRPCRequest['id']>()
  let onAnswered = (): void => undefined
  const client = new StdioServerTransport(input as typeof process.stdin, output as typeof process.stdout, {
    maxBufferSize: MAX_LINE_BYTES,
  })

  function give(message: JSONRPCMessage): void {
    if ((isJSONRPCResultResponse(message) || isJSONRPCErrorResponse(message)) && message.id !== undefined)
      waiting.delete(message.id)
    void client.send(message).then(onAnswered)
  }
  const refuse = (id: JSONRPCRequest['id'], code: number, message: string): void =>
    give({ jsonrpc: '2.0', id, error: { code, message } })
  const upstream: Upstream = createUpstream({ url, headers, onMessage: give, onProblem })

  async function pass(message: JSONRPCMessage): Promise<void> {
    const id = isJSONRPCRequest(message) ? message.id : undefined
    if (id !== undefined && waiting.size >= MAX_WAITING)
      return refuse(id, ErrorCode.InvalidRequest, 'too many requests wait for an answer')
    if (id !== undefined) waiting.add(id)
    // A cancelled request has no answer.
    const cancelled = CancelledNotificationSchema.safeParse(message).data?.params.requestId
    if (cancelled !== undefined) waiting.delete(cancelled)
    try {
      await upstream.send(message)
    } catch (error) {
      const text = error instanceof Error ? error.message : String(error)
      if (id === undefined) onProblem(text)
      else refuse(id, ErrorCode.InternalError, text)
    }
  }

  client.onmessage = (message) => void pass(message)
  client.onerror = ({ message }) => onProblem(message)
  const ended = new Promise<void>((resolve) => {
    client.onclose = resolve
    input.once('end', resolve).once('close', resolve)
    signal.addEventListener('abort', () => resolve(), { once: true })
    if (signal.aborted) resolve()
  })
  await client.start()
  await ended
  const patience = AbortSignal.any([signal, AbortSignal.timeout(LAST_ANSWERS_MS)])
  await new Promise<void>((resolve) => {
    onAnswered = () => void (waiting.size === 0 && resolve())
    if (patience.aborted || waiting.size === 0) resolve()
    else patience.addEventListener('abort', () => resolve(), { once: true })
  })
  await upstream.close()
  client.onclose = () => undefined
  await client.close()
}
