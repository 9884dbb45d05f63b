import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import { CallToolResultSchema, type Tool } from '@modelcontextprotocol/sdk/types.js'

/** The result of a tool: its text, and the value where it is JSON. */
export interface ToolReply {
  readonly isError: boolean
  readonly text: string
  readonly value: unknown
}

/** A client of the assistant's tools. */
export interface McpClient extends AsyncDisposable {
  readonly client: Client
  readonly transport: StreamableHTTPClientTransport
  list(): Promise<readonly Tool[]>
  names(): Promise<readonly string[]>
  tool(name: string, args?: Readonly<Record<string, unknown>>): Promise<ToolReply>
}

/** Connects to the tools of a server. */
export async function connectMcp(url: string, headers: Readonly<Record<string, string>> = {}): Promise<McpClient> {
  const transport = new StreamableHTTPClientTransport(new URL('/mcp', url), { requestInit: { headers } })
  const client = new Client({ name: 'test', version: '1.0.0' })
  await client.connect(transport)
  const list = async (): Promise<readonly Tool[]> => (await client.listTools()).tools
  return {
    client,
    transport,
    list,
    names: async () => (await list()).map(({ name }) => name),
    async tool(name, args = {}) {
      const result = CallToolResultSchema.parse(await client.callTool({ name, arguments: args }))
      const text = result.content.map((part) => (part.type === 'text' ? part.text : '')).join('')
      return { isError: result.isError === true, text, value: toValue(text) }
    },
    [Symbol.asyncDispose]: () => client.close(),
  }
}

function toValue(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** The first message of a client. */
export const INITIALIZE = {
  jsonrpc: '2.0',
  id: 1,
  method: 'initialize',
  params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'test', version: '1' } },
} as const

/** The headers that a message must have. */
export const MESSAGE_HEADERS = {
  accept: 'application/json, text/event-stream',
  'content-type': 'application/json',
} as const
