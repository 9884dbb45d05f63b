import { createHash } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { parse, stringify } from 'yaml'
import { type GalleryWorld, mockEntry, sha256, startGalleryWorld, WEIGHTS } from '../support/gallery-world.ts'

const REVISION = 'a'.repeat(40)

function describeRepository(files: Readonly<Record<string, Uint8Array | undefined>>, task = 'text-generation'): Buffer {
  const siblings = Object.entries(files).map(([rfilename, content]) => ({
    rfilename,
    ...(content === undefined ? {} : { size: content.length, lfs: { sha256: sha256(content) } }),
  }))
  return Buffer.from(JSON.stringify({ sha: REVISION, pipeline_tag: task, siblings }))
}

async function importUri(world: GalleryWorld, body: unknown): Promise<Record<string, unknown>> {
  const reply = await world.server.post('/models/import-uri', body)
  const started = reply.json() as Record<string, unknown>
  if (reply.status !== 200) return { ...started, answered: reply.status }
  return { ...started, ...(await world.finished(String(started.uuid))) }
}

describe('the import of a model by its address', () => {
  it('takes the usual quantization of a repository with its projector, at one revision, checked by its hash', async () => {
    const files = { 'm-Q8_0.gguf': Buffer.from('not this'), 'm-Q4_K_M.gguf': WEIGHTS, 'mmproj-f16.gguf': WEIGHTS }
    await using world = await startGalleryWorld({
      files: {
        '/api/models/owner/repo/revision/main': describeRepository({ 'README.md': undefined, ...files }),
        ...Object.fromEntries(
          Object.entries(files).map(([name, content]) => [`/owner/repo/resolve/${REVISION}/${name}`, content]),
        ),
      },
    })
    const job = await importUri(world, {
      uri: 'https://huggingface.co/owner/repo',
      preferences: { description: 'mine' },
    })
    expect(job).toMatchObject({ message: 'completed', estimated_size_bytes: WEIGHTS.length * 2 })
    expect(parse(await readFile(join(world.server.modelsPath, 'repo.yaml'), 'utf8'))).toEqual({
      mmproj: 'owner__repo/mmproj-f16.gguf',
      parameters: { model: 'owner__repo/m-Q4_K_M.gguf' },
      description: 'mine',
      name: 'repo',
    })
    const fetched = world.origin.requests.filter(({ method, path }) => method === 'GET' && path.endsWith('.gguf'))
    // The projector has the same content here, so it is linked.
    expect(new Set(fetched.map(({ path }) => path))).toEqual(new Set([`/owner/repo/resolve/${REVISION}/m-Q4_K_M.gguf`]))
    const other = await importUri(world, {
      uri: 'hf://owner/repo',
      preferences: { name: 'big', quantizations: 'q8_0,q4_k_m' },
    })
    expect(other).toMatchObject({ error: expect.stringContaining('m-Q8_0.gguf') })
  })

  it('takes all parts of weights in parts', async () => {
    const parts = { 'm-00001-of-00002.gguf': WEIGHTS, 'm-00002-of-00002.gguf': WEIGHTS, 'z.gguf': WEIGHTS }
    await using world = await startGalleryWorld({
      files: {
        '/api/models/owner/repo/revision/main': describeRepository(parts),
        ...Object.fromEntries(
          Object.entries(parts).map(([name, content]) => [`/owner/repo/resolve/${REVISION}/${name}`, content]),
        ),
      },
    })
    await importUri(world, { uri: 'hf://owner/repo' })
    const fetched = world.origin.requests.filter(({ path }) => path.includes('/resolve/')).map(({ path }) => path)
    expect(new Set(fetched)).toEqual(
      new Set(
        Object.keys(parts)
          .slice(0, 2)
          .map((name) => `/owner/repo/resolve/${REVISION}/${name}`),
      ),
    )
  })

  it('asks back where several backends could run a repository, and takes the one that is named', async () => {
    await using world = await startGalleryWorld({
      files: { '/api/models/owner/repo/revision/main': describeRepository({ 'model.safetensors': WEIGHTS }) },
    })
    expect(await importUri(world, { uri: 'hf://owner/repo' })).toEqual({
      answered: 400,
      error: 'ambiguous import',
      detail: expect.any(String),
      modality: 'text',
      candidates: ['transformers', 'vllm', 'sglang', 'mlx'],
      hint: expect.stringContaining('preferences'),
    })
    expect(await importUri(world, { uri: 'hf://owner/repo', preferences: { backend: 'mock' } })).toMatchObject({
      message: 'completed',
    })
    expect(parse(await readFile(join(world.server.modelsPath, 'repo.yaml'), 'utf8'))).toEqual({
      backend: 'mock',
      parameters: { model: 'owner/repo' },
      name: 'repo',
    })
  })

  it('takes one file of weights and a model file', async () => {
    const document = { config_file: stringify({ backend: 'mock', parameters: { model: 'x' } }) }
    await using world = await startGalleryWorld({
      files: {
        '/owner/repo/resolve/main/one.gguf': WEIGHTS,
        '/owner/repo/main/two.yaml': Buffer.from(stringify(document)),
      },
    })
    expect(await importUri(world, { uri: 'hf://owner/repo/one.gguf' })).toMatchObject({ message: 'completed' })
    expect(await importUri(world, { uri: 'github:owner/repo/two.yaml@main' })).toMatchObject({ message: 'completed' })
    const listed = (await world.server.call('/v1/models')).json() as { data: { id: string }[] }
    expect(listed.data.map(({ id }) => id)).toEqual(['one', 'two'])
  })

  it('takes the weights of a model of the alternate ecosystem, and no other', async () => {
    const digest = `sha256:${sha256(WEIGHTS)}`
    const layers = (mediaType: string) =>
      Buffer.from(JSON.stringify({ layers: [{ digest, size: WEIGHTS.length, mediaType }] }))
    await using world = await startGalleryWorld({
      flags: ['--content-url-allow=127.0.0.0/8'],
      files: {
        '/v2/library/tiny/manifests/1b': layers('application/vnd.ollama.image.model'),
        '/v2/library/none/manifests/latest': layers('application/vnd.ollama.image.license'),
        [`/v2/library/tiny/blobs/${digest}`]: WEIGHTS,
      },
    })
    const { host } = new URL(world.origin.origin)
    expect(
      await importUri(world, { uri: `ollama://${host}/library/tiny:1b`, preferences: { name: 'tiny' } }),
    ).toMatchObject({ message: 'completed' })
    const written = await readFile(join(world.server.modelsPath, 'tiny.gguf'))
    expect(createHash('sha256').update(written).digest('hex')).toBe(sha256(WEIGHTS))
    expect(await importUri(world, { uri: `ollama://${host}/library/none` })).toMatchObject({
      error: expect.stringContaining('no weights'),
    })
  })

  it.each([
    ['no address', {}, 'uri is required'],
    ['an address of no known form', { uri: 'ftp://a/b.gguf' }, 'form is not known'],
    ['a file that is not a model', { uri: 'https://example.com/page.html' }, 'neither a GGUF file'],
    ['a name that is none', { uri: 'hf://o/r/x.gguf', preferences: { name: '../x' } }, 'invalid model name'],
  ])('refuses %s', async (_what, body, message) => {
    await using world = await startGalleryWorld()
    const reply = await world.server.post('/models/import-uri', body)
    expect([reply.status, reply.json()]).toEqual([400, { error: expect.stringContaining(message) }])
  })

  it('says that the hub shows no such repository', async () => {
    await using world = await startGalleryWorld()
    const reply = await world.server.post('/models/import-uri', { uri: 'hf://owner/none' })
    expect([reply.status, reply.json()]).toEqual([404, { error: 'the hub shows no repository owner/none' }])
  })
})

describe('the configuration of an entry', () => {
  it('is written without the files, once', async () => {
    await using world = await startGalleryWorld()
    world.setIndex([mockEntry('one')])
    const save = () => world.server.post('/api/models/config/test@one', {})
    const reply = await save()
    expect([reply.status, reply.json()]).toEqual([200, { message: 'Configuration file saved' }])
    expect(parse(await readFile(join(world.server.modelsPath, 'one.yaml'), 'utf8'))).toMatchObject({ backend: 'mock' })
    expect(world.origin.requests.some(({ path }) => path.endsWith('one.bin'))).toBe(false)
    expect((await save()).status).toBe(409)
    expect((await world.server.post('/api/models/config/none', {})).status).toBe(404)
  })
})
