import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises'
import type { ServerResponse } from 'node:http'
import { join } from 'node:path'
import { type FileOrigin, startFileOrigin, tempDir } from '@svc/test-kit'
import { describe, expect, it } from 'vitest'
import { stringify } from 'yaml'
import type { TarEntry } from '../../src/oci/__fixtures__/tar.ts'
import { finishJob } from '../support/gallery-world.ts'
import {
  computeDigest,
  type FakeRegistry,
  makeImage,
  makeIndex,
  mockBackendFiles,
  type RegistryLie,
  startFakeRegistry,
  startRegistry,
  type TestRegistry,
  whyNoRegistry,
} from '../support/registry.ts'
import { startTestServer, type TestServer } from '../support/server.ts'
import { verifies } from './verifies.ts'

const INDEX = '/index.yaml'

interface World extends AsyncDisposable {
  readonly server: TestServer
  readonly origin: FileOrigin
  setIndex(entries: readonly Readonly<Record<string, unknown>>[]): void
  /** Asks for a change and gives the job, once it has ended. */
  change(path: string, body?: unknown): Promise<Record<string, unknown>>
  folders(): Promise<string[]>
}

async function open(flags: readonly string[] = []): Promise<World> {
  // An index that is read before it is set would count as fresh for a while.
  const waiting: ServerResponse[] = []
  const origin = await startFileOrigin({
    files: {},
    handle(request, response) {
      if (request.url !== INDEX || origin.files.has(INDEX)) return false
      waiting.push(response)
      return true
    },
  })
  const galleries = JSON.stringify([{ name: 'test', url: `${origin.origin}${INDEX}` }])
  const server = await startTestServer({
    flags: [`--backend-galleries=${galleries}`, '--content-url-allow=127.0.0.1', ...flags],
    env: { SVC_FORCE_META_BACKEND_CAPABILITY: 'default' },
  })
  return {
    server,
    origin,
    setIndex(entries) {
      const content = Buffer.from(stringify(entries))
      origin.files.set(INDEX, { content })
      for (const response of waiting.splice(0)) response.end(content)
    },
    async change(path, body = {}) {
      const reply = await server.post(path, body)
      const { id, jobID } = reply.json() as { id?: string; jobID?: string }
      if ((id ?? jobID) === undefined) throw new Error(`${reply.status} ${reply.text}`)
      return finishJob(server, `/backends/jobs/${id ?? jobID}`)
    },
    folders: async () =>
      (await readdir(join(server.folder, 'backends'))).filter((name) => !name.startsWith('.')).sort(),
    async [Symbol.asyncDispose]() {
      await server.close()
      await origin.close()
    },
  }
}

const entries = ({ host }: Pick<TestRegistry, 'host'>): Record<string, unknown>[] => [
  {
    name: 'engine',
    description: 'an engine',
    license: 'mit',
    tags: ['llm'],
    capabilities: { default: 'cpu-engine', nvidia: 'cuda12-engine' },
  },
  { name: 'cpu-engine', alias: 'engine', uri: `${host}/owner/backends:latest-cpu-engine`, version: '1' },
  { name: 'cuda12-engine', alias: 'engine', uri: `${host}/owner/backends:latest-cuda12-engine` },
]

const NO_REGISTRY = whyNoRegistry()
if (NO_REGISTRY !== undefined) console.warn(NO_REGISTRY)

describe.skipIf(NO_REGISTRY !== undefined)('a backend of a real registry', () => {
  it('answers a chat after its installation, from an image and from a list of images', async () => {
    await using registry = await startRegistry()
    const files = await mockBackendFiles('from the registry')
    const removed: readonly TarEntry[] = [{ name: 'leftover', content: 'x' }, ...files]
    await registry.push(makeIndex(makeImage([removed, [{ name: '.wh.leftover' }]])), 'owner/backends:latest-cpu-engine')
    await using world = await open()
    world.setIndex(entries(registry))
    await world.server.model('m', {}, { backend: 'engine' })
    expect(await world.change('/backends/apply', { id: 'test@engine' })).toMatchObject({ message: 'completed' })
    expect(await world.folders()).toEqual(['cpu-engine', 'engine'])
    expect(await readdir(join(world.server.folder, 'backends/cpu-engine'))).not.toContain('leftover')
    expect((await world.server.chat('m')).text).toContain('from the registry')
  })

  it('unpacks layers of zstd', async () => {
    await using registry = await startRegistry()
    const image = makeImage([await mockBackendFiles('from zstd')])
    await registry.push(image, 'owner/backends:latest-cpu-engine', { compression: 'zstd' })
    await using world = await open()
    world.setIndex(entries(registry))
    await world.server.model('m', {}, { backend: 'engine' })
    expect(await world.change('/backends/apply', { id: 'engine' })).toMatchObject({ message: 'completed' })
    expect((await world.server.chat('m')).text).toContain('from zstd')
  })
})

describe('the installation of a backend', () => {
  verifies(
    [
      'model-admin:backends:install',
      'model-admin:backends:installed',
      'model-admin:backends:delete',
      'model-admin:backends:galleries',
    ],
    'of a meta name takes the build of this machine, is listed with its digest, and goes as a whole',
    async () => {
      await using registry = await startFakeRegistry()
      const image = makeImage([await mockBackendFiles('one')])
      await registry.push(image, 'owner/backends:latest-cpu-engine')
      await using world = await open()
      const { server } = world
      world.setIndex(entries(registry))
      expect((await server.call('/backends/galleries')).json()).toMatchObject([{ name: 'test' }])
      const started = (await server.post('/api/backends/install/test@engine', {})).json() as {
        jobID: string
        message: string
      }
      expect(started.message).toBe('Backend installation started')
      await expect.poll(() => world.folders()).toEqual(['cpu-engine', 'engine'])
      await expect
        .poll(
          async () =>
            ((await server.call(`/api/backends/job/${started.jobID}`)).json() as { completed?: boolean }).completed,
        )
        .toBe(true)
      expect((await server.call('/backends')).json()).toEqual([
        {
          Name: 'cpu-engine',
          RunFile: 'run.sh',
          IsMeta: false,
          IsSystem: false,
          Metadata: {
            name: 'cpu-engine',
            alias: 'engine',
            gallery_url: `${world.origin.origin}/index.yaml`,
            installed_at: expect.stringMatching(/^\d{4}-/),
            version: '1',
            uri: `${registry.host}/owner/backends:latest-cpu-engine`,
            digest: computeDigest(image.manifest),
          },
        },
        expect.objectContaining({ Name: 'engine', IsMeta: true, RunFile: '' }),
      ])
      expect(await world.change('/backends/delete/engine')).toMatchObject({ message: 'completed', deletion: true })
      expect(await world.folders()).toEqual([])
    },
  )

  verifies(['model-admin:backends:available', 'model-admin:backends:list'], 'is offered where it runs', async () => {
    await using world = await open()
    world.setIndex(entries({ host: 'registry.example' }))
    expect((await world.server.call('/backends/available')).json()).toHaveLength(3)
    const page = (await world.server.call('/api/backends')).json() as { backends: { name: string }[] }
    expect(page).toMatchObject({ availableBackends: 2, systemCapability: 'default', totalPages: 1 })
    expect(page.backends).toMatchObject([
      { name: 'engine', isMeta: true, metaBackendFor: 'cpu-engine' },
      { name: 'cpu-engine', isMeta: false, isAlias: true, installed: false },
    ])
    const all = (await world.server.call('/api/backends?all=true&sort=name&order=desc')).json() as typeof page
    expect(all.backends.map(({ name }) => name)).toEqual(['engine', 'cuda12-engine', 'cpu-engine'])
    expect((await world.server.call('/backends/known')).json()).toMatchObject([{ name: 'engine', installed: false }])
  })

  it('replaces a backend that is loaded: running processes go, and the next request has the new one', async () => {
    await using registry = await startFakeRegistry()
    await registry.push(makeImage([await mockBackendFiles('old')]), 'owner/backends:latest-cpu-engine')
    await using world = await open()
    world.setIndex(entries(registry))
    await world.change('/backends/apply', { id: 'engine' })
    await world.server.model('m', {}, { backend: 'engine' })
    expect((await world.server.chat('m')).text).toContain('old')
    const next = makeImage([await mockBackendFiles('new')])
    await registry.push(next, 'owner/backends:latest-cpu-engine')
    expect(await world.change('/backends/apply', { id: 'engine' })).toMatchObject({ message: 'completed' })
    expect((await world.server.chat('m')).text).toContain('old')
    expect((await world.server.post('/backends/upgrades/check', {})).json()).toMatchObject({
      'cpu-engine': { available_digest: computeDigest(next.manifest) },
    })
    expect(await world.change('/backends/upgrade/cpu-engine')).toMatchObject({ message: 'completed' })
    await expect.poll(async () => (await world.server.chat('m')).text).toContain('new')
    expect((await world.server.post('/backends/upgrades/check', {})).json()).toEqual({})
  })

  it('from an image that no gallery has needs its address alone', async () => {
    await using registry = await startFakeRegistry()
    await registry.push(makeImage([await mockBackendFiles('own')]), 'me/own-engine:v1')
    await using world = await open()
    const path = '/api/backends/install-external'
    expect((await world.server.post(path, {})).json()).toEqual({ error: 'uri is required' })
    const job = await world.change(path, { uri: `oci://${registry.host}/me/own-engine:v1`, alias: 'mine' })
    expect(job).toMatchObject({ message: 'completed' })
    await world.server.model('m', {}, { backend: 'mine' })
    expect((await world.server.chat('m')).text).toContain('own')
  })

  it('at the start follows --external-backends', async () => {
    await using registry = await startFakeRegistry()
    await registry.push(makeImage([await mockBackendFiles('x')]), 'me/own-engine:v1')
    await using world = await open([`--external-backends=oci://${registry.host}/me/own-engine:v1`])
    await expect.poll(() => world.folders()).toEqual(['own-engine'])
  })

  it('never removes a backend of the system', async () => {
    await using world = await open()
    const folder = join(world.server.folder, 'system/theirs')
    await mkdir(folder, { recursive: true })
    await writeFile(join(folder, 'run.sh'), '#!/bin/sh\n', { mode: 0o755 })
    expect(await world.change('/backends/delete/theirs')).toMatchObject({
      error: expect.stringContaining('belongs to the system'),
    })
    expect((await world.server.post('/api/backends/system/delete/theirs', {})).status).toBe(409)
    expect(await readdir(folder)).toEqual(['run.sh'])
  })

  it.each([
    ['a backend that there is not', { id: 'nothing' }, 'no backend found'],
    ['a meta backend without a build for this machine', { id: 'elsewhere' }, 'no build for this machine'],
    ['an image without run.sh', { id: 'empty' }, 'no run.sh'],
    ['an image that leads out of its folder', { id: 'hostile' }, 'leads out of its folder'],
    ['an image that is not there', { id: 'missing' }, 'status 404'],
    ['an address of another kind', { id: 'archive' }, 'cannot come from'],
  ])('fails for %s, and nothing lies in the folder', async (_what, body, message) => {
    await using registry = await startFakeRegistry()
    await registry.push(makeImage([[{ name: 'readme', content: 'x' }]]), 'o/empty:1')
    await registry.push(makeImage([[{ name: '../run.sh', content: 'x' }]]), 'o/hostile:1')
    await using world = await open()
    world.setIndex([
      { name: 'elsewhere', capabilities: { metal: 'x' } },
      { name: 'empty', uri: `${registry.host}/o/empty:1` },
      { name: 'hostile', uri: `${registry.host}/o/hostile:1` },
      { name: 'missing', uri: `${registry.host}/o/missing:1` },
      { name: 'archive', uri: 'ftp://example.com/backend.tar.gz' },
    ])
    expect(await world.change('/backends/apply', body)).toMatchObject({ error: expect.stringContaining(message) })
    expect(await world.folders()).toEqual([])
  })

  it('answers 400 to empty bodies and 404 to unknown jobs', async () => {
    await using world = await open()
    expect((await world.server.post('/backends/apply', {})).status).toBe(400)
    for (const path of ['/backends/jobs/x', '/api/backends/job/x'])
      expect((await world.server.call(path)).status).toBe(404)
  })
})

const TOP = '/v2/o/b/manifests/1'

function lieAboutTop(lie: RegistryLie): (registry: FakeRegistry) => void {
  return (registry) => void registry.lies.set(TOP, lie)
}

function lieAboutToken(body: string): (registry: FakeRegistry) => void {
  return (registry) => void registry.lies.set('/token', { status: 200, body })
}

function lieAboutLayers(registry: FakeRegistry, headers: Readonly<Record<string, string>>): void {
  for (const path of registry.blobPaths()) registry.lies.set(path, { status: 302, headers })
}

function manyLayers(count: number): Buffer {
  const layers = Array.from({ length: count }, (_, index) => ({
    digest: computeDigest(Buffer.from(String(index))),
    size: 1,
  }))
  return Buffer.from(JSON.stringify({ layers }))
}

function lieAboutRealm(realm: string): (registry: FakeRegistry) => void {
  return (registry) => {
    registry.realm = realm
  }
}

/** The layer is the right one, but for its size. */
function lieAboutSize(size: number): (registry: FakeRegistry) => void {
  return (registry) => {
    const digest = registry.blobPaths().at(-1)?.split('/').at(-1)
    registry.lies.set(TOP, Buffer.from(JSON.stringify({ layers: [{ digest, size }] })))
  }
}

describe('a hostile registry', () => {
  const files = mockBackendFiles('x')

  it.each([
    ['a layer with another content', 'layer', 'SHA-256'],
    ['a manifest that does not have its digest', 'manifest', 'does not have its digest'],
    ['lists that lead to lists', 'lists', 'more than 3 levels'],
    ['a manifest that is not JSON', 'page', 'not JSON'],
    ['an endless manifest', 'large', 'too large'],
    ['no image for this machine', 'platform', 'has no image for'],
    ['layers without digests', 'layers', 'without digest'],
    ['a failing registry', 'status', 'status 500'],
  ])('with %s is refused, and nothing is left behind', async (_what, lie, message) => {
    await using registry = await startFakeRegistry()
    const image = makeImage([await files])
    await registry.push(makeIndex(image), 'o/b:1')
    const [, layer] = [...image.blobs.keys()]
    const top = '/v2/o/b/manifests/1'
    const inner = `/v2/o/b/manifests/${computeDigest(image.manifest)}`
    if (lie === 'layer')
      registry.lies.set(`/v2/o/b/blobs/${layer}`, Buffer.alloc(image.blobs.get(layer ?? '')?.length ?? 0))
    if (lie === 'manifest') registry.lies.set(inner, makeImage([[]]).manifest)
    if (lie === 'page') registry.lies.set(top, Buffer.from('<html>'))
    if (lie === 'large') registry.lies.set(top, Buffer.alloc(5 * 1024 * 1024, 0x20))
    if (lie === 'status') registry.lies.set(top, 500)
    if (lie === 'platform') registry.lies.set(top, Buffer.from('{"manifests":[]}'))
    if (lie === 'layers') registry.lies.set(top, Buffer.from('{"layers":[{"size":3}]}'))
    if (lie === 'lists') {
      let nested = makeIndex(image)
      for (let level = 0; level < 3; level += 1) nested = makeIndex(nested)
      await registry.push(nested, 'o/b:1')
    }
    await using world = await open()
    world.setIndex([{ name: 'b', uri: `${registry.host}/o/b:1` }])
    expect(await world.change('/backends/apply', { id: 'b' })).toMatchObject({
      error: expect.stringContaining(message),
    })
    expect(await world.folders()).toEqual([])
  })

  const sha512 = `sha512:${'0'.repeat(128)}`
  const toLayer = (digest: string, size: unknown) => Buffer.from(JSON.stringify({ layers: [{ digest, size }] }))
  const nothing = computeDigest(Buffer.from('x'))

  it.each<[string, (registry: FakeRegistry) => void, string | RegExp]>([
    ['more layers than the limit', lieAboutTop(manyLayers(501)), 'lists no layers'],
    ['a layer larger than the disk', lieAboutSize(2 ** 52), /disk|space|room/],
    ['a layer of a negative size', lieAboutTop(toLayer(nothing, -1)), 'without digest or size'],
    ['a layer whose size is a text', lieAboutTop(toLayer(nothing, '12')), 'without digest or size'],
    ['a digest of another kind', lieAboutTop(toLayer(sha512, 1)), 'without digest'],
    ['a digest that leads out', lieAboutTop(toLayer('sha256:../../../x', 1)), 'without digest'],
    ['layers that are no list', lieAboutTop(Buffer.from('{"layers":{"length":1}}')), 'lists no layers'],
    ['a manifest that is nested without an end', lieAboutTop(Buffer.from('['.repeat(4_000_000))), 'not JSON'],
    [
      'a list without digests',
      lieAboutTop(Buffer.from(JSON.stringify({ manifests: [{ platform: { os: 'linux', architecture: 'amd64' } }] }))),
      'has no image for',
    ],
    [
      'a manifest elsewhere',
      lieAboutTop({ status: 307, headers: { location: 'http://127.0.0.2:1/x' } }),
      /allowed|redirect/,
    ],
    [
      'a layer elsewhere',
      (registry) => lieAboutLayers(registry, { location: 'http://127.0.0.2:1/x' }),
      /allowed|redirect/,
    ],
    [
      'a layer at a file',
      (registry) => lieAboutLayers(registry, { location: 'file:///etc/passwd' }),
      /allowed|redirect/,
    ],
    ['a realm that is not an address', lieAboutRealm('nowhere'), 'not known'],
    ['a realm in a file', lieAboutRealm('file:///etc/passwd'), /not allowed/],
    ['a realm in a private network', lieAboutRealm('http://127.0.0.2:1/token'), /not allowed/],
    ['a token with a line end', lieAboutToken(JSON.stringify({ token: 'a\r\nx-header: 1' })), 'gives no token'],
    ['a token that is a page', lieAboutToken('<html>'), 'not JSON'],
    ['a token that is refused again', lieAboutToken(JSON.stringify({ token: 'other' })), 'status 401'],
    ['an endless token', lieAboutToken(Buffer.alloc(300_000, 0x20).toString()), 'too large'],
  ])('with %s is refused, and nothing is left behind, inside or outside', async (_what, lie, message) => {
    await using registry = await startFakeRegistry()
    await registry.push(makeImage([await files]), 'o/b:1')
    lie(registry)
    await using world = await open()
    world.setIndex([{ name: 'b', uri: `${registry.host}/o/b:1` }])
    const before = await readdir(world.server.folder, { recursive: true })
    expect(await world.change('/backends/apply', { id: 'b' })).toMatchObject({ error: expect.stringMatching(message) })
    expect(await world.folders()).toEqual([])
    const staging = join('backends', '.staging')
    const added = (await readdir(world.server.folder, { recursive: true })).filter((name) => !before.includes(name))
    expect(added.filter((name) => !/^(data|backends$)/.test(name) && !name.startsWith(staging))).toEqual([])
  })

  it('that moves a tag in the middle gives the image that it pointed at first', async () => {
    await using registry = await startFakeRegistry()
    const [first, second] = [
      makeImage([await mockBackendFiles('first')]),
      makeImage([await mockBackendFiles('second')]),
    ]
    await registry.push(first, 'o/b:1')
    await using world = await open()
    world.setIndex([{ name: 'b', uri: `${registry.host}/o/b:1` }])
    const [layer = ''] = [...first.blobs.keys()].slice(1)
    registry.onRequest = (path) => {
      if (path.endsWith(layer)) void registry.push(second, 'o/b:1')
    }
    expect(await world.change('/backends/apply', { id: 'b' })).toMatchObject({ message: 'completed' })
    await world.server.model('m', {}, { backend: 'b' })
    expect((await world.server.chat('m')).text).toContain('first')
    const [installed] = (await world.server.call('/backends')).json() as [{ Metadata: { digest: string } }]
    expect(installed.Metadata.digest).toBe(computeDigest(first.manifest))
    expect((await world.server.post('/backends/upgrades/check', {})).json()).toMatchObject({
      b: { installed_digest: computeDigest(first.manifest), available_digest: computeDigest(second.manifest) },
    })
  })

  verifies(
    'model-admin:registries:credentials',
    'gets no credentials of others, and no wider scope than a pull',
    async () => {
      await using registry = await startFakeRegistry()
      await using other = await startFakeRegistry()
      await using listed = await startFakeRegistry()
      await registry.push(makeImage([await files]), 'o/b:1')
      await using folder = await tempDir()
      const file = folder.join('secrets.json')
      await writeFile(
        file,
        JSON.stringify({
          [registry.host]: { username: 'me', password: 'secret', token_hosts: [listed.host] },
          [other.host]: { username: 'other', password: 'other secret' },
        }),
      )
      await using world = await open([`--credentials-file=${file}`])
      world.setIndex([{ name: 'b', uri: `${registry.host}/o/b:1` }])
      const path = '/token?service=fake&scope=repository%3Ao%2Fb%3Apull'
      const pull = async (realm: string) => {
        registry.realm = realm
        const result = await world.change('/backends/apply', { id: 'b', force: true })
        expect(result).toMatchObject({ message: 'completed' })
      }
      // neither the credentials of the registry nor the ones for this host: the registry would get the token
      await pull(`http://${other.host}/token`)
      expect(other.requests).toEqual([{ path, authorization: undefined }])
      await pull(`http://${listed.host}/token`)
      const authorization = `Basic ${Buffer.from('me:secret').toString('base64')}`
      expect(listed.requests).toEqual([{ path, authorization }])
      const asked = registry.requests.length
      await pull(`http://${registry.host}/token`)
      const token = registry.requests.slice(asked).find((request) => request.path.startsWith('/token'))
      expect(token?.authorization).toBe(authorization)
      other.lies.set('/token', { status: 401 })
      registry.realm = `http://${other.host}/token`
      expect(await world.change('/backends/apply', { id: 'b', force: true })).toMatchObject({
        message: expect.stringContaining(`its credentials were not sent to ${other.host}`),
      })
      expect(world.server.logLines.join('')).not.toContain('secret"')
      expect(await readFile(join(world.server.folder, 'backends/b/run.sh'), 'utf8')).toContain('#!')
    },
  )
})
