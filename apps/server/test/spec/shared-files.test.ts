import { readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { chatGguf, eventually } from '@svc/test-kit'
import { describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import { type GalleryWorld, mockEntry, sha256, startGalleryWorld } from '../support/gallery-world.ts'
import { verifies } from './verifies.ts'

type Entry = Readonly<Record<string, unknown>>

const bytes = (text: string): Buffer => Buffer.from(text.repeat(1000))
const digits = (text: string): string => sha256(bytes(text)).slice(0, 16)

/** An entry whose files have the given contents, each at an address of its own. */
function entryOf(
  name: string,
  contents: Readonly<Record<string, string>>,
  keys: Readonly<Record<string, unknown>> = {},
  { hashed = true }: { readonly hashed?: boolean } = {},
): Entry {
  const { overrides } = mockEntry(name) as { overrides: Entry }
  const files = Object.entries(contents).map(([filename, content]) => ({
    filename,
    uri: `huggingface://owner/repo/${content}`,
    ...(hashed ? { sha256: sha256(bytes(content)) } : {}),
  }))
  const [model] = Object.keys(contents)
  return { name, files, overrides: { ...overrides, parameters: { model }, ...keys } }
}

async function startWorld(contents: readonly string[]): Promise<GalleryWorld> {
  return startGalleryWorld({
    flags: ['--artifact-download-concurrency=2'],
    files: Object.fromEntries(contents.map((content) => [`/owner/repo/resolve/main/${content}`, bytes(content)])),
  })
}

/** Starts installations at once and waits for all. */
async function installAll(world: GalleryWorld, ids: readonly string[]): Promise<void> {
  const started = await Promise.all(ids.map((id) => world.server.post('/models/apply', { id })))
  for (const reply of started) {
    expect(await world.finished((reply.json() as { uuid: string }).uuid)).toMatchObject({ message: 'completed' })
  }
}

/** Files that were fetched so far. */
function countFetched({ origin }: GalleryWorld): number {
  return origin.requests.filter(({ method, path }) => method === 'GET' && path.includes('/resolve/')).length
}

async function readConfig({ server }: GalleryWorld, name: string): Promise<Record<string, unknown>> {
  return parse(await readFile(join(server.modelsPath, `${name}.yaml`), 'utf8')) as Record<string, unknown>
}

/** The contents that a model file names, by the words that they are made of. */
async function readNamed(world: GalleryWorld, name: string): Promise<readonly string[]> {
  const { parameters, mmproj, options } = (await readConfig(world, name)) as {
    parameters: { model: string }
    mmproj?: string
    options: readonly string[]
  }
  const named = [parameters.model, mmproj, options.find((option) => option.startsWith('vae_path:'))?.slice(9)]
  const texts = named.flatMap((file) => file ?? []).map((file) => readFile(join(world.server.modelsPath, file), 'utf8'))
  return (await Promise.all(texts)).map((text) => text.slice(0, 3))
}

describe('files of two models that share their names', () => {
  verifies(
    'model-admin:install:shared-names',
    'lie side by side, whichever is installed first, also at once',
    async () => {
      await using world = await startWorld(['w-1', 'w-2', 'p-1', 'p-2', 'v-1', 'v-2'])
      const entry = (index: number) =>
        entryOf(
          `m${index}`,
          { 'deep/w.bin': `w-${index}`, 'mmproj/f16.bin': `p-${index}`, 'ae.bin': `v-${index}` },
          { mmproj: 'mmproj/f16.bin', options: ['vae_path:ae.bin'] },
        )
      world.setIndex([entry(1), entry(2), { ...entry(2), name: 'm2-again' }])
      await installAll(world, ['m1', 'm2', 'm2-again'])
      expect(await readNamed(world, 'm1')).toEqual(['w-1', 'p-1', 'v-1'])
      expect(await readNamed(world, 'm2')).toEqual(['w-2', 'p-2', 'v-2'])
      expect(await readConfig(world, 'm2-again')).toEqual({ ...(await readConfig(world, 'm2')), name: 'm2-again' })
      // Again, and in the other order, everything stays where it is.
      const before = await Promise.all(['m1', 'm2', 'm2-again'].map((name) => readConfig(world, name)))
      const requests = countFetched(world)
      for (const id of ['m2', 'm1', 'm2-again'])
        expect(await world.apply({ id })).toMatchObject({ message: 'completed' })
      expect(await Promise.all(['m1', 'm2', 'm2-again'].map((name) => readConfig(world, name)))).toEqual(before)
      expect(countFetched(world)).toBe(requests)
      // A deletion takes what nobody else needs, with its folders.
      for (const name of ['m2', 'm1']) {
        const { uuid } = (await world.server.post(`/models/delete/${name}`, {})).json() as { uuid: string }
        expect(await world.finished(uuid)).toMatchObject({ message: 'completed' })
        expect(await readNamed(world, 'm2-again')).toEqual(['w-2', 'p-2', 'v-2'])
      }
      await world.server.post('/models/delete/m2-again', {})
      await eventually(async () => {
        const left = await readdir(world.server.modelsPath)
        expect(left.filter((name) => !name.startsWith('.'))).toEqual([])
      })
    },
  )

  it('are told apart where no hash is known, by the address that they come from', async () => {
    await using world = await startWorld(['w-1', 'w-2'])
    world.setIndex([
      entryOf('m1', { 'w.bin': 'w-1' }, {}, { hashed: false }),
      entryOf('m2', { 'w.bin': 'w-2' }, {}, { hashed: false }),
      entryOf('m3', { 'w.bin': 'w-1' }, {}, { hashed: false }),
    ])
    await installAll(world, ['m1', 'm2'])
    await installAll(world, ['m3'])
    for (const [name, content] of [
      ['m1', 'w-1'],
      ['m2', 'w-2'],
      ['m3', 'w-1'],
    ] as const) {
      expect([name, await readNamed(world, name)]).toEqual([name, [content]])
    }
    expect(await readConfig(world, 'm3')).toMatchObject({
      parameters: { model: ((await readConfig(world, 'm1')) as { parameters: { model: string } }).parameters.model },
    })
  })

  it('are an operator’s where no record names them, and stay as they are', async () => {
    await using world = await startWorld(['w-1', 'w-2', 'v-1'])
    const { server } = world
    const weights = chatGguf()
    await writeFile(join(server.modelsPath, 'loose.gguf'), weights)
    await writeFile(join(server.modelsPath, 'used.bin'), 'mine')
    await writeFile(join(server.modelsPath, 'frame.tmpl'), 'mine')
    await server.writeModelFile(
      'own.yaml',
      'name: own\nbackend: mock\noptions: ["vae_path:used.bin"]\nparameters: {model: x}\n',
    )
    const prompt = { prompt_templates: [{ name: 'frame', content: 'theirs' }], config_file: 'template: {chat: frame}' }
    world.origin.files.set('/owner/repo/main/doc.yaml', { content: Buffer.from(JSON.stringify(prompt)) })
    world.setIndex([
      {
        ...entryOf('m1', { 'loose.gguf': 'w-1' }),
        files: [{ filename: 'loose.gguf', uri: 'hf://owner/repo/model.gguf', sha256: sha256(chatGguf('theirs')) }],
      },
      entryOf('m2', { 'used.bin': 'w-2' }),
      { ...entryOf('m3', { 'v.bin': 'v-1' }), url: 'github:owner/repo/doc.yaml@main' },
    ])
    world.origin.files.set('/owner/repo/resolve/main/model.gguf', { content: chatGguf('theirs') })
    await installAll(world, ['m1', 'm2', 'm3'])
    const read = (file: string): Promise<string> => readFile(join(server.modelsPath, file), 'utf8')
    expect([await read('used.bin'), await read('frame.tmpl')]).toEqual(['mine', 'mine'])
    expect(Buffer.compare(await readFile(join(server.modelsPath, 'loose.gguf')), weights)).toBe(0)
    expect(await readConfig(world, 'm2')).toMatchObject({ parameters: { model: `${digits('w-2')}/used.bin` } })
    const { template } = (await readConfig(world, 'm3')) as { template: { chat: string } }
    expect(template.chat).toMatch(/^[0-9a-f]{16}\/frame$/)
    expect(await read(`${template.chat}.tmpl`)).toBe('theirs')
    // The configuration without the files keeps to the same rule.
    await server.post('/models/delete/m3', {})
    await eventually(async () => expect((await server.post('/api/models/config/m3', {})).status).toBe(200))
    expect(await read('frame.tmpl')).toBe('mine')
  })

  it('are replaced where they are the model’s own', async () => {
    await using world = await startWorld(['w-1'])
    world.setIndex([entryOf('m1', { 'w.bin': 'w-1' })])
    await installAll(world, ['m1'])
    const content = bytes('new')
    world.origin.files.set('/owner/repo/resolve/main/new', { content })
    const files = [{ filename: 'w.bin', uri: 'hf://owner/repo/new', sha256: sha256(content) }]
    expect(await world.apply({ id: 'm1', files })).toMatchObject({ message: 'completed' })
    expect(await readConfig(world, 'm1')).toMatchObject({ parameters: { model: 'w.bin' } })
    expect(Buffer.compare(await readFile(join(world.server.modelsPath, 'w.bin')), content)).toBe(0)
  })
})

describe('a content that several installations want at once', () => {
  verifies('model-admin:install:one-fetch', 'is fetched once', async () => {
    await using world = await startWorld([])
    const content = Buffer.alloc(8 * 1024 * 1024, 'w-1 ')
    world.origin.files.set('/owner/repo/resolve/main/w-1', { content })
    world.setIndex(
      ['m1', 'm2', 'm3'].map((name) => {
        const file = { filename: `${name}.bin`, uri: 'hf://owner/repo/w-1', sha256: sha256(content) }
        return { ...entryOf(name, { [file.filename]: 'w-1' }), files: [file] }
      }),
    )
    await installAll(world, ['m1', 'm2', 'm3'])
    expect(countFetched(world)).toBe(1)
    for (const name of ['m1', 'm2', 'm3']) {
      expect(sha256(await readFile(join(world.server.modelsPath, `${name}.bin`)))).toBe(sha256(content))
    }
  })
})
