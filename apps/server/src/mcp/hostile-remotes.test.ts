import type { IncomingMessage, ServerResponse } from 'node:http'
import { eventually, type HttpServer, startHttpServer } from '@svc/test-kit'
import { describe, expect, it } from 'vitest'
import type { ToolSet } from '../inference/tools/server-tools.ts'
import { CONTEXT, modelWith, NEVER, openServers } from './__fixtures__/open-servers.ts'

const REQUEST = { context: CONTEXT, signal: NEVER }
const EVENTS = { 'content-type': 'text/event-stream' }

type Answer = (response: ServerResponse, id: unknown) => void

/** A server whose answer to calls of tools is `answer`. */
async function startHostile(answer: Answer): Promise<HttpServer & { readonly open: () => number }> {
  const open = new Set<ServerResponse>()
  const handle = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    open.add(response)
    response.on('close', () => open.delete(response))
    if (request.method !== 'POST') return void response.writeHead(405).end()
    const { id, method } = await readJson(request)
    // An answer to a question of the server, which it lets hang.
    if (method === undefined) return
    if (method === 'tools/call') return answer(response, id)
    if (id === undefined) return void response.writeHead(202).end()
    response
      .writeHead(200, { 'content-type': 'application/json' })
      .end(JSON.stringify({ jsonrpc: '2.0', id, result: results(method) }))
  }
  const http = await startHttpServer((request, response) => void handle(request, response))
  return Object.assign(http, { open: () => open.size })
}

function results(method: string) {
  if (method !== 'initialize') return { tools: [{ name: 'run', inputSchema: { type: 'object' } }] }
  return { protocolVersion: '2025-06-18', capabilities: { tools: {} }, serverInfo: { name: 'h', version: '1' } }
}

async function readJson(request: IncomingMessage) {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk)
  return JSON.parse(Buffer.concat(chunks).toString())
}

function call(set: ToolSet) {
  const [tool] = set.tools
  if (tool === undefined) throw new Error(JSON.stringify(set.failures))
  return tool.call({}, { signal: NEVER })
}

function stream(response: ServerResponse, total: number, piece: string): void {
  let left = total
  const step = () => {
    while (left > 0) {
      left -= piece.length
      if (!response.write(piece)) return void response.once('drain', step)
    }
    response.end()
  }
  step()
}

const message = (id: unknown, text: string) =>
  JSON.stringify({ jsonrpc: '2.0', id, result: { content: [{ type: 'text', text }] } })

describe('a remote server that answers a call with', () => {
  it.each<readonly [string, Answer, object]>([
    [
      'a message of 50 MB',
      (response) => {
        response.writeHead(200, { 'content-type': 'application/json' })
        stream(response, 50_000_000, 'x'.repeat(65_536))
      },
      { kind: 'too_large' },
    ],
    [
      'an event of 50 MB',
      (response) => {
        response.writeHead(200, EVENTS).write('data: ')
        stream(response, 50_000_000, 'x'.repeat(65_536))
      },
      { kind: 'too_large', code: 'mcp_message_too_large' },
    ],
    [
      'the end after its headers',
      (response) => void response.writeHead(200, EVENTS).end(),
      { kind: 'upstream_failed', message: expect.stringMatching(/without a result/) },
    ],
    [
      'a broken connection after its headers',
      (response) => {
        response.writeHead(200, EVENTS).flushHeaders()
        response.destroy()
      },
      { kind: 'upstream_failed' },
    ],
    ['nothing', () => undefined, { kind: 'timeout', code: 'mcp_timeout' }],
    [
      'headers and nothing else',
      (response) => void response.writeHead(200, EVENTS).flushHeaders(),
      { kind: 'timeout' },
    ],
    [
      'a page',
      (response) => void response.writeHead(200, { 'content-type': 'text/html' }).end('<p>'),
      { kind: 'upstream_failed' },
    ],
    [
      'a redirect',
      (response) => void response.writeHead(307, { location: 'http://127.0.0.1:1/' }).end(),
      { kind: 'upstream_failed' },
    ],
    ['an odd status', (response) => void response.writeHead(799).end(), { kind: 'upstream_failed' }],
    [
      'no permission',
      (response) => void response.writeHead(401).end(),
      { message: expect.stringMatching(/refuses the credentials/) },
    ],
    [
      'another answer',
      (response) => void response.writeHead(200, { 'content-type': 'application/json' }).end(message(99, 'x')),
      { kind: 'timeout' },
    ],
  ])('%s fails that call, and leaves no connection', async (_what, answer, failure) => {
    await using remote = await startHostile(answer)
    await using servers = openServers({ maxMessageBytes: 1_000_000 })
    const timeout = 'kind' in failure && failure.kind === 'timeout' ? '400ms' : '60s'
    const model = modelWith({ remote: { h: { url: remote.origin, timeout } } })
    const set = await servers.openModel(model, REQUEST)
    const before = process.memoryUsage().rss
    await expect(call(set)).rejects.toMatchObject(failure)
    expect(process.memoryUsage().rss - before).toBeLessThan(45_000_000)
    set.close()
    await servers.close()
    await eventually(() => expect(remote.open()).toBe(0))
  })

  it('events before its result is waited for', async () => {
    await using remote = await startHostile((response, id) => {
      response.writeHead(200, EVENTS).write(': wait\n\n')
      response.write(
        'event: message\r\ndata: {"jsonrpc":"2.0","method":"notifications/message","params":{"level":"info","data":1}}\r\n\r\n',
      )
      response.end(`data: ${message(id, 'here')}\n\n`)
    })
    await using servers = openServers()
    const set = await servers.openModel(modelWith({ remote: { h: { url: remote.origin } } }), REQUEST)
    expect(await call(set)).toEqual({ content: [{ type: 'text', text: 'here' }], isError: false })
    set.close()
  })
})

it('a stream of notifications that ends at once is not opened without end', async () => {
  let streams = 0
  const handle = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    if (request.method === 'GET') {
      streams += 1
      return void response.writeHead(200, EVENTS).end('retry: 0\n\n')
    }
    const { id, method } = await readJson(request)
    if (id === undefined) return void response.writeHead(202).end()
    response
      .writeHead(200, { 'content-type': 'application/json' })
      .end(JSON.stringify({ jsonrpc: '2.0', id, result: results(method) }))
  }
  await using remote = await startHttpServer((request, response) => void handle(request, response))
  await using servers = openServers()
  const set = await servers.openModel(modelWith({ remote: { h: { url: remote.origin } } }), REQUEST)
  await eventually(() => expect(streams).toBe(20))
  set.close()
  await servers.close()
  expect(streams).toBe(20)
})

it('a remote server that asks without end is answered over few connections', async () => {
  await using http = await startHostile((response, id) => {
    response.writeHead(200, EVENTS)
    for (let ping = 0; ping < 1000; ping += 1)
      response.write(`data: ${JSON.stringify({ jsonrpc: '2.0', id: `p${ping}`, method: 'ping' })}\n\n`)
    setTimeout(() => response.end(`data: ${message(id, 'fine')}\n\n`), 300)
  })
  await using servers = openServers()
  const set = await servers.openModel(modelWith({ remote: { h: { url: http.origin } } }), REQUEST)
  expect(await call(set)).toMatchObject({ isError: false })
  await eventually(() => expect(http.open()).toBeGreaterThan(100))
  expect(http.open()).toBeLessThanOrEqual(128)
  set.close()
  servers.follow('m', undefined)
  await eventually(() => expect(http.open()).toBe(0))
})

it('a call that a remote server answers with an error of the number 404 is not sent again', async () => {
  let calls = 0
  await using http = await startHostile((response, id) => {
    calls += 1
    response
      .writeHead(200, { 'content-type': 'application/json' })
      .end(JSON.stringify({ jsonrpc: '2.0', id, error: { code: 404, message: 'there is no such page' } }))
  })
  await using servers = openServers()
  const set = await servers.openModel(modelWith({ remote: { h: { url: http.origin } } }), REQUEST)
  await expect(call(set)).rejects.toMatchObject({ message: expect.stringMatching(/there is no such page/) })
  expect([calls, servers.sessions]).toEqual([1, 1])
  set.close()
})
