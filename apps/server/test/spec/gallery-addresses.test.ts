import { mkdir, readdir, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { eventually, startFileOrigin, tempDir } from '@svc/test-kit'
import { describe, expect, it } from 'vitest'
import { stringify } from 'yaml'
import { finishJob, mockEntry, WEIGHTS } from '../support/gallery-world.ts'
import { computeDigest, type FakeRegistry, makeImage, startFakeRegistry, type TestImage } from '../support/registry.ts'
import { startTestServer, type TestServer } from '../support/server.ts'
import { verifies } from './verifies.ts'

const index = (...names: readonly string[]) => Buffer.from(stringify(names.map((name) => mockEntry(name))))

/** Names of the models of all galleries. */
async function available(server: TestServer): Promise<readonly string[]> {
  const entries = (await server.call('/models/available')).json() as { name: string }[]
  return entries.map(({ name }) => name)
}

async function galleries(server: TestServer): Promise<readonly Record<string, unknown>[]> {
  return (await server.call('/models/galleries')).json() as Record<string, unknown>[]
}

const flag = (...urls: readonly string[]) =>
  `--galleries=${JSON.stringify(urls.map((url, at) => ({ name: `g${at}`, url })))}`

/** An image whose only layer is a text, as tools for artifacts make it. */
function textImage(text: Buffer, type = 'application/yaml'): TestImage {
  const layer = { mediaType: type, digest: computeDigest(text), size: text.length }
  const mediaType = 'application/vnd.oci.image.manifest.v1+json'
  const manifest = Buffer.from(JSON.stringify({ schemaVersion: 2, mediaType, layers: [layer] }))
  return { manifest, mediaType, blobs: new Map([[layer.digest, text]]) }
}

async function push(registry: FakeRegistry, name: string, image: TestImage): Promise<string> {
  await registry.push(image, name)
  return `oci://${registry.host}/${name}`
}

describe('the address of an index', () => {
  verifies('model-admin:galleries:addresses', 'is one of the code host, the hub, a file or a registry', async () => {
    await using origin = await startFileOrigin({
      files: {
        '/owner/repo/main/index.yaml': index('at-code-host'),
        '/owner/repo/v1/gallery/latest.ref': Buffer.from('../index.yaml\n'),
        '/owner/repo/v1/index.yaml': index('by-reference'),
        '/owner/repo/resolve/main/index.yaml': index('at-hub'),
        '/owner/repo/resolve/main/short.yaml': index('at-hub-short'),
      },
    })
    await using registry = await startFakeRegistry()
    const image = await push(registry, 'owner/galleries:v1', textImage(index('in-image')))
    const archive = await push(
      registry,
      'owner/archive:v1',
      makeImage([
        [{ name: 'index.yaml', content: 'old' }],
        [
          { name: './index.yaml', content: index('in-layer').toString() },
          { name: 'x.yaml', content: '' },
        ],
      ]),
    )
    const only = await push(
      registry,
      'owner/only:v1',
      makeImage([[{ name: 'deep/models.yml', content: index('only').toString() }]]),
    )
    await using folder = await tempDir('svc-galleries-')
    await mkdir(folder.join('models'))
    await mkdir(folder.join('models/lists'))
    await writeFile(folder.join('models/lists/index.yaml'), index('in-file'))
    await writeFile(folder.join('models/lists/latest.ref'), 'index.yaml')
    await using server = await startTestServer({
      folder: folder.path,
      flags: [
        flag(
          'github:owner/repo/index.yaml@main',
          'github:owner/repo/gallery/latest.ref@v1',
          'huggingface://owner/repo/index.yaml',
          'hf:owner/repo/short.yaml',
          'file://lists/index.yaml',
          `file://${folder.join('models/lists/latest.ref')}`,
          image,
          archive,
          only,
        ),
      ],
      env: { HF_ENDPOINT: origin.origin, CODEHOST_RAW_URL: origin.origin },
    })
    expect(await available(server)).toEqual([
      ...['at-code-host', 'by-reference', 'at-hub', 'at-hub-short', 'in-file', 'in-file'],
      ...['in-image', 'in-layer', 'only'],
    ])
    expect((await galleries(server)).filter(({ error }) => error !== undefined)).toEqual([])
  })

  it('is asked where another mirror fails, and the documents of entries may be files and images too', async () => {
    await using origin = await startFileOrigin({ files: { '/w.bin': WEIGHTS } })
    await using registry = await startFakeRegistry()
    const config = stringify({
      config_file: { backend: 'mock', known_usecases: ['chat'], parameters: { model: 'w.bin' } },
    })
    await using folder = await tempDir('svc-galleries-')
    await mkdir(folder.join('models'))
    await writeFile(folder.join('models/model.txt'), config)
    const document = await push(registry, 'owner/model:v1', textImage(Buffer.from(config)))
    const entries = [
      { name: 'of-file', url: 'file://model.txt' },
      { name: 'of-image', url: document },
    ]
    await writeFile(folder.join('models/index.list'), stringify(entries))
    const gallery = {
      name: 'main',
      url: 'github:owner/repo/none.yaml@main',
      mirrors: [`${origin.origin}/none`, `oci://${registry.host}/owner/none:v1`, 'file://index.list'],
    }
    await using server = await startTestServer({
      folder: folder.path,
      flags: [`--galleries=${JSON.stringify([gallery])}`, '--content-url-allow=127.0.0.0/8'],
      env: { HF_ENDPOINT: origin.origin, CODEHOST_RAW_URL: origin.origin },
    })
    expect(await available(server)).toEqual(['of-file', 'of-image'])
    for (const id of ['of-file', 'of-image']) {
      const { uuid } = (await server.post('/models/apply', { id })).json() as { uuid: string }
      expect(await finishJob(server, `/models/jobs/${uuid}`)).toMatchObject({ message: 'completed' })
    }
  })

  verifies('model-admin:import:addresses', 'is also taken by an import: weights, a model file, a folder', async () => {
    await using registry = await startFakeRegistry()
    await using folder = await tempDir('svc-galleries-')
    await mkdir(folder.join('models'))
    const config = Buffer.from(stringify({ config_file: { backend: 'mock', parameters: { model: 'x.bin' } } }))
    const lists = index('a', 'b')
    for (const [name, content] of Object.entries({
      'w.gguf.bin': WEIGHTS,
      'm.yaml.txt': config,
      'l.yaml.txt': lists,
    })) {
      await mkdir(folder.join('models/in'), { recursive: true })
      await writeFile(folder.join(`models/in/${name.replace(/\.(?:bin|txt)$/, '')}`), content)
    }
    const weights = await push(
      registry,
      'owner/weights:q4',
      textImage(Buffer.from(WEIGHTS), 'application/octet-stream'),
    )
    const document = await push(registry, 'owner/document:v1', textImage(config))
    const archive = await push(registry, 'owner/folder:v1', makeImage([[{ name: 'config.json', content: '{}' }]]))
    await using server = await startTestServer({ folder: folder.path, flags: ['--content-url-allow=127.0.0.0/8'] })
    const load = async (uri: string, preferences: object = {}): Promise<Record<string, unknown>> => {
      const reply = await server.post('/models/import-uri', { uri, preferences })
      const { uuid } = reply.json() as { uuid?: string }
      return uuid === undefined ? (reply.json() as Record<string, unknown>) : finishJob(server, `/models/jobs/${uuid}`)
    }
    for (const [uri, preferences] of [
      ['file://in/w.gguf', { name: 'w' }],
      ['file://in/m.yaml', {}],
      [weights, {}],
      [document, {}],
      [archive, { backend: 'mock' }],
    ] as const) {
      expect([uri, await load(uri, preferences)]).toEqual([uri, expect.objectContaining({ message: 'completed' })])
    }
    const ids = ((await server.call('/v1/models')).json() as { data: { id: string }[] }).data.map(({ id }) => id)
    expect(ids).toEqual(['document', 'folder', 'm', 'w', 'weights'])
    expect((await readdir(folder.join('models/folder'))).sort()).toEqual(['config.json'])
    expect(await load(archive, { name: 'other' })).toMatchObject({ error: 'ambiguous import' })
    expect(await load('file://in/l.yaml')).toMatchObject({ error: expect.stringContaining('the index of a gallery') })
    expect(await load('file://../l.yaml')).toMatchObject({ error: expect.stringContaining('below the models folder') })
  })

  it('is refused and said so where it leads out of the models folder, or to no index', async () => {
    await using outside = await tempDir('svc-outside-')
    await using registry = await startFakeRegistry()
    const texts = ['a.yaml', 'b.yaml'].map((name) => ({ name, content: '[]' }))
    await push(registry, 'owner/empty:v1', makeImage([texts]))
    await push(registry, 'owner/map:v1', textImage(Buffer.from('a: 1')))
    await using folder = await tempDir('svc-galleries-')
    const models = folder.join('models')
    await mkdir(join(models, 'folder'), { recursive: true })
    for (const path of [outside.join('index.yaml'), folder.join('index.yaml')]) await writeFile(path, index('stolen'))
    await symlink(outside.join('index.yaml'), join(models, 'link.yaml'))
    const cases: readonly (readonly [url: string, error: RegExp])[] = [
      [`file://${outside.path}/index.yaml`, /below the models folder/],
      ['file://../index.yaml', /below the models folder/],
      ['file://link.yaml', /outside the models folder/],
      ['file://folder', /not a regular file/],
      ['file://none.yaml', /does not exist/],
      ['file://data/server-id', /outside the models folder/],
      [`oci://${registry.host}/owner/none:v1`, /status 404/],
      [`oci://${registry.host}/owner/empty:v1`, /no index\.yaml/],
      [`oci://${registry.host}/owner/map:v1`, /not a list/],
      ['ftp://a/b.yaml', /form is not known/],
      ['ollama://gemma', /of this form is not allowed/],
      ['hf://owner/repo/../../x', /\. or \.\./],
      ['', /form is not known/],
    ]
    await using server = await startTestServer({
      folder: folder.path,
      flags: [flag(...cases.map(([url]) => url)), '--autoload-galleries=false', `--data-path=${join(models, 'data')}`],
    })
    expect(await available(server)).toEqual([])
    const expected = cases.map(([url, error], at) => ({ name: `g${at}`, url, error: expect.stringMatching(error) }))
    expect(await galleries(server)).toEqual(expected)
  })
})

describe('a gallery that cannot be read', () => {
  verifies('model-admin:galleries:unreadable', 'says so in the lists, in the page and in the settings', async () => {
    await using origin = await startFileOrigin({ files: { '/index.yaml': Buffer.from('- name: [') } })
    const one = { name: 'one', url: `${origin.origin}/none.yaml` }
    const two = { name: 'two', url: `${origin.origin}/index.yaml` }
    const flags = [`--galleries=${JSON.stringify([one, two])}`, `--backend-galleries=${JSON.stringify([one])}`]
    await using server = await startTestServer({ flags: [...flags, '--autoload-galleries=false'] })
    await available(server)
    await server.call('/backends/available')
    const found = { ...one, error: 'the gallery answers with status 404' }
    expect(await galleries(server)).toEqual([found, { ...two, error: expect.stringContaining('cannot be read') }])
    expect((await server.call('/backends/galleries')).json()).toEqual([found])
    expect((await server.call('/api/models')).json()).toMatchObject({ repositories: [found, { name: 'two' }] })
    expect((await server.call('/api/backends')).json()).toMatchObject({ repositories: [found] })
    const { settings } = (await server.call('/api/settings/sources')).json() as {
      settings: { key: string; problems?: string[] }[]
    }
    expect(settings.flatMap(({ key, problems }) => (problems === undefined ? [] : [[key, problems]]))).toEqual([
      ['galleries', ['one: the gallery answers with status 404', expect.stringMatching(/^two: .*cannot be read/)]],
      ['backend_galleries', ['one: the gallery answers with status 404']],
    ])
  })

  it('is noticed when it is added, and forgotten when it is taken away', async () => {
    await using origin = await startFileOrigin({ files: { '/index.yaml': index('one') } })
    await using server = await startTestServer()
    const change = (url: string) => server.post('/api/settings', { galleries: [{ name: 'late', url }] })
    const problems = async () => {
      const { settings } = (await server.call('/api/settings/sources')).json() as {
        settings: { problems?: string[] }[]
      }
      return settings.flatMap((setting) => setting.problems ?? [])
    }
    expect((await change(`${origin.origin}/none`)).status).toBe(200)
    await eventually(async () => expect(await problems()).toEqual(['late: the gallery answers with status 404']))
    expect((await change(`${origin.origin}/index.yaml`)).status).toBe(200)
    expect(await available(server)).toEqual(['one'])
    expect(await problems()).toEqual([])
  })
})

describe('a fault of one entry', () => {
  verifies('model-admin:galleries:bad-entry', 'costs only that entry, and is a warning', async () => {
    const entries = [
      'name: one\n  url: ""',
      'name: two\n  description: a\n  description: b',
      'name: three\n  x: y: z',
      'name: four',
    ]
    await using origin = await startFileOrigin({
      files: { '/index.yaml': Buffer.from(entries.map((text) => `- ${text}\n`).join('')) },
    })
    await using server = await startTestServer({ flags: [flag(`${origin.origin}/index.yaml`)] })
    const listed = (await server.call('/models/available')).json() as { name: string; description: string }[]
    expect(listed.map(({ name, description }) => [name, description])).toEqual([
      ['one', ''],
      ['two', 'b'],
      ['four', ''],
    ])
    const warnings = [
      expect.stringMatching(/^line 3: a key stands twice/),
      expect.stringMatching(/^line 6: .*left out/),
    ]
    expect(await galleries(server)).toMatchObject([{ name: 'g0', warnings }])
    expect((await server.call('/api/models')).json()).toMatchObject({ repositories: [{ name: 'g0', warnings }] })
    expect(server.logLines.filter((line) => line.includes('gallery has entries with faults'))).toHaveLength(1)
  })
})
