import { readFileSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { isIP } from 'node:net'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { eventually, startOtlpReceiver, startUpstream, tempDir } from '@svc/test-kit'
import { describe, expect, it } from 'vitest'
import { type BuiltServer, startBuiltServer } from '../support/built-server.ts'
import { ROUTE_BODIES } from '../support/route-bodies.ts'

const WATCHER = fileURLToPath(new URL('../support/watch-calls.mjs', import.meta.url))
/** Long enough for everything that a server does by the clock within seconds. */
const IDLE_MS = 3000
const PATIENCE_MS = 3000

interface Watched {
  readonly kind: 'begin' | 'connect' | 'name' | 'udp' | 'program'
  readonly target: { readonly host?: string; readonly port?: number; readonly path?: string } & string
}

const readWatched = (folder: string): Watched[] =>
  readFileSync(join(folder, 'calls'), 'utf8')
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as Watched)

const watchedEnvironment = (folder: string) => ({
  NODE_OPTIONS: `--import=${WATCHER}`,
  WATCHED_CALLS: join(folder, 'calls'),
})

interface Document {
  readonly paths: Readonly<Record<string, Readonly<Record<string, { readonly 'x-svc-usecase'?: string }>>>>
}

/** Asks every route that reads something, every inference route, and what changes settings. */
async function useEverything({ url }: BuiltServer): Promise<string[]> {
  const { paths } = (await (await fetch(`${url}/swagger/doc.json`)).json()) as Document
  const asked: string[] = []
  const ask = async (path: string, init: RequestInit = {}): Promise<void> => {
    const reply = await fetch(`${url}${path}`, { ...init, signal: AbortSignal.timeout(PATIENCE_MS) }).catch(
      () => undefined,
    )
    await reply?.arrayBuffer().catch(() => undefined)
    asked.push(path)
  }
  const headers = { 'content-type': 'application/json' }
  for (const [path, methods] of Object.entries(paths)) {
    const concrete = path.replace(/\{\w+\}/g, 'm')
    if ('get' in methods) await ask(concrete)
    const body = ROUTE_BODIES[path.replace(/\{(\w+)\}/g, ':$1')]
    if ('post' in methods && body !== undefined)
      for (const stream of [false, true])
        await ask(concrete, { method: 'POST', headers, body: JSON.stringify({ model: 'm', ...body, stream }) })
  }
  await ask('/api/settings', { method: 'POST', headers, body: '{"enable_backend_logging":true}' })
  await ask('/models/reload', { method: 'POST', headers, body: '{}' })
  return asked
}

const isLocal = ({ host, path }: Watched['target']): boolean =>
  path !== undefined || host === undefined || ['localhost', '127.0.0.1', '::1'].includes(host)

describe('the server', () => {
  // verifies events:outbound:none
  it('calls nobody of its own accord: no connection, no name, no datagram leaves a full run', async () => {
    await using dir = await tempDir('svc-e2e-')
    await using server = await startBuiltServer({
      folder: dir.path,
      flags: ['--enable-tracing'],
      env: watchedEnvironment(dir.path),
      mock: {},
    })
    await server.model(
      'm',
      {},
      { known_usecases: ['chat', 'completion', 'embeddings', 'rerank', 'score', 'tokenize', 'edit'] },
    )
    const asked = await useEverything(server)
    expect(asked.length).toBeGreaterThan(60)
    await setTimeout(IDLE_MS)
    const watched = readWatched(dir.path)
    expect(watched[0]).toEqual({ kind: 'begin', target: server.pid })
    const connections = watched.filter(({ kind }) => kind === 'connect').map(({ target }) => target)
    expect(connections.filter((target) => !isLocal(target))).toEqual([])
    expect(
      watched.filter(({ kind, target }) => kind === 'name' && target !== 'localhost' && isIP(target) === 0),
    ).toEqual([])
    expect(watched.filter(({ kind }) => kind === 'udp')).toEqual([])
    // The rest are the backends that it has started.
    const before = new Set(connections.map(({ port, path }) => path ?? port))
    expect(before.size).toBeLessThanOrEqual(watched.filter(({ kind }) => kind === 'program').length)

    // The watcher does see a call that an operator has asked for.
    await using upstream = await startUpstream()
    await writeFile(
      join(dir.path, 'models/far.yaml'),
      JSON.stringify({
        name: 'far',
        backend: 'cloud-proxy',
        known_usecases: ['chat'],
        proxy: { upstream_url: `${upstream.origin}/v1/chat/completions` },
      }),
    )
    await eventually(async () => {
      await fetch(`${server.url}/v1/chat/completions`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ model: 'far', messages: [{ role: 'user', content: 'Hello' }] }),
      })
      expect(readWatched(dir.path).map(({ target }) => target.port)).toContain(upstream.port)
    })
    expect(before.has(upstream.port)).toBe(false)
  })

  it('sends spans where an operator names a receiver, also from its bundle', async () => {
    await using receiver = await startOtlpReceiver()
    await using server = await startBuiltServer({
      env: { OTEL_EXPORTER_OTLP_ENDPOINT: receiver.endpoint },
      mock: {},
    })
    await server.model('m')
    const reply = await fetch(`${server.url}/v1/chat/completions`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ model: 'm', messages: [{ role: 'user', content: 'Hello' }] }),
    })
    expect(reply.status).toBe(200)
    await eventually(() => expect(receiver.spans().map(({ name }) => name)).toContain('POST /v1/chat/completions'))
    const { code } = await server.stop()
    expect(code).toBe(0)
  })
})
