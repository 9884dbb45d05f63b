import type { CallToolResult, GetPromptResult, ReadResourceResult } from '@modelcontextprotocol/sdk/types.js'
import type { SvcError } from '@svc/errors'
import { untilAborted } from '../concurrency/until-aborted.ts'
import type { Connection } from './connection.ts'
import { callCancelled, toServerFailure, toWords } from './failures.ts'
import { callResult, promptResult, resourceResult } from './result-schemas.ts'
import { createSessionLists, type Listed, type ListKind, type SessionLists } from './session-lists.ts'

/** Limits of one request to a server. */
export interface RequestLimits {
  readonly signal: AbortSignal
  readonly timeoutMs: number
  readonly onProgress?: ((message: string) => void) | undefined
}

/** An open session with a server. */
export interface Session extends Pick<SessionLists, 'offers'> {
  readonly server: string
  /** The failure that ended it; undefined while it lives. */
  failure(): SvcError | undefined
  onEnd(listener: () => void): void
  /** Gives a list. It is read again after the server has said that it changed. @throws {SvcError} */
  list(kind: ListKind, signal: AbortSignal): Promise<Listed>
  /** @throws {SvcError} */
  callTool(tool: string, args: Readonly<Record<string, unknown>>, limits: RequestLimits): Promise<CallToolResult>
  /** @throws {SvcError} */
  getPrompt(name: string, args: Readonly<Record<string, string>>, limits: RequestLimits): Promise<GetPromptResult>
  /** @throws {SvcError} */
  readResource(uri: string, limits: RequestLimits): Promise<ReadResourceResult>
  /** Ends the session, and the program behind it. Must not throw. */
  close(): Promise<void>
}

/** Opens the session of a connection. */
export function createSession(server: string, connection: Connection): Session {
  const { client } = connection
  const lists = createSessionLists(client)

  /** Makes one request with the limits of its caller. */
  async function within<T>(
    { signal, timeoutMs, onProgress }: RequestLimits,
    what: string,
    send: (options: RequestOptions) => Promise<T>,
  ): Promise<T> {
    if (signal.aborted) throw callCancelled(signal)
    // The library never lets go of the signal that it gets.
    const own = new AbortController()
    const onAbort = (): void => own.abort(signal.reason)
    signal.addEventListener('abort', onAbort)
    try {
      return await send({ signal: own.signal, timeout: timeoutMs, ...toProgress(onProgress) })
    } catch (error) {
      if (signal.aborted) throw callCancelled(signal)
      throw connection.failure() ?? toServerFailure(error, { server, what })
    } finally {
      signal.removeEventListener('abort', onAbort)
    }
  }

  return {
    server,
    failure: connection.failure,
    onEnd: connection.onEnd,
    offers: lists.offers,
    async list(kind, signal) {
      try {
        return await untilAborted(lists.read(kind), signal)
      } catch (error) {
        if (signal.aborted) throw callCancelled(signal)
        throw connection.failure() ?? toServerFailure(error, { server, what: `list its ${kind}` })
      }
    },
    callTool(name, args, limits) {
      const call = { method: 'tools/call', params: { name, arguments: args } }
      return within(limits, 'answer the call', (options) => client.request(call, callResult, options))
    },
    getPrompt(name, args, limits) {
      const get = { method: 'prompts/get', params: { name, arguments: args } }
      return within(limits, 'give the prompt', (options) => client.request(get, promptResult, options))
    },
    readResource(uri, limits) {
      const read = { method: 'resources/read', params: { uri } }
      return within(limits, 'give the resource', (options) => client.request(read, resourceResult, options))
    },
    close: () => connection.close(),
  }
}

interface RequestOptions {
  readonly signal: AbortSignal
  readonly timeout: number
  readonly onprogress?: (progress: { readonly message?: string | undefined }) => void
}

function toProgress(onProgress: RequestLimits['onProgress']): Pick<RequestOptions, 'onprogress'> {
  if (onProgress === undefined) return {}
  return {
    onprogress({ message }) {
      if (message !== undefined && message !== '') onProgress(toWords(message))
    },
  }
}
