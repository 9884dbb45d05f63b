import { createRequire } from 'node:module'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startTestServer, type TestServer } from '../support/server.ts'

const everything = createRequire(import.meta.url).resolve('@modelcontextprotocol/server-everything/dist/index.js')
const servers = {
  all: {
    command: process.execPath,
    args: [everything, 'stdio'],
    prefix: 'all_',
    tools: { deny: ['get-env'] },
    approval: { 'get-sum': 'ask', 'get-tiny-image': 'never' },
  },
  gone: { command: '/nowhere/at-all' },
}

let server: TestServer
beforeAll(async () => {
  server = await startTestServer()
  await server.model('tooled', {}, { mcp: { stdio: JSON.stringify({ mcpServers: servers }) } })
  await server.model('plain', {})
})
afterAll(() => server.close())

interface ServerList {
  readonly servers: readonly {
    readonly name: string
    readonly error?: string
    readonly tools: readonly { readonly name: string; readonly tool: string; readonly approval: string }[]
    readonly prompts?: readonly string[]
    readonly resources?: readonly string[]
  }[]
}

describe('the MCP servers of a model', () => {
  it('are listed with their tools, and one that fails with its reason', async () => {
    const reply = await server.call('/v1/mcp/servers/tooled')
    const [all, gone] = (reply.json() as ServerList).servers
    expect(all?.tools).toContainEqual(expect.objectContaining({ name: 'all_echo', tool: 'echo', approval: 'auto' }))
    expect(all?.tools.find(({ tool }) => tool === 'get-sum')?.approval).toBe('ask')
    expect(all?.tools.map(({ tool }) => tool)).not.toContain('get-env')
    expect(all?.tools.map(({ tool }) => tool)).not.toContain('get-tiny-image')
    expect(all?.prompts?.length).toBeGreaterThan(0)
    expect(all?.resources?.length).toBeGreaterThan(0)
    expect(gone).toEqual({
      name: 'gone',
      type: 'stdio',
      tools: [],
      error: 'the MCP server "gone" cannot be started (ENOENT)',
    })
  })

  it('are none for a model without any, and 404 for no model', async () => {
    expect((await server.call('/v1/mcp/servers/plain')).json()).toEqual({ model: 'plain', servers: [] })
    expect((await server.call('/v1/mcp/servers/none')).status).toBe(404)
  })

  it('give prompts and resources as the protocol has them', async () => {
    const { prompts } = (await server.call('/v1/mcp/prompts/tooled')).json() as { prompts: { name: string }[] }
    expect(prompts).toContainEqual(expect.objectContaining({ name: 'simple-prompt', server: 'all' }))
    const prompt = await server.post('/v1/mcp/prompts/tooled/simple-prompt', {})
    expect(prompt.json()).toMatchObject({ messages: [{ role: 'user', content: { type: 'text' } }] })
    expect((await server.post('/v1/mcp/prompts/tooled/none', {})).status).toBe(404)
    const { resources } = (await server.call('/v1/mcp/resources/tooled')).json() as { resources: { uri: string }[] }
    const uri = resources[0]?.uri
    const read = await server.post('/v1/mcp/resources/tooled/read', { uri })
    expect(read.json()).toMatchObject({ contents: [{ uri, text: expect.any(String) }] })
    expect((await server.post('/v1/mcp/resources/tooled/read', { uri: 'x:none' })).status).toBe(404)
  })

  it('can be tried by an administrator, where models may call the tool', async () => {
    const call = (tool: string, args: object, name = 'all') =>
      server.post('/v1/mcp/tools/tooled/call', { server: name, tool, arguments: args })
    expect((await call('echo', { message: 'hi' })).json()).toEqual({ content: [{ type: 'text', text: 'Echo: hi' }] })
    expect((await call('get-env', {})).status).toBe(404)
    expect((await call('echo', {}, 'none')).status).toBe(404)
    expect((await call('none', {})).status).toBeLessThan(500)
  })
})

it('a file whose servers cannot be read is refused with its line', async () => {
  await server.writeModelFile(
    'wrong.yaml',
    'name: wrong\nbackend: mock\nmcp:\n  remote: |\n    mcpServers:\n      a:\n        url: ftp://x\n        timeout: never\n',
  )
  const reply = await server.call('/v1/mcp/servers/wrong')
  expect([reply.status, reply.text]).toEqual([
    404,
    expect.stringContaining('wrong.yaml:7: mcp.remote.mcpServers.a.url'),
  ])
})
