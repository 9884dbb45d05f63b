import {
  type CallToolResult,
  CallToolResultSchema,
  type GetPromptResult,
  GetPromptResultSchema,
  PromptListChangedNotificationSchema,
  type ReadResourceResult,
  ReadResourceResultSchema,
  ResourceListChangedNotificationSchema,
  ToolListChangedNotificationSchema,
} from '@modelcontextprotocol/sdk/types.js'
import type { SvcError } from '@svc/errors'
import * as z from 'zod'
import { untilAborted } from '../concurrency/until-aborted.ts'
import type { Connection } from './connection.ts'
import { callCancelled, toServerFailure, toWords } from './failures.ts'
import { LIST_MS, MAX_LISTED, MAX_PAGES } from './limits.ts'

/** Entries of a list, as the server wrote them. */
export type Listed = readonly Readonly<Record<string, unknown>>[]

/** What a server lists. */
export type ListKind = 'tools' | 'prompts' | 'resources' | 'resourceTemplates'

/** Limits of one request to a server. */
export interface RequestLimits {
  readonly signal: AbortSignal
  readonly timeoutMs: number
  readonly onProgress?: ((message: string) => void) | undefined
}

/** An open session with a server. */
export interface Session {
  readonly server: string
  /** The failure that ended it; undefined while it lives. */
  failure(): SvcError | undefined
  onEnd(listener: () => void): void
  /** Whether the server has lists of a kind. */
  offers(kind: ListKind): boolean
  /** Gives a list. It is read again after the server has said that it changed. @throws {SvcError} */
  list(kind: ListKind, signal: AbortSignal): Promise<Listed>
  /** @throws {SvcError} */
  callTool(tool: string, args: Readonly<Record<string, unknown>>, limits: RequestLimits): Promise<CallToolResult>
  /** @throws {SvcError} */
  getPrompt(name: string, args: Readonly<Record<string, string>>, limits: RequestLimits): Promise<GetPromptResult>
  /** @throws {SvcError} */
  readResource(uri: string, limits: RequestLimits): Promise<ReadResourceResult>
  close(): Promise<void>
}

const METHODS: Readonly<Record<ListKind, string>> = {
  tools: 'tools/list',
  prompts: 'prompts/list',
  resources: 'resources/list',
  resourceTemplates: 'resources/templates/list',
}

/** One page of a list; each entry is checked by itself, so that a wrong one costs no other. */
const PAGE = Object.fromEntries(
  (Object.keys(METHODS) as ListKind[]).map((kind) => [
    kind,
    z.looseObject({ [kind]: z.array(z.record(z.string(), z.unknown())), nextCursor: z.string().optional() }),
  ]),
)

/** Opens the session of a connection. */
export function createSession(server: string, connection: Connection): Session {
  const { client } = connection
  const lists = new Map<ListKind, Promise<Listed>>()

  client.setNotificationHandler(ToolListChangedNotificationSchema, () => void lists.delete('tools'))
  client.setNotificationHandler(PromptListChangedNotificationSchema, () => void lists.delete('prompts'))
  client.setNotificationHandler(ResourceListChangedNotificationSchema, () => {
    lists.delete('resources')
    lists.delete('resourceTemplates')
  })

  const offers = (kind: ListKind): boolean => {
    const capabilities = client.getServerCapabilities() ?? {}
    return capabilities[kind === 'resourceTemplates' ? 'resources' : kind] !== undefined
  }

  async function read(kind: ListKind): Promise<Listed> {
    if (!offers(kind)) return []
    const found: Record<string, unknown>[] = []
    let cursor: string | undefined
    for (let page = 0; page < MAX_PAGES && found.length < MAX_LISTED; page += 1) {
      const params = cursor === undefined ? {} : { cursor }
      const schema = PAGE[kind] ?? z.never()
      const result: Readonly<Record<string, unknown>> = await client.request(
        { method: METHODS[kind], params },
        schema as never,
        {
          timeout: LIST_MS,
        },
      )
      found.push(...(result[kind] as Record<string, unknown>[]))
      const next = result.nextCursor
      if (typeof next !== 'string' || next === '' || next === cursor) break
      cursor = next
    }
    return found.slice(0, MAX_LISTED)
  }

  function startList(kind: ListKind): Promise<Listed> {
    const reading = read(kind)
    lists.set(kind, reading)
    reading.catch(() => {
      if (lists.get(kind) === reading) lists.delete(kind)
    })
    return reading
  }

  /** Sends a request; a signal of its own, because the library never lets go of the one that it gets. */
  async function request<T>(
    {
      method,
      params,
      schema,
      what,
    }: {
      readonly method: string
      readonly params: Record<string, unknown>
      readonly schema: z.ZodType<T>
      readonly what: string
    },
    { signal, timeoutMs, onProgress }: RequestLimits,
  ): Promise<T> {
    if (signal.aborted) throw callCancelled(signal)
    const own = new AbortController()
    const onAbort = (): void => own.abort(signal.reason)
    signal.addEventListener('abort', onAbort)
    try {
      const onprogress = ({ message }: { readonly message?: string | undefined }): void => {
        if (message !== undefined && message !== '') onProgress?.(toWords(message))
      }
      return await client.request({ method, params }, schema as never, {
        signal: own.signal,
        timeout: timeoutMs,
        ...(onProgress === undefined ? {} : { onprogress }),
      })
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
    offers,
    async list(kind, signal) {
      try {
        return await untilAborted(lists.get(kind) ?? startList(kind), signal)
      } catch (error) {
        if (signal.aborted) throw callCancelled(signal)
        throw connection.failure() ?? toServerFailure(error, { server, what: `list its ${kind}` })
      }
    },
    callTool: (name, args, limits) =>
      request(
        {
          method: 'tools/call',
          params: { name, arguments: args },
          schema: CallToolResultSchema as never,
          what: 'answer the call',
        },
        limits,
      ),
    getPrompt: (name, args, limits) =>
      request(
        {
          method: 'prompts/get',
          params: { name, arguments: args },
          schema: GetPromptResultSchema as never,
          what: 'give the prompt',
        },
        limits,
      ),
    readResource: (uri, limits) =>
      request(
        {
          method: 'resources/read',
          params: { uri },
          schema: ReadResourceResultSchema as never,
          what: 'give the resource',
        },
        limits,
      ),
    close: () => connection.close(),
  }
}
