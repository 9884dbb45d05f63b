import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import { join } from 'node:path'
import {
  connectTlsThrough,
  createDeferred,
  eventually,
  type FileOrigin,
  type HostileIssuer,
  listenOnFreePort,
  type OtlpReceiver,
  readSse,
  startFileOrigin,
  startHostileIssuer,
  startOtlpReceiver,
  startUpstream,
  trackSockets,
  type Upstream,
} from '@svc/test-kit'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { WebSocket, WebSocketServer } from 'ws'
import { stringify } from 'yaml'
import { createBrowser } from '../support/browser.ts'
import { type FarNetwork, openFarNetwork } from '../support/far-network.ts'
import { hubPath, mockEntry, sha256, WEIGHTS } from '../support/gallery-world.ts'
import { readPort, untilListening } from '../support/interception-world.ts'
import { CLIENT, findPort, oidcEnv, signIn, startAt } from '../support/provider-sign-in.ts'
import { type FakeRegistry, makeImage, startFakeRegistry } from '../support/registry.ts'
import type { TestServer } from '../support/server.ts'
import { verifies } from './verifies.ts'

const PASSWORD = 'hunter-2-hunter-2'
const BASIC = `Basic ${Buffer.from(`me:${PASSWORD}`).toString('base64')}`
const KEY = 'the-key-of-an-admin'
const HEADERS = { 'content-type': 'application/json', 'x-api-key': KEY }

/** A host of WebSockets that repeats every message. */
async function startEcho(): Promise<AsyncDisposable & { readonly port: number }> {
  const server = createServer()
  const tracked = trackSockets(server)
  new WebSocketServer({ server }).on('connection', (socket) => {
    socket.on('message', (message) => socket.send(`echo ${message}`))
  })
  return { port: await listenOnFreePort(server), [Symbol.asyncDispose]: tracked.close }
}

/** Only the proxy knows names of `.test`: every request that reaches them has gone through it. */
describe('a server that only a proxy lets out', () => {
  const open: AsyncDisposable[] = []
  const keep = <Thing extends AsyncDisposable>(thing: Thing): Thing => {
    open.push(thing)
    return thing
  }
  let network: FarNetwork
  let issuer: HostileIssuer
  let origin: FileOrigin
  let registry: FakeRegistry
  let spans: OtlpReceiver
  let upstream: Upstream
  let server: TestServer

  beforeAll(async () => {
    network = keep(await openFarNetwork(`me:${PASSWORD}`))
    const account = { sub: 'ada' }
    issuer = keep(await startHostileIssuer({ clientId: CLIENT.clientId, account, issuer: 'https://sso.test' }))
    issuer.userInfo = { ...account, email: 'ada@site.example', email_verified: true, name: 'Ada' }
    registry = keep(await startFakeRegistry())
    registry.realm = 'https://tokens.test/token'
    await registry.push(makeImage([[{ name: 'weights.bin', content: WEIGHTS }]]), 'o/model:1')
    const boxed = mockEntry('boxed')
    const image = {
      files: [{ filename: 'boxed', uri: 'oci://registry.test/o/model:1' }],
      overrides: { ...(boxed.overrides as object), parameters: { model: 'boxed/weights.bin' } },
    }
    origin = keep(
      await startFileOrigin({
        files: {
          '/index.yaml': Buffer.from(stringify([mockEntry('one'), { ...boxed, ...image }])),
          [hubPath('one.bin')]: WEIGHTS,
        },
      }),
    )
    spans = keep(await startOtlpReceiver())
    upstream = keep(await startUpstream())
    const echo = keep(await startEcho())
    const doubles = {
      'sso.test': issuer.port,
      'api.test': upstream.port,
      'live.test': echo.port,
      'gallery.test': new URL(origin.origin).port,
      'hub.test': new URL(origin.origin).port,
      'registry.test': registry.host.split(':')[1],
      'tokens.test': registry.host.split(':')[1],
    }
    for (const [host, port] of Object.entries(doubles)) await network.addTls(host, Number(port))
    network.addPlain('spans.test:4318', spans.upstream.port)
    network.addPlain('plain.test:80', upstream.port)
    network.addPlain('past.test:80', upstream.port)
    const galleries = JSON.stringify([{ name: 'far', url: 'https://gallery.test/index.yaml' }])
    server = keep(
      await startAt(await findPort(), {
        flags: [
          ...['--auth-registration-mode=open', `--api-keys=${KEY}`, '--mitm-listen=127.0.0.1:0', '--log-level=debug'],
          ...[`--galleries=${galleries}`, '--autoload-galleries=false'],
        ],
        env: {
          ...network.env,
          NO_PROXY: 'past.test',
          HF_ENDPOINT: 'https://hub.test',
          ...oidcEnv('https://sso.test'),
          OTEL_EXPORTER_OTLP_ENDPOINT: 'http://spans.test:4318',
        },
      }),
    )
    for (const url of ['https://api.test', 'http://plain.test', 'http://past.test']) {
      const name = new URL(url).hostname
      await server.writeModelFile(
        `${name}.yaml`,
        stringify({
          name,
          backend: 'cloud-proxy',
          known_usecases: ['chat'],
          proxy: { upstream_url: `${url}/v1/chat/completions` },
        }),
      )
    }
    await server.writeModelFile('live.yaml', stringify({ name: 'live', mitm: { hosts: ['live.test'] } }))
  })
  afterAll(async () => {
    for (const thing of open.reverse()) await thing[Symbol.asyncDispose]()
  })

  const chat = (model: string) => server.chat(model, {}, HEADERS)
  const asked = (target: string) => network.proxy.requests.filter((request) => request.target.includes(target))

  verifies('service:way-out:proxies', 'signs people in at a provider', async () => {
    const browser = createBrowser(server.url)
    const back = await signIn(browser, 'oidc', issuer.agree)
    expect([back.status, back.headers.location]).toEqual([307, '/app'])
    const me = (await browser.call('/api/auth/me')).json()
    expect(me).toMatchObject({ email: 'ada@site.example', provider: 'oidc' })
    expect(issuer.proofs).toEqual(['basic'])
    expect(network.received()).toContain('GET /userinfo')
    expect(asked('sso.test').length).toBeGreaterThan(0)
  })

  verifies('service:way-out:proxies', 'installs models from a gallery, a hub and a registry', async () => {
    for (const id of ['one', 'boxed']) {
      const { uuid } = (await server.post('/models/apply', { id }, HEADERS)).json() as { uuid: string }
      await eventually(async () => {
        const job = (await server.call(`/models/jobs/${uuid}`, { headers: HEADERS })).json()
        expect(job).toMatchObject({ processed: true, message: 'completed' })
      })
    }
    for (const file of ['one.bin', 'boxed/weights.bin']) {
      expect(sha256(await readFile(join(server.modelsPath, file))), file).toBe(sha256(WEIGHTS))
    }
    expect(registry.requests.map(({ path }) => path)).toContainEqual(expect.stringMatching(/^\/token\?/))
    for (const host of ['gallery.test', 'hub.test', 'registry.test', 'tokens.test']) {
      expect(asked(host), host).not.toEqual([])
    }
  })

  verifies('service:way-out:proxies', 'streams the answers of an upstream as they come', async () => {
    const rest = createDeferred<string>()
    const event = (content: string) => `data: ${JSON.stringify({ choices: [{ index: 0, delta: { content } }] })}\n\n`
    upstream.enqueue({
      headers: { 'content-type': 'text/event-stream' },
      body: [event('one'), rest.promise, event('two'), 'data: [DONE]\n\n'],
    })
    const reply = await fetch(`${server.url}/v1/chat/completions`, {
      method: 'POST',
      headers: HEADERS,
      body: JSON.stringify({ model: 'api.test', messages: [{ role: 'user', content: 'Hello' }], stream: true }),
    })
    const events = readSse(reply)
    expect((await events.next()).value?.data).toContain('one')
    rest.resolve('')
    const data: string[] = []
    for await (const { data: text } of events) data.push(text)
    expect(data.join()).toContain('two')
    expect(data.at(-1)).toBe('[DONE]')
    expect(asked('api.test').map(({ method }) => method)).toEqual(['CONNECT'])
  })

  verifies('service:way-out:proxies', 'relays WebSockets of clients that it intercepts', async () => {
    const { listen_addr: address } = await untilListening(server, HEADERS)
    const ca = (await server.call('/api/middleware/proxy-ca.crt', { headers: HEADERS })).text
    const tls = await connectTlsThrough({ port: readPort(address) }, 'live.test:443', { ca })
    const socket = new WebSocket('wss://live.test/v1/realtime', { createConnection: () => tls })
    await once(socket, 'open')
    socket.send('hi')
    expect(String((await once(socket, 'message'))[0])).toBe('echo hi')
    socket.terminate()
    expect(asked('live.test:443').length).toBeGreaterThan(0)
  })

  verifies('service:way-out:proxies', 'sends its spans to a receiver without TLS, by whole URLs', async () => {
    expect((await chat('plain.test')).status).toBe(200)
    await eventually(() => expect(spans.spans().map(({ name }) => name)).toContain('POST /v1/chat/completions'))
    expect(new Set(asked('spans.test').map(({ method, target }) => `${method} ${target}`))).toEqual(
      new Set(['POST http://spans.test:4318/v1/traces']),
    )
    expect(asked('plain.test')[0]).toMatchObject({
      method: 'POST',
      target: 'http://plain.test/v1/chat/completions',
    })
  })

  verifies('service:way-out:proxies', 'goes past the proxy to the hosts of NO_PROXY', async () => {
    expect((await chat('past.test')).status).toBe(502)
    expect(asked('past.test')).toEqual([])
  })

  verifies('service:way-out:credentials', 'gives the proxy its credentials, and nobody else', async () => {
    expect(new Set(network.proxy.requests.map(({ authorization }) => authorization))).toEqual(new Set([BASIC]))
    const shown = [
      network.received(),
      ...[upstream, spans.upstream].flatMap(({ requests }) => requests.map(({ headers }) => headers.join())),
      server.logLines.join(),
      (await server.call('/api/settings', { headers: HEADERS })).text,
    ]
    for (const text of shown) {
      expect(text).not.toContain(PASSWORD)
      expect(text).not.toContain(BASIC.slice(6))
      expect(text.toLowerCase()).not.toContain('proxy-authorization')
    }
  })

  it('opened no connection past the proxy', () => {
    const tunnels = network.proxy.requests.filter(({ method }) => method === 'CONNECT')
    const counts: Record<string, number> = {}
    for (const { target } of tunnels) {
      const host = target.replace(':443', '')
      counts[host] = (counts[host] ?? 0) + 1
    }
    expect(network.accepted()).toEqual(counts)
  })
})
