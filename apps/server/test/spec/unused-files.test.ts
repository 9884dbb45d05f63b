import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { ggufBytes } from '@svc/test-kit'
import { piiEventList } from '@svc/wire/native'
import { describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import {
  findStaging,
  type GalleryWorld,
  hubPath,
  mockEntry,
  startGalleryWorld,
  WEIGHTS,
} from '../support/gallery-world.ts'
import { verifies } from './verifies.ts'

const OTHER = ggufBytes({ values: { 'general.file_type': ['u32', 7] } })
const SLOW = Buffer.concat([WEIGHTS, Buffer.alloc(2 ** 21)])
const FILES = { [hubPath('one.gguf')]: WEIGHTS, [hubPath('two.gguf')]: OTHER, [hubPath('slow.gguf')]: SLOW }

async function openWorld(): Promise<GalleryWorld> {
  const world = await startGalleryWorld({ files: FILES })
  world.setIndex([
    mockEntry('one', 'one.gguf'),
    { ...mockEntry('one', 'two.gguf', OTHER), name: 'other' },
    mockEntry('slow', 'slow.gguf', SLOW),
  ])
  return world
}

/** Installs a model, and installs it again with other weights. */
async function installTwice(world: GalleryWorld): Promise<void> {
  expect(await world.apply({ id: 'one' })).toMatchObject({ message: 'completed' })
  expect(await world.apply({ id: 'other', name: 'one' })).toMatchObject({ message: 'completed' })
}

const listFiles = async ({ server }: GalleryWorld): Promise<readonly Record<string, unknown>[]> =>
  ((await server.call('/api/models/unused')).json() as { files: Record<string, unknown>[] }).files

describe('unused files of the models folder', () => {
  verifies(
    ['model-admin:unused:listed', 'model-admin:unused:pruned'],
    'are the weights that a model had before; they go, with an entry of the audit log',
    async () => {
      await using world = await openWorld()
      const { server } = world
      await installTwice(world)
      await mkdir(join(server.modelsPath, 'mine'))
      await writeFile(join(server.modelsPath, 'mine/own.safetensors'), 'own')
      const listed = await server.call('/api/models/unused')
      expect(listed.json()).toEqual({
        files: [
          {
            file: 'mine/own.safetensors',
            kind: 'other',
            size_bytes: 3,
            selected: false,
            modified_at: expect.stringMatching(/Z$/),
          },
          {
            file: 'one.gguf',
            kind: 'variant',
            size_bytes: WEIGHTS.length,
            selected: true,
            modified_at: expect.stringMatching(/Z$/),
          },
        ],
        size_bytes: WEIGHTS.length + 3,
        selected_bytes: WEIGHTS.length,
        installing: [],
      })
      expect((await server.post('/api/models/prune', {})).json()).toMatchObject({
        removed: [{ file: 'one.gguf' }],
        failed: [],
        freed_bytes: WEIGHTS.length,
      })
      expect(await readdir(server.modelsPath)).toEqual(expect.arrayContaining(['mine', 'one.yaml', 'two.gguf']))
      expect(await readdir(server.modelsPath)).not.toContain('one.gguf')
      expect((await server.call('/v1/models')).json()).toMatchObject({ data: [{ id: 'one' }] })
      expect((await server.chat('one')).status).toBe(200)
      const { events } = piiEventList.parse((await server.call('/api/pii/events?kind=administration')).json())
      const entry = events.find(({ change }) => change === 'model.prune')
      expect(entry).toMatchObject({ outcome: 'done', details: `1 files, ${WEIGHTS.length} bytes: one.gguf` })
      // the same content is fetched again, since nothing of it is left
      expect(await world.apply({ id: 'one', name: 'again' })).toMatchObject({ message: 'completed' })
      expect(await listFiles(world)).toMatchObject([{ file: 'mine/own.safetensors' }])
    },
  )

  it.each<[string, unknown, number]>([
    ['no body', undefined, 400],
    ['an unknown field', { dry_run: true }, 400],
    ['names of another kind', { files: 'one.gguf' }, 400],
    ['a file that is used', { files: ['two.gguf'] }, 404],
    ['a file outside', { files: ['../x.gguf'] }, 404],
    ['a file of the operator', { files: ['one.yaml'] }, 404],
  ])('stay where the request has %s', async (_what, body, status) => {
    await using world = await openWorld()
    await installTwice(world)
    const before = await readdir(world.server.modelsPath)
    const reply = await world.server.call('/api/models/prune', {
      method: 'POST',
      ...(body === undefined ? {} : { headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) }),
    })
    expect(reply.status).toBe(status)
    expect(await readdir(world.server.modelsPath)).toEqual(before)
  })

  it('do not include anything of an installation that runs', async () => {
    await using world = await openWorld()
    await installTwice(world)
    world.origin.files.set(hubPath('slow.gguf'), { content: SLOW, stop: { at: 2 ** 20, how: 'stall' } })
    const { jobID } = (await world.server.post('/api/models/install/slow', {})).json() as { jobID: string }
    await expect.poll(async () => (await world.operations())[0]?.currentBytes).toBeGreaterThan(2 ** 19)
    expect((await world.server.post('/api/models/prune', {})).json()).toMatchObject({
      removed: [],
      installing: ['slow'],
    })
    const staging = await findStaging(world.server.modelsPath, 'slow')
    expect(await readdir(staging)).toContain('slow.gguf.partial')
    await world.server.post(`/api/operations/${jobID}/pause`, {})
    expect(await listFiles(world)).toMatchObject([
      { file: `.staging/${basename(staging)}`, kind: 'partial', selected: false },
      { file: 'one.gguf', selected: true },
    ])
  })
})

describe('a model that is installed again', () => {
  verifies('model-admin:install:keeps-changes', 'keeps what somebody has changed in its model file', async () => {
    await using world = await openWorld()
    const { server } = world
    await world.apply({ id: 'one', overrides: { context_size: 99 } })
    const path = join(server.modelsPath, 'one.yaml')
    await server.call('/api/models/config-json/one', {
      method: 'PATCH',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ system_prompt: 'be kind', parameters: { temperature: 0.7 } }),
    })
    await writeFile(path, `# ours\n${await readFile(path, 'utf8')}`)
    await world.apply({ id: 'other', name: 'one' })
    const text = await readFile(path, 'utf8')
    expect(text).toMatch(/^# ours\n/)
    expect(parse(text)).toMatchObject({
      context_size: 99,
      system_prompt: 'be kind',
      parameters: { model: 'two.gguf', temperature: 0.7 },
    })
    await world.apply({ id: 'one', overrides: { system_prompt: 'be short' } })
    expect(parse(await readFile(path, 'utf8'))).toMatchObject({
      context_size: 99,
      system_prompt: 'be short',
      parameters: { model: 'one.gguf', temperature: 0.7 },
    })
    const copies = (await readdir(server.modelsPath)).filter((name) => name.startsWith('one.yaml.replaced-'))
    expect(copies).toHaveLength(1)
    expect(await readFile(join(server.modelsPath, copies[0] ?? ''), 'utf8')).toBe(text)
  })

  it('keeps a copy of a model file that does not load', async () => {
    await using world = await openWorld()
    await world.apply({ id: 'one' })
    await world.server.writeModelFile('one.yaml', 'name: [')
    expect(await world.apply({ id: 'one' })).toMatchObject({ message: 'completed' })
    const names = await readdir(world.server.modelsPath)
    const copy = names.find((name) => name.startsWith('one.yaml.replaced-')) ?? ''
    expect(await readFile(join(world.server.modelsPath, copy), 'utf8')).toBe('name: [')
    expect((await world.server.chat('one')).status).toBe(200)
  })
})
