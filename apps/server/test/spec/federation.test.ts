import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { eventually } from '@svc/test-kit'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { startTestServer, type TestServer } from '../support/server.ts'
import { verifies } from './verifies.ts'

let first: TestServer
let second: TestServer
let odd: OddPeer
let closed: OddPeer
let near: TestServer

const KEY = 'svc-test-key-of-the-near-server'
const said = (text: string) => ({ rules: [{ rpc: 'Predict*' as const, do: { text } }] })

/** A peer that is not this product: it notes requests and answers as it is told. */
interface OddPeer {
  readonly url: string
  readonly seen: { readonly path: string; readonly headers: IncomingMessage['headers']; readonly body: string }[]
  models: string[]
  answer: (response: ServerResponse) => void
  readonly server: Server
}

async function startOddPeer(): Promise<OddPeer> {
  const server = createServer((request, response) => {
    const pieces: Buffer[] = []
    request.on('data', (piece: Buffer) => pieces.push(piece))
    request.on('end', () => {
      const { url: path = '', headers } = request
      if (path === '/v1/models') {
        response.setHeader('content-type', 'application/json')
        response.end(JSON.stringify({ data: peer.models.map((id) => ({ id })) }))
        return
      }
      peer.seen.push({ path, headers, body: Buffer.concat(pieces).toString() })
      peer.answer(response)
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const peer: OddPeer = { url, seen: [], models: ['odd', 'shared'], answer: (response) => response.end('{}'), server }
  return peer
}

const post = (model: string, extra: Record<string, unknown> = {}, headers: Record<string, string> = {}) =>
  near.chat(model, extra, { authorization: `Bearer ${KEY}`, ...headers })

const listNames = async (server: TestServer, headers: Record<string, string> = {}): Promise<string[]> => {
  const { data } = (await server.call('/v1/models', { headers })).json() as { data: { id: string }[] }
  return data.map(({ id }) => id)
}

beforeAll(async () => {
  first = await startTestServer()
  await first.model('far', said('from the first'))
  await first.model('shared', said('from the first'))
  odd = await startOddPeer()
  closed = await startOddPeer()
  closed.models = ['closed']
  const settings = [
    { url: first.url, name: 'first' },
    { url: `${odd.url}/v1`, name: 'odd', pass_key: true },
    { url: closed.url, name: 'closed', api_key_env: 'CLOSED_KEY' },
  ]
  near = await startTestServer({
    flags: ['--federated', '--federated-check-interval=100ms', `--api-keys=${KEY}`, '--pii-default-detectors=mails'],
    env: { SVC_FEDERATED_PEERS: JSON.stringify(settings), CLOSED_KEY: 'svc-key-at-the-peer' },
  })
  await near.model('own', said('from here'))
  await near.writeModelFile(
    'mails.yaml',
    'name: mails\nbackend: pattern\npii_detection:\n  builtins: [email]\n  default_action: mask\n',
  )
  // each of the two has the other as a peer
  second = await startTestServer({
    flags: ['--federated', '--federated-check-interval=100ms', `--federated-peers=${near.url},${first.url}`],
  })
  await eventually(async () => expect(await listNames(near, auth)).toContain('odd'))
})
const auth = { authorization: `Bearer ${KEY}` }
afterAll(async () => {
  await Promise.all([near.close(), second.close(), first.close()])
  await stopOddPeers()
})

verifies('flags:federated:shares', 'a request for a model of a peer is answered by it', async () => {
  const whole = await post('far')
  expect([whole.status, whole.json()]).toMatchObject([200, { choices: [{ message: { content: 'from the first' } }] }])
  const stream = await post('far', { stream: true })
  expect(stream.status).toBe(200)
  expect(stream.text).toContain('data: [DONE]')
  const own = await post('own')
  expect(own.json()).toMatchObject({ choices: [{ message: { content: 'from here' } }] })
})

it('gives streams of formats without an end of their own as they come', async () => {
  const reply = await near.post('/api/chat', { model: 'far', messages: [{ role: 'user', content: 'Hi' }] }, auth)
  expect(reply.status).toBe(200)
  const lines = reply.text
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as { done: boolean })
  expect(lines.at(-1)).toMatchObject({ done: true })
  const responses = await near.post('/v1/responses', { model: 'far', input: 'Hi', stream: true }, auth)
  expect(responses.text).toContain('event: response.completed')
})

verifies('federation:pii:filtered', 'requests are filtered as those to a provider, and name one model', async () => {
  odd.seen.length = 0
  odd.answer = (response) => response.setHeader('content-type', 'application/json').end('{}')
  await post('odd', { messages: [{ role: 'user', content: 'Write to ada@lab.example' }] })
  expect(odd.seen[0]?.body).toContain('Write to [')
  expect(odd.seen[0]?.body).not.toContain('ada@lab.example')
  expect((await post('odd', { Model: 'hidden' })).status).toBe(400)
  const messages = [{ role: 'user', content: 'Hello' }]
  expect((await near.post('/v1/chat/completions', { model: '', model_id: 'odd', messages }, auth)).status).toBe(200)
  expect(JSON.parse(odd.seen.at(-1)?.body ?? '{}')).toMatchObject({ model: 'odd' })
  expect(odd.seen).toHaveLength(2)
})

it('writes forms anew for the peer', async () => {
  odd.seen.length = 0
  odd.answer = (response) => response.setHeader('content-type', 'application/json').end('{"text":"heard"}')
  const form = new FormData()
  form.set('model', 'odd')
  form.set('language', 'en')
  form.set('file', new Blob([Buffer.from('RIFF....WAVE')], { type: 'audio/wav' }), 'a "b".wav')
  const reply = await fetch(`${near.url}/v1/audio/transcriptions`, { method: 'POST', body: form, headers: auth })
  expect([reply.status, await reply.json()]).toEqual([200, { text: 'heard' }])
  const [{ body, headers, path } = { body: '', headers: {}, path: '' }] = odd.seen
  expect(path).toBe('/v1/audio/transcriptions')
  const read = await new Response(body, { headers: { 'content-type': String(headers['content-type']) } }).formData()
  expect(read.get('language')).toBe('en')
  expect(read.get('file')).toMatchObject({ name: 'a "b".wav', type: 'audio/wav', size: 12 })
})

verifies('federation:keys:stay-here', 'only a peer that is set so gets the key of the caller', async () => {
  odd.seen.length = 0
  odd.answer = (response) => response.setHeader('content-type', 'application/json').end('{}')
  await post('odd', {}, { cookie: 'session=secret', 'x-correlation-id': 'the-same-id' })
  expect(odd.seen[0]?.headers).toMatchObject({
    authorization: `Bearer ${KEY}`,
    'x-svc-hop': '1',
    'x-correlation-id': 'the-same-id',
  })
  expect(odd.seen[0]?.headers).not.toHaveProperty('cookie')
  await post('closed', {}, { 'x-api-key': KEY })
  expect(closed.seen[0]?.headers).toMatchObject({ authorization: 'Bearer svc-key-at-the-peer' })
  expect(JSON.stringify(closed.seen)).not.toContain(KEY)
  odd.models = []
  await eventually(async () => expect(await listNames(near, auth)).not.toContain('odd'))
  odd.models = ['odd', 'shared']
  await eventually(async () => expect(await listNames(near, auth)).toContain('odd'))
  expect(near.logLines.join('\n')).not.toContain(KEY)
})

verifies('federation:failover:before-first-byte', 'another peer answers where one fails to begin', async () => {
  for (const fail of [
    (response: ServerResponse) => response.destroy(),
    (response: ServerResponse) => response.writeHead(503).end('busy'),
  ]) {
    odd.answer = fail
    for (let turn = 0; turn < 6; turn += 1) {
      const reply = await post('shared')
      expect(reply.json()).toMatchObject({ choices: [{ message: { content: 'from the first' } }] })
    }
    await eventually(async () => expect((await peers()).every(({ isOnline }) => isOnline)).toBe(true))
  }
  // a reply that has begun is cut and not repeated
  odd.seen.length = 0
  odd.answer = (response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    response.write('data: {"choices":[{"index":0,"delta":{"content":"be"}}]}\n\n', () => response.destroy())
  }
  const cut = await post('odd', { stream: true })
  expect(cut.text).toContain('"be"')
  expect(cut.text).toContain('error')
  expect(odd.seen).toHaveLength(1)
})

it('shows the health of peers and their requests in metrics', async () => {
  const { text } = await near.call('/metrics', { headers: auth })
  expect(text).toContain('svc_peers_healthy{peer="first"} 1')
  expect(text).toMatch(/svc_peer_requests_total\{peer="first",outcome="answered"\} [1-9]/)
  expect(text).toMatch(/svc_peer_requests_total\{peer="odd",outcome="failed"\} [1-9]/)
})

it('passes the error of the only peer unchanged', async () => {
  odd.answer = (response) => response.writeHead(429, { 'content-type': 'application/json' }).end('{"error":"slow"}')
  const reply = await post('odd')
  expect([reply.status, reply.text]).toEqual([429, '{"error":"slow"}'])
  odd.answer = (response) => response.writeHead(400, { 'content-type': 'application/json' }).end('{"error":"bad"}')
  expect((await post('shared', { n: 1 })).status).toBeLessThan(500)
})

verifies('federation:loops:end', 'a peer is offered only the own models of a server', async () => {
  expect(await listNames(near, { ...auth, 'x-svc-hop': '1' })).toEqual(['mails', 'own'])
  await eventually(async () => expect(await listNames(second)).toContain('far'))
  expect(await listNames(second)).not.toContain('odd')
  const looped = await post('far', {}, { 'x-svc-hop': '4' })
  expect([looped.status, looped.json()]).toMatchObject([
    508,
    { error: { message: expect.stringContaining('goes round') } },
  ])
})

async function stopOddPeers(): Promise<void> {
  for (const { server } of [odd, closed]) {
    server.closeAllConnections()
    if (server.listening) await new Promise((resolve) => server.close(resolve))
  }
}

interface Shown {
  readonly name: string
  readonly isOnline: boolean
}

async function peers(): Promise<readonly Shown[]> {
  const reply = await near.call('/api/p2p/federation', { headers: auth })
  return (reply.json() as { nodes: Shown[] }).nodes
}

it('ends the request at the peer when the client leaves', async () => {
  const left = new Promise<void>((resolve) => {
    odd.answer = (response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' })
      response.write('data: {"choices":[{"index":0,"delta":{"content":"be"}}]}\n\n')
      response.once('close', () => resolve())
    }
  })
  const leaving = new AbortController()
  const reply = await fetch(`${near.url}/v1/chat/completions`, {
    method: 'POST',
    headers: { ...auth, 'content-type': 'application/json' },
    body: JSON.stringify({ model: 'odd', stream: true, messages: [{ role: 'user', content: 'Hi' }] }),
    signal: leaving.signal,
  })
  await reply.body?.getReader().read()
  leaving.abort()
  await left
})

it('refuses routes that need more than the request', async () => {
  const reply = await near.post('/v1/mcp/chat/completions', { model: 'far', messages: [] }, auth)
  expect([reply.status, reply.json()]).toMatchObject([
    400,
    { error: { message: expect.stringContaining('by a peer') } },
  ])
})

verifies(
  'p2p:route:read',
  'lists its peers, and answers 503 in the format of the route while none is healthy',
  async () => {
    expect(await peers()).toMatchObject([
      { name: 'first', serviceID: 'services', tunnelAddress: first.url, isOnline: true },
      { name: 'odd', isOnline: true },
      { name: 'closed', isOnline: true },
    ])
    const stats = (await near.call('/api/p2p/stats', { headers: auth })).json()
    expect(stats).toMatchObject({ federated: { online: 3, total: 3 }, llama_cpp_workers: { online: 0, total: 0 } })
    const token = await near.call('/api/p2p/token', { headers: auth })
    expect([token.status, token.json()]).toEqual([404, { error: expect.stringContaining('--p2p') }])
    expect((await first.call('/api/p2p')).json()).toEqual({ llama_cpp_nodes: [], federated_nodes: [], mlx_nodes: [] })
    await first.close()
    await stopOddPeers()
    await eventually(async () => expect((await peers()).some(({ isOnline }) => isOnline)).toBe(false))
    for (const model of ['far', 'never-heard-of']) {
      const reply = await post(model)
      expect([reply.status, reply.json()], model).toMatchObject([
        503,
        { error: { message: expect.stringContaining('peer') } },
      ])
    }
    const messages = await near.post('/v1/messages', { model: 'far', max_tokens: 1, messages: [] }, auth)
    expect([messages.status, messages.json()]).toMatchObject([503, { type: 'error' }])
  },
)
