import { mkdir, readdir, readFile, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { type FileOrigin, startFileOrigin, tempDir } from '@svc/test-kit'
import { describe, expect, it } from 'vitest'
import { stringify } from 'yaml'
import { makeTar, type TarEntry } from '../../src/oci/__fixtures__/tar.ts'
import { finishJob, sha256 } from '../support/gallery-world.ts'
import { computeDigest, makeImage, mockBackendFiles } from '../support/registry.ts'
import { startTestServer, type TestServer } from '../support/server.ts'

interface World extends AsyncDisposable {
  readonly server: TestServer
  readonly origin: FileOrigin
  setIndex(entries: readonly Readonly<Record<string, unknown>>[]): void
  change(path: string, body?: unknown): Promise<Record<string, unknown>>
  installed(): Promise<readonly string[]>
}

async function open({
  flags = [],
  gallery = {},
}: {
  flags?: readonly string[]
  gallery?: object
} = {}): Promise<World> {
  const origin = await startFileOrigin({ files: { '/index.yaml': Buffer.from('[]') } })
  const galleries = JSON.stringify([{ name: 'test', url: `${origin.origin}/index.yaml`, ...gallery }])
  const server = await startTestServer({
    flags: [
      `--backend-galleries=${galleries}`,
      '--content-url-allow=127.0.0.1',
      '--autoload-backend-galleries=false',
      ...flags,
    ],
    env: { SVC_FORCE_META_BACKEND_CAPABILITY: 'default' },
  })
  return {
    server,
    origin,
    setIndex: (entries) => void origin.files.set('/index.yaml', { content: Buffer.from(stringify(entries)) }),
    async change(path, body = {}) {
      const reply = await server.post(path, body)
      const { id, jobID } = reply.json() as { id?: string; jobID?: string }
      if ((id ?? jobID) === undefined) throw new Error(`${reply.status} ${reply.text}`)
      return finishJob(server, `/backends/jobs/${id ?? jobID}`)
    },
    installed: async () =>
      (await readdir(join(server.folder, 'backends')).catch(() => [])).filter((name) => !name.startsWith('.')).sort(),
    async [Symbol.asyncDispose]() {
      await server.close()
      await origin.close()
    },
  }
}

const inFolder = (folder: string, files: readonly TarEntry[]): readonly TarEntry[] =>
  files.map((file) => ({ ...file, name: `${folder}/${file.name}` }))

/** An image in one file, as `docker save` writes it, or as an OCI layout. */
function makeArchive(files: readonly TarEntry[], form: 'saved' | 'layout'): Buffer {
  const { manifest, blobs } = makeImage([[{ name: 'leftover', content: 'x' }, ...files], [{ name: '.wh.leftover' }]])
  const toName = (digest: string): string => `blobs/sha256/${digest.slice('sha256:'.length)}`
  const { layers } = JSON.parse(manifest.toString()) as { layers: { digest: string }[] }
  const saved = {
    name: 'manifest.json',
    content: JSON.stringify([{ Layers: layers.map(({ digest }) => toName(digest)) }]),
  }
  const index = JSON.stringify({ manifests: [{ digest: computeDigest(manifest) }] })
  return makeTar([
    ...[...blobs].map(([digest, content]) => ({ name: toName(digest), content })),
    { name: toName(computeDigest(manifest)), content: manifest },
    form === 'saved' ? saved : { name: 'index.json', content: index },
  ])
}

describe('a backend that is not an image of a registry', () => {
  it('comes out of an archive over HTTP, whose hash is checked, and answers a chat', async () => {
    await using world = await open()
    const archive = gzipSync(makeTar(inFolder('engine-1.0', await mockBackendFiles('from an archive'))))
    world.origin.files.set('/engine.tar.gz', { content: archive })
    const uri = `${world.origin.origin}/engine.tar.gz`
    world.setIndex([{ name: 'engine', uri, sha256: sha256(archive), version: '1' }])
    await world.server.model('m', {}, { backend: 'engine' })
    expect(await world.change('/backends/apply', { id: 'engine' })).toMatchObject({ message: 'completed' })
    expect((await world.server.chat('m')).text).toContain('from an archive')
    const metadata = JSON.parse(await readFile(join(world.server.folder, 'backends/engine/metadata.json'), 'utf8'))
    expect(metadata).toMatchObject({ name: 'engine', uri, version: '1', digest: `sha256:${sha256(archive)}` })
    expect((await world.server.post('/backends/upgrades/check', {})).json()).toEqual({})
    expect(await world.change('/backends/apply', { id: 'engine', force: true })).toMatchObject({ message: 'completed' })
  })

  it('is refused with a wrong hash, and without one where the gallery is checked', async () => {
    await using world = await open()
    const archive = makeTar(await mockBackendFiles('x'))
    world.origin.files.set('/engine.tar', { content: archive })
    const uri = `${world.origin.origin}/engine.tar`
    world.setIndex([{ name: 'engine', uri, sha256: '0'.repeat(64) }])
    expect(await world.change('/backends/apply', { id: 'engine' })).toMatchObject({
      error: expect.stringContaining('SHA-256'),
    })
    await using strict = await open({ flags: ['--require-backend-integrity'] })
    strict.origin.files.set('/engine.tar', { content: archive })
    const own = `${strict.origin.origin}/engine.tar`
    strict.setIndex([
      { name: 'bare', uri: own },
      { name: 'hashed', uri: own, sha256: sha256(archive) },
    ])
    expect(await strict.change('/backends/apply', { id: 'bare' })).toMatchObject({
      error: expect.stringContaining('neither a signer nor a SHA-256'),
    })
    expect(strict.origin.requests.map(({ path }) => path)).not.toContain('/engine.tar')
    expect(await strict.change('/backends/apply', { id: 'hashed' })).toMatchObject({ message: 'completed' })
    expect(await world.installed()).toEqual([])
  })

  it.each(['saved', 'layout'] as const)('comes out of an image in one file (%s)', async (form) => {
    await using dir = await tempDir('svc-image-')
    await using world = await open()
    await writeFile(dir.join('engine.tar'), makeArchive(await mockBackendFiles('from a file'), form))
    await world.server.model('m', {}, { backend: 'engine' })
    const body = { uri: `ocifile://${dir.join('engine.tar')}` }
    expect(await world.change('/api/backends/install-external', body)).toMatchObject({ message: 'completed' })
    expect(await readdir(join(world.server.folder, 'backends/engine'))).not.toContain('leftover')
    expect((await world.server.chat('m')).text).toContain('from a file')
  })

  it('comes from a folder or an archive of this machine where an administrator names it', async () => {
    await using dir = await tempDir('svc-folder-')
    await using world = await open()
    const files = await mockBackendFiles('from a folder')
    await mkdir(dir.join('own'))
    for (const { name, content = '', mode } of files) await writeFile(dir.join('own', name), content, { mode })
    await symlink('run.sh', dir.join('own/link'))
    await writeFile(dir.join('packed.tar'), makeTar(await mockBackendFiles('from a tar')))
    await world.server.model('m', {}, { backend: 'own' })
    await world.server.model('n', {}, { backend: 'packed' })
    for (const uri of [dir.join('own'), `file://${dir.join('packed.tar')}`]) {
      expect(await world.change('/api/backends/install-external', { uri })).toMatchObject({ message: 'completed' })
    }
    expect((await world.server.chat('m')).text).toContain('from a folder')
    expect((await world.server.chat('n')).text).toContain('from a tar')
    world.setIndex([{ name: 'gallery', uri: dir.join('own') }])
    expect(await world.change('/backends/apply', { id: 'gallery' })).toMatchObject({
      error: expect.stringContaining('a backend cannot come from'),
    })
    expect(await world.installed()).toEqual(['own', 'packed'])
  })

  it.each<[string, Buffer | string, string]>([
    ['no archive', 'this is no archive at all'.repeat(100), 'refused'],
    ['without run.sh', makeTar([{ name: 'a/readme', content: 'x' }]), 'holds no run.sh'],
    ['a link out of it', makeTar([{ name: 'run.sh', type: '2', linkName: '/bin/sh' }]), 'refused'],
    [
      'a link out of its only folder',
      makeTar(
        inFolder('a', [
          { name: 'run.sh', content: 'x' },
          { name: 'link', type: '2', linkName: '../other/run.sh' },
        ]),
      ),
      'refused',
    ],
    [
      'a link out of its only folder through another link',
      makeTar(
        inFolder('a', [
          { name: 'run.sh', content: 'x' },
          { name: 'b/up', type: '2', linkName: '..' },
          { name: 'link', type: '2', linkName: 'b/up/../other' },
        ]),
      ),
      'refused',
    ],
    [
      'an image file without layers',
      makeTar([{ name: 'manifest.json', content: '[{"Layers": ["../../etc/passwd"]}]' }]),
      'refused',
    ],
    ['an image file without manifest', makeTar([{ name: 'x', content: '' }]), 'refused'],
    ['a manifest that is not JSON', makeTar([{ name: 'manifest.json', content: '{' }]), 'refused'],
    [
      'a layer that is another',
      makeTar([
        { name: 'manifest.json', content: JSON.stringify([{ Layers: [`blobs/sha256/${'0'.repeat(64)}`] }]) },
        { name: `blobs/sha256/${'0'.repeat(64)}`, content: 'other' },
      ]),
      'refused',
    ],
  ])('is refused where it is %s, and nothing stays', async (_what, content, message) => {
    await using dir = await tempDir('svc-bad-')
    await using world = await open()
    await writeFile(dir.join('bad.tar'), content)
    const scheme = message === 'refused' && !_what.includes('archive') && !_what.includes('link') ? 'ocifile' : 'file'
    const body = { uri: `${scheme}://${dir.join('bad.tar')}` }
    expect(await world.change('/api/backends/install-external', body)).toMatchObject({
      error: expect.stringContaining(message),
    })
    expect(await world.installed()).toEqual([])
    const staged = await readdir(join(world.server.folder, 'backends/.staging'), { recursive: true }).catch(() => [])
    expect(staged.filter((name) => /root|layer$/.test(name))).toEqual([])
  })
})
