import { randomUUID } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js'
import { SSEServerTransport } from '@modelcontextprotocol/sdk/server/sse.js'
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js'
import { startHttpServer } from '@svc/test-kit'
import * as z from 'zod'

/** A server of the official library over HTTP. */
export interface TestMcpServer extends AsyncDisposable {
  /** Address of streamable HTTP. */
  readonly url: string
  /** Address of the older transport. */
  readonly sseUrl: string
  /** Headers of all requests, oldest first. */
  readonly headers: readonly IncomingMessage['headers'][]
  /** The methods of all requests with their paths. */
  readonly requests: readonly string[]
  /** Adds a tool while sessions are open. */
  addTool(name: string): void
  /** Forgets all sessions, as a restart does. */
  forgetSessions(): void
  /** Calls that were cancelled by the client. */
  readonly cancelled: number
  readonly openSessions: number
}

/** Starts the server with the tools `add`, `wait`, `count`, `picture`, `fail`, and a prompt and a resource. */
export async function startMcpServer({
  intercept = () => false,
}: {
  /** Answers requests before the protocol does. @returns whether it has */
  readonly intercept?: (request: IncomingMessage, response: ServerResponse) => boolean
} = {}): Promise<TestMcpServer> {
  const headers: IncomingMessage['headers'][] = []
  const requests: string[] = []
  const servers = new Map<string, { server: McpServer; transport: StreamableHTTPServerTransport }>()
  const older = new Map<string, SSEServerTransport>()
  const state = { cancelled: 0 }

  async function streamable(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const id = request.headers['mcp-session-id']
    if (typeof id === 'string') {
      const known = servers.get(id)
      if (known === undefined) return void response.writeHead(404).end('{}')
      return known.transport.handleRequest(request, response)
    }
    const server = createServer(state)
    const transport = new StreamableHTTPServerTransport({
      sessionIdGenerator: () => randomUUID(),
      onsessioninitialized: (session) => void servers.set(session, { server, transport }),
      onsessionclosed: (session) => void servers.delete(session),
    })
    await server.connect(transport)
    await transport.handleRequest(request, response)
  }

  async function sse(request: IncomingMessage, response: ServerResponse): Promise<void> {
    if (request.method === 'POST') {
      const id = new URL(request.url ?? '', 'http://x').searchParams.get('sessionId') ?? ''
      const transport = older.get(id)
      if (transport === undefined) return void response.writeHead(404).end()
      return transport.handlePostMessage(request, response)
    }
    const transport = new SSEServerTransport('/sse', response)
    older.set(transport.sessionId, transport)
    response.on('close', () => older.delete(transport.sessionId))
    await createServer(state).connect(transport)
  }

  const http = await startHttpServer((request, response) => {
    headers.push(request.headers)
    requests.push(`${request.method} ${request.url}`)
    const path = new URL(request.url ?? '', 'http://x').pathname
    if (intercept(request, response)) return
    if (path === '/mcp') void streamable(request, response)
    else if (path === '/sse' && request.headers['content-type'] !== undefined && !request.url?.includes('sessionId')) {
      response.writeHead(405).end()
    } else if (path === '/sse') void sse(request, response)
    else response.writeHead(404).end()
  })
  return {
    url: `${http.origin}/mcp`,
    sseUrl: `${http.origin}/sse`,
    headers,
    requests,
    addTool(name) {
      for (const { server } of servers.values()) {
        server.registerTool(name, {}, () => ({ content: [{ type: 'text', text: name }] }))
      }
    },
    forgetSessions: () => servers.clear(),
    get cancelled() {
      return state.cancelled
    },
    get openSessions() {
      return servers.size + older.size
    },
    [Symbol.asyncDispose]: () => http[Symbol.asyncDispose](),
  }
}

function createServer(state: { cancelled: number }): McpServer {
  const server = new McpServer({ name: 'test', version: '1' })
  server.registerTool(
    'add',
    { description: 'Adds', inputSchema: { a: z.number(), b: z.number() }, annotations: { readOnlyHint: true } },
    ({ a, b }) => ({ content: [{ type: 'text', text: String(a + b) }] }),
  )
  server.registerTool('wait', { inputSchema: {} }, (_args, { signal }) => {
    return new Promise((resolve) => {
      signal.addEventListener('abort', () => {
        state.cancelled += 1
        resolve({ content: [] })
      })
    })
  })
  server.registerTool('count', { inputSchema: {} }, async (_args, { _meta, sendNotification }) => {
    for (const progress of [1, 2]) {
      const params = { progressToken: _meta?.progressToken ?? 0, progress, message: `step ${progress}` }
      await sendNotification({ method: 'notifications/progress', params })
    }
    return { content: [{ type: 'text', text: 'done' }] }
  })
  server.registerTool('picture', {}, () => ({
    content: [
      { type: 'image', data: 'aGk=', mimeType: 'image/png' },
      { type: 'resource', resource: { uri: 'a:b', text: 'inside' } },
      { type: 'resource_link', uri: 'a:b', name: 'b' },
    ],
  }))
  server.registerTool('fail', {}, () => ({ content: [{ type: 'text', text: 'no' }], isError: true }))
  server.registerPrompt('greet', { argsSchema: { name: z.string() } }, ({ name }) => ({
    messages: [{ role: 'user', content: { type: 'text', text: `Hello ${name}` } }],
  }))
  server.registerResource('note', 'note://one', {}, () => ({ contents: [{ uri: 'note://one', text: 'a note' }] }))
  return server
}
