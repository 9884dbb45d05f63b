import { connect } from 'node:net'
import { eventually } from '@svc/test-kit'
import type { PiiEvent } from '@svc/wire/native'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { connectMcp, INITIALIZE, type McpClient, MESSAGE_HEADERS } from '../support/mcp-client.ts'
import { type RouterWorld, startRouterWorld } from '../support/router-world.ts'
import { verifies } from './verifies.ts'

const KNN = {
  classifier: 'knn',
  classifier_model: undefined,
  activation_threshold: undefined,
  knn: { embedding_model: 'embedder', similarity_threshold: 0.5 },
}

let world: RouterWorld
let mcp: McpClient
beforeAll(async () => {
  world = await startRouterWorld()
  await world.embedder('embedder')
  await world.router('auto', KNN)
  mcp = await connectMcp(world.server.url)
})
afterAll(async () => {
  await mcp[Symbol.asyncDispose]()
  await world[Symbol.asyncDispose]()
})

const readJson = async (path: string) => (await world.server.call(path)).json()
const readChanges = async (change: string): Promise<readonly PiiEvent[]> =>
  ((await readJson(`/api/pii/events?change=${change}`)) as { events: PiiEvent[] }).events
const sendMessage = (body: unknown, headers: Record<string, string> = {}) =>
  world.server.call('/mcp', {
    method: 'POST',
    headers: { ...MESSAGE_HEADERS, ...headers },
    body: typeof body === 'string' ? body : JSON.stringify(body),
  })
const changeSettings = (settings: Record<string, unknown>) => world.server.post('/api/settings', settings)

/** The tools that change the server. */
const WRITING = [
  ...['cancel_operation', 'change_settings', 'clear_router_corpus', 'create_model_config', 'delete_backend'],
  ...['delete_model', 'dismiss_operation', 'edit_model_config', 'import_model', 'install_backend', 'install_model'],
  ...['load_model', 'pause_operation', 'reload_models', 'seed_router_corpus', 'set_model_pin', 'set_model_state'],
  ...['stop_model', 'upgrade_backend'],
]

describe('tools', () => {
  it('tell apart what reads and what changes, and bound their arguments', async () => {
    const tools = await mcp.list()
    const writing = tools.filter(({ annotations }) => annotations?.readOnlyHint !== true).map(({ name }) => name)
    expect(writing.toSorted()).toEqual(WRITING)
    for (const { name, title, description, inputSchema, annotations } of tools) {
      expect(name).toMatch(/^[a-z]+(?:_[a-z]+)*$/)
      expect(
        [title, description].every((text) => text !== undefined && text !== ''),
        name,
      ).toBe(true)
      expect(inputSchema).toMatchObject({ type: 'object', additionalProperties: false })
      expect(annotations?.readOnlyHint === true && annotations.destructiveHint === true, name).toBe(false)
    }
  })

  verifies(['assistant:tools:read'], 'read what the routes read', async () => {
    await world.ask('fix the bug')
    for (const [tool, args, path] of [
      ['get_pii_events', {}, '/api/pii/events'],
      ['get_middleware_status', {}, '/api/middleware/status'],
      ['get_router_decisions', { router_model: 'auto', limit: 1 }, '/api/router/decisions?router_model=auto&limit=1'],
      ['get_router_corpus_stats', { name: 'auto' }, '/api/router/auto/corpus/stats'],
    ] as const) {
      const { value, isError } = await mcp.tool(tool, args)
      expect([isError, value], tool).toEqual([false, await readJson(path)])
    }
  })

  verifies(['assistant:tools:write'], 'fill and clear a corpus, and the audit log names the tool', async () => {
    const entries = [{ text: 'fix the bug in my program', labels: ['code'] }]
    expect(await mcp.tool('seed_router_corpus', { name: 'auto', entries })).toMatchObject({
      isError: false,
      value: { added: 1, total: 1 },
    })
    expect(await readJson('/api/router/auto/corpus/stats')).toMatchObject({ total: 1 })
    expect(await mcp.tool('clear_router_corpus', { name: 'auto' })).toMatchObject({ value: { cleared: 1 } })
    expect(await readChanges('corpus')).toMatchObject([
      { change: 'corpus.clear', target: 'auto', tool: 'clear_router_corpus', outcome: 'done', address: '127.0.0.1' },
      { change: 'corpus.add', target: 'auto', tool: 'seed_router_corpus', details: '1 added, 0 skipped, 1 in all' },
    ])
    const refused = await mcp.tool('seed_router_corpus', { name: 'auto', entries: [{ text: 'x', labels: ['none'] }] })
    expect(refused).toMatchObject({ isError: true, text: expect.stringContaining('none') })
    expect(await readChanges('corpus')).toHaveLength(2)
  })

  verifies(
    ['assistant:tools:detector-policy'],
    'show the difference of a model file before they write it',
    async () => {
      await world.server.writeModelFile(
        'guarded.yaml',
        '# kept\nname: guarded\nbackend: mock\npii:\n  enabled: false\n',
      )
      const before = await readJson('/models/edit/guarded')
      const change = { name: 'guarded', patch: { pii: { enabled: true, detectors: ['email'] } } }
      const shown = await mcp.tool('edit_model_config', change)
      expect(shown.value).toMatchObject({ written: false })
      expect(shown.text).toContain('-  enabled: false\\n+  enabled: true')
      expect(await readJson('/models/edit/guarded')).toEqual(before)
      expect(await readChanges('model.edit')).toEqual([])

      const stale = await mcp.tool('edit_model_config', { ...change, dry_run: false, revision: '0000000000000000' })
      expect(stale).toMatchObject({ isError: true, text: 'the model configuration has changed since it was read' })
      const written = await mcp.tool('edit_model_config', { ...change, dry_run: false })
      expect(written.value).toMatchObject({ written: true, filename: 'guarded.yaml' })
      expect(await readJson('/models/edit/guarded')).toMatchObject({
        config: expect.stringMatching(/^# kept\nname: guarded.*enabled: true.*email/s),
      })
      expect(await readChanges('model.edit')).toMatchObject([{ target: 'guarded', tool: 'edit_model_config' }])
      const whole = { name: 'guarded', config: 'name: guarded\nbackend: [' }
      expect(await mcp.tool('edit_model_config', whole)).toMatchObject({ isError: true })
      expect(await mcp.tool('edit_model_config', { name: 'guarded' })).toMatchObject({
        text: 'give either patch or config',
      })
    },
  )

  it('load a model, and follow what does not exist to its end', async () => {
    expect(await mcp.tool('load_model', { model: 'small' })).toMatchObject({ isError: false })
    expect((await mcp.tool('get_system_status')).text).toContain('"id":"small"')
    expect(await mcp.tool('stop_model', { model: 'small' })).toMatchObject({ isError: false })
    expect((await mcp.tool('get_system_status')).text).not.toContain('"id":"small"')
    expect(await mcp.tool('follow_operation', { id: 'none' })).toMatchObject({ value: { found: false } })
    expect((await mcp.tool('get_backend_logs', { model: 'small' })).isError).toBe(false)
  })

  it('refuse arguments that do not fit, and names that do not exist', async () => {
    expect(await mcp.tool('list_traces', { limit: 1000, colour: 'red' })).toMatchObject({
      isError: true,
      text: expect.stringMatching(/limit.*colour/),
    })
    await expect(mcp.tool('drop_everything')).rejects.toMatchObject({ code: -32602 })
  })

  it('cut long results, and show no secrets', async () => {
    const long = `name: long\nbackend: mock\nmcp:\n  remote: '{"headers": {"Authorization": "Bearer sk-12345678"}}'\n`
    await world.server.writeModelFile('long.yaml', `${long}${'# filling\n'.repeat(8000)}`)
    const { text } = await mcp.tool('get_model_config', { name: 'long' })
    expect(text).toMatch(/\[cut: \d+ more characters/)
    expect(text.length).toBeLessThan(61_000)
    expect(text).not.toContain('sk-12345678')
    await changeSettings({ api_keys: [] })
  })
})

describe('sessions', () => {
  it('are asked for by id, and end with DELETE', async () => {
    const list = { jsonrpc: '2.0', id: 2, method: 'tools/list' }
    expect((await sendMessage(list)).status).toBe(400)
    expect((await sendMessage(list, { 'mcp-session-id': 'none' })).status).toBe(404)
    expect((await sendMessage('{')).json()).toMatchObject({ error: { code: -32700 } })
    const opened = await sendMessage(INITIALIZE)
    const session = { 'mcp-session-id': String(opened.headers['mcp-session-id']) }
    expect((await sendMessage(list, session)).text).toContain('get_pii_events')
    expect((await world.server.call('/mcp', { method: 'DELETE', headers: session })).status).toBe(200)
    expect((await sendMessage(list, session)).status).toBe(404)
  })

  it('take no body above the limit', async () => {
    const reply = await sendMessage(JSON.stringify({ ...INITIALIZE, filling: 'x'.repeat(5 * 1024 * 1024) }))
    expect(reply.status).toBe(413)
  })

  it('answer a client that has closed its side, and give the answer to one that comes back', async () => {
    const opened = await sendMessage(INITIALIZE)
    const id = String(opened.headers['mcp-session-id'])
    const call = { jsonrpc: '2.0', id: 3, method: 'tools/call', params: { name: 'get_version', arguments: {} } }
    expect(await sendHalfClosed(id, call)).toContain('0.0.0 (0000000)')

    const slow = { name: 'follow_operation', arguments: { id: 'none', seconds: 0 } }
    const first = await sendThenReset(id, { ...call, id: 4, params: slow })
    const lastEventId = /^id: (.*)$/m.exec(first)?.[1] ?? ''
    const reply = await readStream({ 'mcp-session-id': id, 'last-event-id': lastEventId }, '"id":4')
    expect(reply).toContain('there is no operation none')
  })
})

/** Sends a message, closes the sending side, and reads the reply. */
function sendHalfClosed(session: string, body: unknown): Promise<string> {
  return exchange(session, body, (socket, text, done) => {
    if (!socket.writableEnded) socket.end()
    if (text.includes('\r\n0\r\n')) done()
  })
}

/** Sends a message and resets the connection once the first event has come. */
function sendThenReset(session: string, body: unknown): Promise<string> {
  return exchange(session, body, (socket, text, done) => {
    if (!/^id: .*$/m.test(text)) return
    socket.resetAndDestroy()
    done()
  })
}

function exchange(
  session: string,
  body: unknown,
  step: (socket: ReturnType<typeof connect>, text: string, done: () => void) => void,
): Promise<string> {
  const { port } = new URL(world.server.url)
  const text = JSON.stringify(body)
  return new Promise((resolve, reject) => {
    const socket = connect(Number(port), '127.0.0.1')
    let read = ''
    const done = (): void => resolve(read)
    socket.on('error', reject).on('data', (piece: Buffer) => {
      read += piece.toString()
      step(socket, read, done)
    })
    socket.on('close', done)
    socket.write(
      `POST /mcp HTTP/1.1\r\nHost: 127.0.0.1\r\nAccept: ${MESSAGE_HEADERS.accept}\r\nContent-Type: application/json\r\n` +
        `Mcp-Session-Id: ${session}\r\nMcp-Protocol-Version: 2025-11-25\r\nContent-Length: ${text.length}\r\n\r\n${text}`,
    )
  })
}

/** Reads a stream until it has shown a text. */
async function readStream(headers: Record<string, string>, wanted: string): Promise<string> {
  const leaving = new AbortController()
  const reply = await fetch(new URL('/mcp', world.server.url), {
    headers: { accept: 'text/event-stream', 'mcp-protocol-version': '2025-11-25', ...headers },
    signal: leaving.signal,
  })
  expect(reply.status).toBe(200)
  let text = ''
  for await (const piece of reply.body ?? []) {
    text += Buffer.from(piece).toString()
    if (text.includes(wanted)) break
  }
  leaving.abort()
  return text
}

describe('pages elsewhere', () => {
  it('reach no tool of a server without auth', async () => {
    for (const headers of [
      { origin: 'https://evil.example' },
      { origin: 'null' },
      { 'sec-fetch-site': 'cross-site' },
      { origin: 'http://localhost:3000' },
      { authorization: 'Bearer made-up', origin: 'https://evil.example' },
    ]) {
      const reply = await sendMessage(INITIALIZE, headers)
      expect([reply.status, reply.headers['mcp-session-id']], JSON.stringify(headers)).toEqual([403, undefined])
    }
    expect((await sendMessage(INITIALIZE, { host: 'evil.example' })).status).toBe(421)
    const form = await sendMessage(INITIALIZE, { 'content-type': 'text/plain' })
    expect([form.status, form.headers['mcp-session-id']]).toEqual([415, undefined])
    expect((await sendMessage(INITIALIZE, { origin: world.server.url.replace(/\/$/, '') })).status).toBe(200)
  })
})

describe('settings', () => {
  it('take away what changes the server, then everything', async () => {
    await changeSettings({ assistant_write_tools: false })
    const names = await mcp.names()
    expect(names.filter((name) => WRITING.includes(name))).toEqual([])
    expect(names).toContain('get_middleware_status')
    await expect(mcp.tool('clear_router_corpus', { name: 'auto' })).rejects.toThrow(
      'tools that change the server are turned off',
    )
    await changeSettings({ assistant_write_tools: true, localai_assistant_enabled: false })
    expect((await sendMessage(INITIALIZE)).status).toBe(404)
    expect((await world.server.call('/mcp')).status).toBe(404)
    await changeSettings({ localai_assistant_enabled: true })
    // The sessions have ended with the assistant.
    await expect(mcp.names()).rejects.toThrow()
    await eventually(async () => expect((await sendMessage(INITIALIZE)).status).toBe(200))
  })
})
