import { writeFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { eventually, tempDir } from '@svc/test-kit'
import { describe, expect, it } from 'vitest'
import type { NamedToolServer, ToolSet } from '../inference/tools/server-tools.ts'
import { CONTEXT, modelWith, NEVER, openServers } from './__fixtures__/open-servers.ts'
import { startMcpServer } from './__fixtures__/start-mcp-server.ts'

const require = createRequire(import.meta.url)
const everything = require.resolve('@modelcontextprotocol/server-everything/dist/index.js')
const memory = require.resolve('@modelcontextprotocol/server-memory/dist/index.js')
const files = require.resolve('@modelcontextprotocol/server-filesystem/dist/index.js')
const command = process.execPath
const REQUEST = { context: CONTEXT, signal: NEVER }

function find(set: ToolSet, name: string) {
  const tool = set.tools.find((one) => one.name === name)
  if (tool === undefined) throw new Error(`no tool ${name}: ${JSON.stringify(set.failures)}`)
  return tool
}

it('programs of others give their tools and answer calls, with one process each for all requests', async () => {
  await using dir = await tempDir('svc-mcp-')
  await writeFile(join(dir.path, 'note.txt'), 'hello')
  await using servers = openServers()
  const model = modelWith({
    stdio: {
      all: { command, args: [everything, 'stdio'] },
      files: { command, args: [files, dir.path] },
      memory: { command, args: [memory], env: { MEMORY_FILE_PATH: join(dir.path, 'memory.jsonl') } },
    },
  })
  const [one, two] = await Promise.all([servers.openModel(model, REQUEST), servers.openModel(model, REQUEST)])
  expect(one.failures).toEqual([])
  expect(servers.sessions).toBe(3)
  expect(find(two, 'echo')).toMatchObject({ server: 'all', tool: 'echo', approval: 'auto' })
  expect(await find(one, 'echo').call({ message: 'hello' }, { signal: NEVER })).toEqual({
    content: [{ type: 'text', text: 'Echo: hello' }],
    isError: false,
  })
  const path = join(dir.path, 'note.txt')
  expect(await find(one, 'read_text_file').call({ path }, { signal: NEVER })).toMatchObject({
    content: [{ type: 'text', text: 'hello' }],
  })
  const entities = [{ name: 'ada', entityType: 'person', observations: ['counts'] }]
  await find(one, 'create_entities').call({ entities }, { signal: NEVER })
  expect(JSON.stringify(await find(two, 'read_graph').call({}, { signal: NEVER }))).toContain('counts')
  one.close()
  two.close()
  servers.follow('m', undefined)
  expect(servers.sessions).toBe(0)
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

it.each<readonly [Omit<NamedToolServer, 'label'>, RegExp]>([
  [{ url: 'nowhere' }, /its address is not valid/],
  [{ url: 'https://x.example', headers: { Host: 'y' } }, /may not set host/],
  [{ url: 'https://x.example', token: 'a\nb' }, /not one of a header/],
  [{ url: 'https://x.example', allowed: Array<string>(1025).fill('a') }, /more than 1024 names/],
])('a request that names %j is refused', async (server, message) => {
  await using servers = openServers()
  await expect(servers.openNamed({ label: 'x', ...server }, REQUEST)).rejects.toMatchObject({
    kind: 'invalid_request',
    message: expect.stringMatching(message),
  })
})
