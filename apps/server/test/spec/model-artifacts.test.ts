import { createHash } from 'node:crypto'
import { rmSync } from 'node:fs'
import { readdir, readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { mockOptions } from '@svc/backend-mock/script'
import { describe, expect, it } from 'vitest'
import { parse, stringify } from 'yaml'
import { type GalleryWorld, mockEntry, sha256, startGalleryWorld } from '../support/gallery-world.ts'
import { verifies } from './verifies.ts'

const COMMIT = 'a'.repeat(40)

const gitHash = (content: Uint8Array): string =>
  createHash('sha1').update(`blob ${content.length}\0`).update(content).digest('hex')

/** A repository of the hub: files above 1 KiB are large ones with a SHA-256. */
function setRepository(
  world: GalleryWorld,
  files: Readonly<Record<string, Uint8Array>>,
  commit = COMMIT,
  repo = 'org/repo',
): void {
  const siblings = Object.entries(files).map(([rfilename, content]) => ({
    rfilename,
    size: content.length,
    blobId: gitHash(content),
    ...(content.length > 1024 ? { lfs: { sha256: sha256(content), size: content.length } } : {}),
  }))
  const described = Buffer.from(JSON.stringify({ sha: commit, siblings }))
  world.origin.files.set(`/api/models/${repo}/revision/main`, { content: described })
  for (const [path, content] of Object.entries(files)) {
    world.origin.files.set(`/${repo}/resolve/${commit}/${path}`, { content })
  }
}

const artifactEntry = (name: string, extra: Record<string, unknown> = {}): Record<string, unknown> => ({
  ...mockEntry(name),
  files: [],
  overrides: {
    ...(mockEntry(name).overrides as object),
    parameters: { model: 'org/repo' },
    artifacts: [{ name: 'main', target: 'model', source: { type: 'huggingface', repo: 'org/repo', ...extra } }],
  },
})

const REPOSITORY = {
  'config.json': Buffer.from('{"layers": 3}'),
  'weights/one.safetensors': Buffer.alloc(5000, 1),
  'weights/two.safetensors': Buffer.alloc(6000, 2),
  'notes.md': Buffer.from('read me'),
}

async function readConfig(world: GalleryWorld, name: string): Promise<Record<string, unknown>> {
  return parse(await readFile(join(world.server.modelsPath, `${name}.yaml`), 'utf8')) as Record<string, unknown>
}

async function listArtifacts(world: GalleryWorld): Promise<readonly string[]> {
  const folder = join(world.server.modelsPath, '.artifacts')
  return (await readdir(folder, { recursive: true }).catch(() => [])).sort()
}

describe('a model with a snapshot of a repository', () => {
  it('has the files of one commit, checked, and its backend gets their folder', async () => {
    await using world = await startGalleryWorld()
    setRepository(world, REPOSITORY)
    world.setIndex([
      artifactEntry('snap', {
        allow_patterns: ['*.json', 'weights/'],
        ignore_patterns: ['*two*'],
        token_env: 'HF_TOKEN',
      }),
    ])
    const script = { record: join(world.server.folder, 'records/snap'), rules: [{ do: { text: 'I am snap' } }] }
    const overrides = { options: mockOptions(script) }
    expect(await world.apply({ id: 'snap', overrides })).toMatchObject({ message: 'completed', total_bytes: 5013 })
    const [artifact] = (await readConfig(world, 'snap')).artifacts as Record<string, Record<string, string>>[]
    const key = artifact?.resolved?.cache_key ?? ''
    expect(artifact).toMatchObject({
      source: { repo: 'org/repo', revision: 'main', allow_patterns: ['*.json', 'weights/'], token_env: 'HF_TOKEN' },
      resolved: { endpoint: world.origin.origin, revision: COMMIT, cache_key: expect.stringMatching(/^[0-9a-f]{64}$/) },
    })
    const root = `huggingface/${key}`
    expect(await listArtifacts(world)).toEqual(
      [
        ...['.partial', 'huggingface', root, `${root}/manifest.json`, `${root}/snapshot`],
        ...['config.json', 'weights', 'weights/one.safetensors'].map((path) => `${root}/snapshot/${path}`),
      ].sort(),
    )
    expect((await world.server.chat('snap')).json()).toMatchObject({ choices: [{ message: { content: 'I am snap' } }] })
    const loaded = world.server.records('snap').find(({ rpc }) => rpc === 'LoadModel')
    expect(loaded).toMatchObject({
      request: { Model: 'org/repo', ModelFile: join(world.server.modelsPath, '.artifacts', root, 'snapshot') },
    })
  })

  verifies(
    'operation:cancel:keeps-partials',
    'that is cancelled keeps what was fetched, and the next installation fetches the rest alone',
    async () => {
      const large = Buffer.alloc(4 * 1024 * 1024, 7)
      await using world = await startGalleryWorld()
      const files = { 'a.json': Buffer.from('{}'), 'b.bin': Buffer.alloc(2 * 1024 * 1024, 3), 'c.bin': large }
      setRepository(world, files)
      world.setIndex([artifactEntry('snap')])
      const last = world.origin.files.get(`/org/repo/resolve/${COMMIT}/c.bin`)
      if (last !== undefined) last.stop = { at: 3 * 1024 * 1024, how: 'stall' }
      const { jobID } = (await world.server.post('/api/models/install/snap', {})).json() as { jobID: string }
      await expect.poll(async () => (await world.operations())[0]?.currentBytes).toBeGreaterThan(4.5 * 1024 * 1024)
      expect((await world.server.post(`/api/operations/${jobID}/cancel`, {})).status).toBe(200)
      expect(await world.history()).toMatchObject([{ jobID, outcome: 'cancelled' }])
      const kept = await listArtifacts(world)
      expect(kept.filter((path) => /b\.bin$|c\.bin\.partial$/.test(path))).toHaveLength(2)
      const before = world.origin.sentBytes
      expect(await world.apply({ id: 'snap' })).toMatchObject({ message: 'completed' })
      expect(world.origin.sentBytes - before).toBeLessThan(1.5 * 1024 * 1024)
      expect((await listArtifacts(world)).filter((path) => path.startsWith('.partial/'))).toEqual([])
    },
  )

  it('goes on after the server has ended', async () => {
    const large = Buffer.alloc(4 * 1024 * 1024, 7)
    await using first = await startGalleryWorld()
    setRepository(first, { 'c.bin': large })
    first.setIndex([artifactEntry('snap')])
    const file = first.origin.files.get(`/org/repo/resolve/${COMMIT}/c.bin`)
    if (file !== undefined) file.stop = { at: 3 * 1024 * 1024, how: 'stall' }
    const { jobID } = (await first.server.post('/api/models/install/snap', {})).json() as { jobID: string }
    await expect.poll(async () => (await first.operations())[0]?.currentBytes).toBeGreaterThan(2.5 * 1024 * 1024)
    await first.server.server.close()
    const before = first.origin.sentBytes
    await using next = await startGalleryWorld({
      folder: first.server.folder,
      env: { HF_ENDPOINT: first.origin.origin },
      files: { '/index.yaml': Buffer.from(stringify([artifactEntry('snap')])) },
    })
    expect(await next.finished(jobID)).toMatchObject({ message: 'completed' })
    expect(first.origin.sentBytes - before).toBeLessThan(1.5 * 1024 * 1024)
  })

  it('fails where a snapshot is deleted before its model file is written', async () => {
    let snapshots = ''
    await using world = await startGalleryWorld({
      handle({ url = '' }) {
        // The first snapshot is committed by now.
        if (url.startsWith('/org/other/resolve/')) rmSync(snapshots, { recursive: true })
        return false
      },
    })
    snapshots = join(world.server.modelsPath, '.artifacts/huggingface')
    setRepository(world, REPOSITORY)
    setRepository(world, { 'other.bin': Buffer.alloc(2000, 4) }, COMMIT, 'org/other')
    const entry = artifactEntry('snap')
    const overrides = entry.overrides as { artifacts: object[] }
    overrides.artifacts.push({ name: 'draft', target: 'companion', source: { type: 'huggingface', repo: 'org/other' } })
    world.setIndex([entry])
    expect(await world.apply({ id: 'snap' })).toMatchObject({ error: expect.stringContaining('snapshot of org/repo') })
    expect((await readdir(world.server.modelsPath)).filter((name) => !name.startsWith('.'))).toEqual([])
  })

  it.each([
    ['a large file', 'weights/one.safetensors', 'SHA-256'],
    ['a small file', 'config.json', 'git hash'],
  ])(
    'fails where the content of %s is not that of the commit, and nothing is committed',
    async (_what, path, reason) => {
      await using world = await startGalleryWorld()
      setRepository(world, REPOSITORY)
      const file = world.origin.files.get(`/org/repo/resolve/${COMMIT}/${path}`)
      if (file !== undefined) file.content = Buffer.from(file.content.map((byte) => byte ^ 1))
      world.setIndex([artifactEntry('snap')])
      expect(await world.apply({ id: 'snap' })).toMatchObject({ error: expect.stringContaining(reason) })
      expect((await listArtifacts(world)).filter((name) => name.startsWith('huggingface'))).toEqual([])
      expect((await readdir(world.server.modelsPath)).filter((name) => !name.startsWith('.'))).toEqual([])
    },
  )

  it('shares the snapshot of another model, which goes with the last of them', async () => {
    await using world = await startGalleryWorld()
    setRepository(world, REPOSITORY)
    world.setIndex([artifactEntry('one'), artifactEntry('two')])
    await world.apply({ id: 'one' })
    const sent = world.origin.sentBytes
    expect(await world.apply({ id: 'two' })).toMatchObject({ message: 'completed' })
    const listed = world.origin.files.get('/api/models/org/repo/revision/main')?.content.length ?? 0
    expect(world.origin.sentBytes - sent).toBe(listed)
    const remove = async (name: string): Promise<unknown> => {
      const { uuid } = (await world.server.post(`/models/delete/${name}`, {})).json() as { uuid: string }
      return world.finished(uuid)
    }
    expect(await remove('one')).toMatchObject({ message: 'completed' })
    expect((await world.server.chat('two')).status).toBe(200)
    expect(await listArtifacts(world)).toContainEqual(expect.stringMatching(/snapshot\/config\.json$/))
    await remove('two')
    expect(await listArtifacts(world)).toEqual(['.partial', 'huggingface'])
  })

  it('takes the new commit when it is installed again, and the old snapshot goes', async () => {
    await using world = await startGalleryWorld()
    setRepository(world, REPOSITORY)
    world.setIndex([artifactEntry('snap')])
    await world.apply({ id: 'snap' })
    const changed = { ...REPOSITORY, 'config.json': Buffer.from('{"layers": 4}') }
    setRepository(world, changed, 'b'.repeat(40))
    const sent = world.origin.sentBytes
    expect(await world.apply({ id: 'snap' })).toMatchObject({ message: 'completed' })
    // The weights are the same, so they are linked.
    expect(world.origin.sentBytes - sent).toBeLessThan(3000)
    const manifests = (await listArtifacts(world)).filter((path) => path.endsWith('manifest.json'))
    expect(manifests).toHaveLength(1)
    const folder = join(world.server.modelsPath, '.artifacts', manifests[0] ?? '', '..', 'snapshot')
    expect(await readFile(join(folder, 'config.json'), 'utf8')).toBe('{"layers": 4}')
    expect((await stat(join(folder, 'weights/two.safetensors'))).size).toBe(6000)
  })

  it('has one where its weights name a repository that its backend loads, and none where the hub is away', async () => {
    await using world = await startGalleryWorld()
    setRepository(world, { 'config.json': Buffer.from('{}') })
    const body = { name: 'inferred', config_file: { backend: 'cuda12-vllm', parameters: { model: 'org/repo' } } }
    expect(await world.apply(body)).toMatchObject({ message: 'completed' })
    expect(await readConfig(world, 'inferred')).toMatchObject({
      artifacts: [{ name: 'model', target: 'model', resolved: { revision: COMMIT } }],
    })
    const other = { name: 'left', config_file: { backend: 'vllm', parameters: { model: 'org/missing' } } }
    expect(await world.apply(other)).toMatchObject({ message: 'completed' })
    expect(await readConfig(world, 'left')).not.toHaveProperty('artifacts')
    const llama = { name: 'file', config_file: { backend: 'mock', parameters: { model: 'org/repo' } } }
    expect(await world.apply(llama)).toMatchObject({ message: 'completed' })
    expect(await readConfig(world, 'file')).not.toHaveProperty('artifacts')
  })

  it.each([
    [{ token_env: 'AWS_SECRET_ACCESS_KEY' }, 'a token_env other than HF_TOKEN'],
    [{ type: 'ftp' }, 'artifacts of the type "ftp"'],
    [{ repo: '../../etc' }, 'is not owner/repo'],
    [{ repo: 'org/..' }, 'is not owner/repo'],
    [{ allow_patterns: ['nothing-like-it'] }, 'no file of org/repo belongs'],
    [{ allow_patterns: ['x'.repeat(2000)] }, 'cannot be used'],
    [{ revision: '../../other' }, 'shows no repository'],
  ])('is refused with the source %j', async (source, message) => {
    await using world = await startGalleryWorld({ env: { AWS_SECRET_ACCESS_KEY: 'precious' } })
    setRepository(world, REPOSITORY)
    world.setIndex([artifactEntry('snap', source)])
    expect(await world.apply({ id: 'snap' })).toMatchObject({ error: expect.stringContaining(message) })
    expect(JSON.stringify(world.origin.requests)).not.toContain('precious')
  })

  it('is refused where the hub reports unsafe files in its repository', async () => {
    await using world = await startGalleryWorld()
    setRepository(world, REPOSITORY)
    world.origin.files.set('/api/models/org/repo/scan', { content: Buffer.from('{"hasUnsafeFile": true}') })
    world.setIndex([artifactEntry('snap')])
    expect(await world.apply({ id: 'snap' })).toMatchObject({ error: expect.stringContaining('unsafe files') })
  })
})
