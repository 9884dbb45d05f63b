import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startTestServer, type TestServer } from '../support/server.ts'

let server: TestServer
beforeAll(async () => {
  server = await startTestServer()
})
afterAll(() => server.close())

async function connect(url = server.url, key?: string) {
  const headers: Record<string, string> = key === undefined ? {} : { authorization: `Bearer ${key}` }
  const transport = new StreamableHTTPClientTransport(new URL('/mcp', url), { requestInit: { headers } })
  const client = new Client({ name: 'test', version: '1.0.0' })
  await client.connect(transport)
  return { client, transport, [Symbol.asyncDispose]: () => client.close() }
}

describe('smoke', () => {
  it('lists', async () => {
    await using c = await connect()
    const { tools } = await c.client.listTools()
    console.log(tools.map((t) => t.name).join(' '), JSON.stringify(tools).length)
    for (const t of tools) if (t.annotations?.readOnlyHint && !(t.inputSchema.required?.length)) {
      const r = await c.client.callTool({ name: t.name, arguments: {} })
      console.log(t.name, JSON.stringify(r).slice(0, 200))
    }
    await c.transport.terminateSession()
  })
})
