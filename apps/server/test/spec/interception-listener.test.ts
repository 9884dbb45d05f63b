import { execFile } from 'node:child_process'
import { chmod, mkdir, readFile, rm, stat, symlink, writeFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { promisify } from 'node:util'
import {
  askHttp1,
  connectThrough,
  connectTlsThrough,
  createDeferred,
  createTestCa,
  eventually,
  listenOnFreePort,
  tempDir,
} from '@svc/test-kit'
import { middlewareStatus } from '@svc/wire/native'
import { describe, expect, it } from 'vitest'
import {
  type InterceptionWorld,
  LISTED,
  OTHER,
  readPort,
  startInterception,
  untilListening,
} from '../support/interception-world.ts'
import { startTestServer, type TestServer } from '../support/server.ts'
import { verifies } from './verifies.ts'

const chat = (content: string): string => JSON.stringify({ messages: [{ role: 'user', content }] })
const PATH = '/v1/chat/completions'

/** A world in which the listed host masks `secret`. */
async function startGuarded(options: Parameters<typeof startInterception>[0] = {}): Promise<InterceptionWorld> {
  const world = await startInterception(options)
  await world.patterns('secrets', { SECRET: 'secret' })
  await world.claims('guard', [LISTED], { enabled: true, detectors: ['secrets'] })
  return world
}

const readStatus = async (server: TestServer) =>
  middlewareStatus.parse((await server.call('/api/middleware/status')).json()).mitm

/** Waits for the reason why the listener does not run. */
const untilFault = (server: TestServer) =>
  eventually(async () => {
    const { error } = await readStatus(server)
    if (error === undefined) throw new Error('no fault yet')
    return error
  })

/** A listener that cannot start keeps the server from being ready until its fault is known, and no longer. */
const untilReady = (server: TestServer) =>
  eventually(async () => expect((await server.call('/readyz')).status).toBe(200))

const lastText = ({ upstream }: InterceptionWorld) => upstream.requests.at(-1)?.text()

/** Gives the status of the answer to CONNECT, and leaves. */
async function connectStatus(proxy: { readonly port: number }, target: string): Promise<number> {
  const { status, socket } = await connectThrough(proxy, target)
  socket.destroy()
  return status
}

describe('the listener', () => {
  verifies(
    'mitm:listen:off',
    'does not exist without an address, and listens at that of flag or variable',
    async () => {
      await using off = await startTestServer()
      expect(await readStatus(off)).toMatchObject({ running: false, configured_addr: '', ca_available: false })
      expect(off.logLines.join('')).not.toContain('intercepting proxy')
      await using byVariable = await startTestServer({ env: { SVC_MITM_LISTEN: '127.0.0.1:0' } })
      const status = await untilListening(byVariable)
      expect(status).toMatchObject({ running: true, configured_addr: '127.0.0.1:0', ca_available: true })
      expect(status.listen_addr).toMatch(/^127\.0\.0\.1:[1-9]\d*$/)
    },
  )

  verifies('mitm:connect:plaintext', 'takes CONNECT without TLS, and nothing else', async () => {
    await using world = await startGuarded()
    expect(await connectStatus(world, world.target(OTHER))).toBe(200)
    const reply = await fetch(`http://127.0.0.1:${world.port}/v1/models`)
    expect([reply.status, reply.headers.get('allow')]).toEqual([405, 'CONNECT'])
  })

  verifies('access:mitm:no-auth', 'asks for no credentials where the API does', async () => {
    await using world = await startGuarded({ env: { SVC_MITM_LISTEN: '127.0.0.1:0' } })
    await world.server.post('/api/settings', { api_keys: ['key'] })
    expect((await world.server.call('/api/middleware/status')).status).toBe(401)
    await world.ask({ path: PATH, body: chat('a secret') })
    expect(lastText(world)).toBe(chat('a [REDACTED:pattern:SECRET]'))
    expect(await connectStatus(world, world.target(OTHER))).toBe(200)
  })

  verifies('mitm:connect:intercepted', 'intercepts a listed host in any spelling and on every port', async () => {
    await using world = await startGuarded()
    for (const host of [LISTED.toUpperCase(), `${LISTED}.`]) {
      const tls = await connectTlsThrough(world, world.target(host), { ca: world.ca, servername: LISTED })
      const { subjectaltname, issuer } = tls.getPeerCertificate()
      expect([subjectaltname, issuer.O]).toEqual([`DNS:${LISTED}`, 'svc'])
      const reply = await askHttp1(tls, world.target(), { path: PATH, body: chat('a secret') })
      expect([reply.status, lastText(world)]).toEqual([200, chat('a [REDACTED:pattern:SECRET]')])
      tls.destroy()
    }
  })

  verifies('mitm:connect:tunnelled', 'touches nothing of other hosts', async () => {
    await using world = await startGuarded()
    const tls = await connectTlsThrough(world, world.target(OTHER), { ca: world.upstreamCa.cert })
    const reply = await askHttp1(tls, world.target(OTHER), { path: PATH, body: chat('a secret') })
    expect([reply.status, lastText(world)]).toEqual([200, chat('a secret')])
    tls.destroy()
    expect(await world.events('?origin=proxy')).toMatchObject([
      { kind: 'proxy_connect', host: OTHER, intercepted: false },
    ])
  })

  it('leads to no listener of this server and to no metadata address', async () => {
    await using world = await startGuarded()
    const own = new URL(world.server.url).port
    for (const target of [`127.0.0.1:${own}`, `${OTHER}:${own}`, `127.0.0.1:${world.port}`, '169.254.169.254:80']) {
      expect([target, await connectStatus(world, target)]).toEqual([target, 403])
    }
  })

  it('warns where other machines can reach it', async () => {
    await using server = await startTestServer({ flags: ['--mitm-listen=:0'] })
    const { listen_addr: address } = await untilListening(server)
    expect(server.logLines.join('')).toContain('OTHER MACHINES CAN REACH THE INTERCEPTING PROXY')
    await using inside = await startTestServer({ flags: ['--mitm-listen=localhost:0'] })
    await untilListening(inside)
    expect(inside.logLines.join('')).not.toContain('OTHER MACHINES')
    expect(await connectStatus({ port: readPort(address) }, '169.254.169.254:80')).toBe(403)
  })
})

describe('the authority', () => {
  verifies(
    ['mitm:ca:folder', 'mitm:ca:generated', 'mitm:ca:key-mode'],
    'is made on the first start, with a private key file, in its folder',
    async () => {
      await using dir = await tempDir()
      await using named = await startTestServer({
        flags: ['--mitm-listen=127.0.0.1:0', `--mitm-ca-dir=${dir.join('mine')}`],
      })
      await using usual = await startTestServer({ flags: ['--mitm-listen=127.0.0.1:0'] })
      const folders = [
        [named, dir.join('mine')],
        [usual, join(usual.folder, 'data', 'mitm-ca')],
      ] as const
      for (const [server, folder] of folders) {
        await untilListening(server)
        expect(((await stat(folder)).mode & 0o777).toString(8)).toBe('700')
        expect(((await stat(join(folder, 'ca.key'))).mode & 0o777).toString(8)).toBe('600')
        const { ca_cert_url: url = '' } = await readStatus(server)
        expect((await server.call(url)).text).toBe(await readFile(join(folder, 'ca.crt'), 'latin1'))
      }
    },
  )

  verifies('mitm:ca:reloaded', 'is read again after a restart, and shared by servers of one folder', async () => {
    await using dir = await tempDir()
    const flags = ['--mitm-listen=127.0.0.1:0', `--mitm-ca-dir=${dir.join('ca')}`]
    const read = async (server: TestServer): Promise<string> => {
      await untilListening(server)
      return (await server.call('/api/middleware/proxy-ca.crt')).text
    }
    const both = await Promise.all([startTestServer({ flags }), startTestServer({ flags })])
    const [first, second] = await Promise.all(both.map(read))
    await Promise.all(both.map((server) => server.close()))
    await using again = await startTestServer({ flags })
    expect([second, await read(again)]).toEqual([first, first])
  })

  verifies('mitm:ca:own', 'is one of the operator: RSA, behind links as mounted secrets are', async () => {
    await using dir = await tempDir()
    const [version, folder] = [dir.join('ca', '..version'), dir.join('ca')]
    await mkdir(version, { recursive: true })
    await promisify(execFile)('openssl', [
      ...['req', '-x509', '-newkey', 'rsa:2048', '-nodes', '-subj', '/CN=own root', '-days', '2'],
      ...['-addext', 'keyUsage=critical,keyCertSign'],
      ...['-keyout', join(version, 'tls.key'), '-out', join(version, 'tls.crt')],
    ])
    await chmod(join(version, 'tls.key'), 0o400)
    await chmod(version, 0o755)
    await symlink('..version', join(folder, '..data'))
    await symlink('..data/tls.key', join(folder, 'ca.key'))
    await symlink('..data/tls.crt', join(folder, 'ca.crt'))
    await chmod(folder, 0o1777)
    await using world = await startInterception({ flags: [`--mitm-ca-dir=${folder}`] })
    await world.claims('guard', [LISTED], { enabled: false })
    expect(world.ca).toBe(await readFile(join(version, 'tls.crt'), 'latin1'))
    world.upstream.replyWith({ body: 'read' })
    expect((await world.ask({ path: PATH, body: '{}' })).body.toString()).toBe('read')
  })

  it('gives its certificate to callers with credentials, and never its key', async () => {
    await using server = await startTestServer({ flags: ['--api-keys=key'] })
    const headers = { authorization: 'Bearer key' }
    const get = (given = {}) => server.call('/api/middleware/proxy-ca.crt', { headers: given })
    expect((await get()).status).toBe(401)
    const missing = await get(headers)
    expect([missing.status, missing.json()]).toEqual([404, { error: expect.stringContaining('has run') }])
    const saved = await server.post('/api/settings', { mitm_listen: '127.0.0.1:0' }, headers)
    expect(saved.status).toBe(200)
    const reply = await eventually(async () => {
      const given = await get(headers)
      expect(given.status).toBe(200)
      return given
    })
    expect(reply.headers).toMatchObject({
      'content-type': 'application/x-pem-file',
      'content-disposition': 'attachment; filename="proxy-ca.crt"',
    })
    expect(reply.text).toMatch(/^-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----\n$/)
    // A file that also holds the key gives only the certificate.
    await server.post('/api/settings', { mitm_listen: '' }, headers)
    await eventually(async () => {
      const { mitm } = middlewareStatus.parse((await server.call('/api/middleware/status', { headers })).json())
      expect(mitm.running).toBe(false)
    })
    const folder = join(server.folder, 'data', 'mitm-ca')
    const key = await readFile(join(folder, 'ca.key'), 'latin1')
    await writeFile(join(folder, 'ca.crt'), `${reply.text}${key}`)
    expect((await get(headers)).text).toBe(reply.text)
  })

  it.each([
    ['half a pair', (folder: string) => rm(join(folder, 'ca.key')), 'holds ca.crt without ca.key'],
    ['a key for others', (folder: string) => chmod(join(folder, 'ca.key'), 0o644), 'run chmod 600'],
    [
      'a foreign certificate',
      (folder: string) => writeFile(join(folder, 'ca.crt'), createTestCa().cert),
      'its key does not belong',
    ],
  ])('that cannot be used (%s) stops the listener alone, and stays as it is', async (_, spoil, reason) => {
    await using dir = await tempDir()
    const flags = ['--mitm-listen=127.0.0.1:0', `--mitm-ca-dir=${dir.join('ca')}`]
    const first = await startTestServer({ flags })
    await untilListening(first)
    await first.close()
    await spoil(dir.join('ca'))
    const before = await readFile(dir.join('ca', 'ca.crt'), 'latin1')
    await using server = await startTestServer({ flags })
    expect(await untilFault(server)).toContain(reason)
    expect(await readStatus(server)).toMatchObject({ running: false, configured_addr: '127.0.0.1:0' })
    await untilReady(server)
    expect(server.logLines.join('')).toContain('the intercepting proxy cannot start')
    const certificate = await server.call('/api/middleware/proxy-ca.crt')
    expect([certificate.status, certificate.json()]).toEqual([
      412,
      { error: 'the authority cannot be used; "svc mitm ca" says why' },
    ])
    expect(await readFile(dir.join('ca', 'ca.crt'), 'latin1')).toBe(before)
  })

  it('is mended without a restart', async () => {
    await using dir = await tempDir()
    await mkdir(dir.join('ca'))
    await writeFile(dir.join('ca', 'other'), '')
    await using server = await startTestServer({ flags: [`--mitm-ca-dir=${dir.join('ca')}`] })
    await server.post('/api/settings', { mitm_listen: '127.0.0.1:0' })
    expect(await untilFault(server)).toContain('holds other files')
    await rm(dir.join('ca', 'other'))
    await server.post('/api/settings', { mitm_listen: '' })
    await server.post('/api/settings', { mitm_listen: '127.0.0.1:0' })
    await untilListening(server)
  })
})

describe('upstreams', () => {
  verifies('mitm:upstream:verified', 'without a trusted certificate get no request', async () => {
    await using world = await startGuarded()
    await using dir = await tempDir()
    await writeFile(dir.join('other.crt'), createTestCa().cert)
    await using stranger = await startGuarded({ flags: [`--mitm-extra-ca=${dir.join('other.crt')}`] })
    const through = async (path: string): Promise<number> => {
      const tls = await connectTlsThrough(stranger, world.target(), { ca: stranger.ca, servername: LISTED })
      return askHttp1(tls, world.target(), { path, body: chat('Hello') }).then(({ status }) => status)
    }
    expect([await through(PATH), await through('/v1/other')]).toEqual([502, 502])
    expect(world.upstream.requests).toHaveLength(0)
  })

  verifies('mitm:upstream:extra-ca', 'are trusted by --mitm-extra-ca and by NODE_EXTRA_CA_CERTS', async () => {
    await using world = await startGuarded()
    expect((await world.ask({ path: PATH, body: chat('Hello') })).status).toBe(200)
    await using dir = await tempDir()
    await writeFile(dir.join('other.crt'), createTestCa().cert)
    await using byVariable = await startGuarded({
      flags: [`--mitm-extra-ca=${dir.join('other.crt')}`],
      env: { NODE_EXTRA_CA_CERTS: world.dir.join('upstream.crt') },
    })
    const tls = await connectTlsThrough(byVariable, world.target(), { ca: byVariable.ca, servername: LISTED })
    expect((await askHttp1(tls, world.target(), { path: PATH, body: chat('Hello') })).status).toBe(200)
    tls.destroy()
  })

  it('a file without certificates stops the listener alone', async () => {
    await using server = await startTestServer({ flags: ['--mitm-listen=127.0.0.1:0', '--mitm-extra-ca=/dev/null'] })
    expect(await untilFault(server)).toContain('--mitm-extra-ca: /dev/null holds no certificates')
    await untilReady(server)
  })
})

describe('the setting mitm_listen', () => {
  it('starts, moves and stops the listener, and running requests end in peace', async () => {
    await using world = await startGuarded({ env: {} })
    await using server = await startTestServer()
    const save = (address: string) => server.post('/api/settings', { mitm_listen: address })
    expect((await save('somewhere')).status).toBe(400)
    expect((await save('127.0.0.1:0')).status).toBe(200)
    const first = readPort((await untilListening(server)).listen_addr)
    const { socket } = await connectThrough({ port: first }, `127.0.0.1:${world.upstream.port}`)
    await save('localhost:0')
    const second = await eventually(async () => {
      const port = readPort((await untilListening(server)).listen_addr)
      expect(port).not.toBe(first)
      return port
    })
    await expect(connectThrough({ port: first }, world.target(OTHER))).rejects.toMatchObject({ code: 'ECONNREFUSED' })
    expect(await connectStatus({ port: second }, '169.254.169.254:80')).toBe(403)
    expect(socket.destroyed).toBe(false)
    await save('')
    await eventually(async () =>
      expect(await readStatus(server)).toMatchObject({ running: false, configured_addr: '' }),
    )
    await expect(connectThrough({ port: second }, world.target(OTHER))).rejects.toMatchObject({ code: 'ECONNREFUSED' })
    expect(socket.destroyed).toBe(false)
    socket.destroy()
  })

  it('lets go with the server: tunnels end, and the port is free', async () => {
    await using world = await startGuarded()
    const { socket } = await connectThrough(world, world.target(OTHER))
    const gone = new Promise<void>((resolve) => socket.once('close', () => resolve()))
    await world.server.close()
    await gone
    await expect(connectThrough(world, world.target(OTHER))).rejects.toMatchObject({ code: 'ECONNREFUSED' })
  })

  it('with an address that is taken leaves the API alone', async () => {
    const other = createServer()
    const port = await listenOnFreePort(other)
    await using server = await startTestServer({ flags: [`--mitm-listen=127.0.0.1:${port}`] })
    expect(await untilFault(server)).toContain('EADDRINUSE')
    expect((await server.call('/v1/models')).status).toBe(200)
    await new Promise<void>((resolve) => other.close(() => resolve()))
  })
})

describe('changed model files', () => {
  it('act on the next request and the next connection; running replies end in peace', async () => {
    await using world = await startGuarded()
    const gate = createDeferred<void>()
    world.upstream.enqueue({
      headers: { 'content-type': 'text/event-stream' },
      body: ['data: 1\n\n', gate.promise, 'data: 2\n\n'],
    })
    const tls = await connectTlsThrough(world, world.target(), { ca: world.ca })
    const running = askHttp1(tls, world.target(), { path: PATH, body: chat('a secret') })
    await world.upstream.request(0)
    await world.claims('guard', [OTHER], { enabled: true, detectors: ['secrets'] })
    expect((await world.server.post('/models/reload', {})).status).toBe(200)
    const tunnelled = await world.ask({ path: PATH, body: chat('a secret') }, { ca: world.upstreamCa.cert })
    expect([tunnelled.status, lastText(world)]).toEqual([200, chat('a secret')])
    await world.ask({ path: PATH, body: chat('a secret') }, { host: OTHER })
    expect(lastText(world)).toBe(chat('a [REDACTED:pattern:SECRET]'))
    gate.resolve()
    expect((await running).body.toString()).toBe('data: 1\n\ndata: 2\n\n')
    tls.destroy()
  })

  it('that cannot be read keep their rules; deleted ones do not', async () => {
    await using world = await startGuarded()
    await world.ask({ path: PATH, body: chat('a secret') })
    await world.server.writeModelFile('guard.yaml', 'name: guard\nmitm: {hosts: [')
    await world.ask({ path: PATH, body: chat('a secret') })
    expect(lastText(world)).toBe(chat('a [REDACTED:pattern:SECRET]'))
    expect((await world.status()).hosts).toMatchObject([{ host: LISTED, models: ['guard'], filtered: true }])
    await rm(join(world.server.modelsPath, 'guard.yaml'))
    await world.ask({ path: PATH, body: chat('a secret') }, { ca: world.upstreamCa.cert })
    expect(lastText(world)).toBe(chat('a secret'))
  })

  it('act without a reload, on open connections too', async () => {
    await using world = await startGuarded()
    const tls = await connectTlsThrough(world, world.target(), { ca: world.ca })
    await world.claims('guard', [LISTED], { enabled: false })
    await askHttp1(tls, world.target(), { path: PATH, body: chat('a secret') })
    expect(lastText(world)).toBe(chat('a secret'))
    tls.destroy()
  })
})

describe('names that differ', () => {
  it('inside an intercepted connection are refused with 421', async () => {
    await using world = await startGuarded()
    const tls = await connectTlsThrough(world, world.target(), { ca: world.ca })
    const reply = await askHttp1(tls, world.target(OTHER), { path: PATH, body: chat('Hello') })
    expect([reply.status, world.upstream.requests.length]).toEqual([421, 0])
    tls.destroy()
  })

  it('in a tunnel are an event, and close it with SVC_MITM_STRICT alone', async () => {
    await using world = await startGuarded()
    const tls = await connectTlsThrough(world, world.target(OTHER), { ca: world.upstreamCa.cert, servername: LISTED })
    tls.destroy()
    await eventually(async () =>
      expect(await world.events('?kind=proxy_connect')).toMatchObject([
        { host: OTHER, intercepted: false, server_name: LISTED, closed: false, origin: 'proxy' },
        { host: OTHER, intercepted: false },
      ]),
    )
    await using strict = await startGuarded({ env: { SVC_MITM_STRICT: 'true' } })
    const asked = connectTlsThrough(strict, strict.target(OTHER), { ca: strict.upstreamCa.cert, servername: LISTED })
    await expect(asked).rejects.toThrow()
    await eventually(async () =>
      expect(await strict.events('?kind=proxy_connect')).toMatchObject([{ server_name: LISTED, closed: true }, {}]),
    )
    expect(strict.upstream.requests).toHaveLength(0)
  })
})

describe('figures', () => {
  it('are in events, in the status and in metrics, without hosts as labels', async () => {
    await using world = await startGuarded()
    await world.patterns('forbidden', { FORBIDDEN: 'forbidden' }, 'block')
    await world.claims('guard', [LISTED], { enabled: true, detectors: ['secrets', 'forbidden'] })
    const headers = { 'x-correlation-id': 'mine' }
    await world.ask({ path: PATH, headers, body: chat('a secret') })
    await world.ask({ path: PATH, body: chat('forbidden') })
    await world.ask({ path: '/v1/files', body: 'abc' })
    const { socket } = await connectThrough(world, world.target(OTHER))
    const traffic = await eventually(async () => {
      const found = await world.events('?kind=proxy_traffic&origin=proxy')
      expect(found).toHaveLength(3)
      return found
    })
    expect(traffic).toMatchObject([
      { host: LISTED, outcome: 'relayed', status_code: 200, bytes_sent: 3, bytes_received: 2 },
      { host: LISTED, outcome: 'blocked', status_code: 400, bytes_sent: 0 },
      { host: LISTED, outcome: 'relayed', correlation_id: 'mine', duration_ms: expect.any(Number) },
    ])
    expect(await world.events('?correlation_id=mine')).toHaveLength(2)
    expect((await world.status()).counts).toMatchObject({
      connects: 4,
      tunnels: 1,
      requests: 3,
      blocked: 1,
      refused: 0,
    })
    const { text } = await world.server.call('/metrics')
    for (const line of [
      'svc_mitm_connections_total{kind="intercepted"} 3',
      'svc_mitm_connections_total{kind="tunnelled"} 1',
      'svc_mitm_connections_total{kind="refused"} 0',
      'svc_mitm_open_connections{kind="tunnelled"} 1',
      'svc_mitm_requests_total{outcome="relayed",format="chat-completions"} 1',
      'svc_mitm_requests_total{outcome="blocked",format="chat-completions"} 1',
      'svc_mitm_requests_total{outcome="relayed",format="none"} 1',
      'svc_mitm_bytes_total{kind="intercepted",direction="received"} 4',
      'svc_pii_events_total{kind="pii",origin="proxy",action="mask",direction="in"} 1',
    ]) {
      expect(text).toContain(`${line}\n`)
    }
    expect(text).not.toContain('example')
    socket.destroy()
  })

  it('count one listener after the other', async () => {
    await using world = await startGuarded()
    await using server = await startTestServer()
    for (const address of ['127.0.0.1:0', 'localhost:0']) {
      await server.post('/api/settings', { mitm_listen: address })
      await eventually(async () => expect((await untilListening(server)).configured_addr).toBe(address))
      const { listen_addr: at } = await untilListening(server)
      await connectThrough({ port: readPort(at) }, `127.0.0.1:${world.upstream.port}`).then(({ socket }) =>
        socket.destroy(),
      )
    }
    expect((await server.call('/metrics')).text).toContain('svc_mitm_connections_total{kind="tunnelled"} 2\n')
  })
})
