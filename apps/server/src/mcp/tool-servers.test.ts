import { createRequire } from 'node:module'
import { eventually } from '@svc/test-kit'
import { describe, expect, it } from 'vitest'
import type { ToolSet } from '../inference/tools/server-tools.ts'
import { CONTEXT, modelWith, NEVER, openServers } from './__fixtures__/open-servers.ts'
import { startMcpServer } from './__fixtures__/start-mcp-server.ts'

const everything = createRequire(import.meta.url).resolve('@modelcontextprotocol/server-everything/dist/index.js')
const STDIO = { all: { command: process.execPath, args: [everything, 'stdio'] } }
const REQUEST = { context: CONTEXT, signal: NEVER }

function find(set: ToolSet, name: string) {
  const tool = set.tools.find((one) => one.name === name)
  if (tool === undefined) throw new Error(`no tool ${name}: ${JSON.stringify(set.failures)}`)
  return tool
}

describe('a program as a server', () => {
  it('gives its tools and answers calls, with one process for all requests', async () => {
    await using servers = openServers()
    const model = modelWith({ stdio: STDIO })
    const [one, two] = await Promise.all([servers.openModel(model, REQUEST), servers.openModel(model, REQUEST)])
    expect(one.failures).toEqual([])
    expect(servers.sessions).toBe(1)
    expect(find(two, 'echo')).toMatchObject({ server: 'all', tool: 'echo', approval: 'auto' })
    expect(await find(one, 'echo').call({ message: 'hello' }, { signal: NEVER })).toEqual({
      content: [{ type: 'text', text: 'Echo: hello' }],
      isError: false,
    })
    one.close()
    two.close()
    servers.follow('m', undefined)
    expect(servers.sessions).toBe(0)
  })
})

describe('a remote server', () => {
  it('has its tools, prompts and resources, over streamable HTTP', async () => {
    await using remote = await startMcpServer()
    await using servers = openServers()
    const headers = { 'X-API-Key': 'k', 'x-team': 't' }
    const set = await servers.openModel(modelWith({ remote: { r: { url: remote.url, token: 's', headers } } }), REQUEST)
    expect(set.failures).toEqual([])
    expect(set.tools.map(({ name }) => name)).toEqual(['add', 'wait', 'count', 'picture', 'fail'])
    expect(find(set, 'add').hints).toEqual({ readOnly: true })
    expect(remote.headers[0]).toMatchObject({ authorization: 'Bearer s', 'x-api-key': 'k', 'x-team': 't' })
    expect(await find(set, 'add').call({ a: 1, b: 2 }, { signal: NEVER })).toEqual({
      content: [{ type: 'text', text: '3' }],
      isError: false,
    })
    expect(await find(set, 'picture').call({}, { signal: NEVER })).toEqual({
      content: [
        { type: 'image', data: 'aGk=', mediaType: 'image/png' },
        { type: 'text', text: 'inside' },
        { type: 'other', json: '{"name":"b","uri":"a:b","type":"resource_link"}' },
      ],
      isError: false,
    })
    expect(await find(set, 'fail').call({}, { signal: NEVER })).toMatchObject({ isError: true })
    const steps: string[] = []
    await find(set, 'count').call({}, { signal: NEVER, onProgress: (message) => steps.push(message) })
    expect(steps).toEqual(['step 1', 'step 2'])
    expect(await set.prompt('greet', { args: { name: 'you' }, signal: NEVER })).toEqual([
      { role: 'user', content: 'Hello you' },
    ])
    expect(await set.prompt('none', { args: {}, signal: NEVER })).toBeUndefined()
    expect(await set.resource('note://one', { signal: NEVER })).toBe('a note')
    expect(await set.resource('note://two', { signal: NEVER })).toBeUndefined()
    set.close()
    await servers.close()
    expect(remote.openSessions).toBe(0)
  })

  it('is reached over the older transport where it refuses the newer one', async () => {
    await using remote = await startMcpServer()
    await using servers = openServers()
    const set = await servers.openModel(modelWith({ remote: { r: { url: remote.sseUrl } } }), REQUEST)
    expect(set.failures).toEqual([])
    expect(await find(set, 'add').call({ a: 1, b: 2 }, { signal: NEVER })).toMatchObject({ isError: false })
    set.close()
    await servers.close()
    await eventually(() => expect(remote.openSessions).toBe(0))
  })

  it('learns that a call was cancelled, and the caller does not wait', async () => {
    await using remote = await startMcpServer()
    await using servers = openServers()
    const set = await servers.openModel(modelWith({ remote: { r: { url: remote.url } } }), REQUEST)
    const leaving = new AbortController()
    const call = find(set, 'wait').call({}, { signal: leaving.signal })
    await eventually(() => expect(remote.requests.filter((line) => line.startsWith('POST')).length).toBeGreaterThan(3))
    leaving.abort()
    await expect(call).rejects.toMatchObject({ kind: 'cancelled' })
    await eventually(() => expect(remote.cancelled).toBe(1))
    set.close()
  })

  it('is told apart from one that has restarted: the call is sent again in a new session', async () => {
    await using remote = await startMcpServer()
    await using servers = openServers()
    const set = await servers.openModel(modelWith({ remote: { r: { url: remote.url } } }), REQUEST)
    remote.forgetSessions()
    expect(await find(set, 'add').call({ a: 1, b: 2 }, { signal: NEVER })).toMatchObject({ isError: false })
    set.close()
  })

  it('may change its tools while a session is open', async () => {
    await using remote = await startMcpServer()
    await using servers = openServers()
    const model = modelWith({ remote: { r: { url: remote.url } } })
    const before = await servers.openModel(model, REQUEST)
    await eventually(() => expect(remote.requests).toContain('GET /mcp'))
    remote.addTool('late')
    await eventually(async () => {
      const after = await servers.openModel(model, REQUEST)
      after.close()
      expect(after.tools.map(({ name }) => name)).toContain('late')
    })
    before.close()
  })

  it('that a request names is used for that request alone, and must be public', async () => {
    await using remote = await startMcpServer()
    await using servers = openServers()
    const set = await servers.openNamed({ label: 'x', url: remote.url }, REQUEST)
    expect(set.tools).toEqual([])
    expect(set.failures).toEqual([{ server: 'x', message: expect.stringMatching(/only public/) }])
    expect(remote.requests).toEqual([])
    set.close()
    expect(servers.sessions).toBe(0)
  })
})
