import { readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { makeTar } from '../../src/oci/__fixtures__/tar.ts'
import { mockEntry, startGalleryWorld, WEIGHTS } from '../support/gallery-world.ts'
import { computeDigest, makeImage, startFakeRegistry } from '../support/registry.ts'

const MANIFEST = 'application/vnd.oci.image.manifest.v1+json'
const FLAGS = ['--content-url-allow=127.0.0.1']

const imageEntry = (uri: string, filename: string, model: string): Record<string, unknown> => {
  const entry = mockEntry('boxed')
  return {
    ...entry,
    files: [{ filename, uri }],
    overrides: { ...(entry.overrides as object), parameters: { model } },
  }
}

describe('a model in an image', () => {
  it('is unpacked into a folder, and its deletion takes every file of it', async () => {
    await using registry = await startFakeRegistry()
    const layers = [
      [
        { name: 'weights.bin', content: WEIGHTS },
        { name: 'deep/er/notes', content: 'n' },
      ],
      [{ name: '.wh.gone' }, { name: 'link', type: '2', linkName: 'weights.bin' }],
    ]
    await registry.push(makeImage(layers), 'o/model:1')
    await using world = await startGalleryWorld({ flags: FLAGS })
    world.setIndex([imageEntry(`oci://${registry.host}/o/model:1`, 'boxed', 'boxed/weights.bin')])
    expect(await world.apply({ id: 'boxed' })).toMatchObject({ message: 'completed' })
    const listed = async (): Promise<readonly string[]> =>
      (await readdir(world.server.modelsPath, { recursive: true })).filter((name) => !name.startsWith('.')).sort()
    expect(await listed()).toEqual([
      ...['boxed', 'boxed.yaml', 'boxed/deep', 'boxed/deep/er', 'boxed/deep/er/notes', 'boxed/weights.bin'],
    ])
    expect(await readFile(join(world.server.modelsPath, 'boxed/weights.bin'))).toEqual(Buffer.from(WEIGHTS))
    expect((await world.server.chat('boxed')).status).toBe(200)
    const { uuid } = (await world.server.post('/models/delete/boxed', {})).json() as { uuid: string }
    expect(await world.finished(uuid)).toMatchObject({ message: 'completed' })
    expect(await listed()).toEqual([])
  })

  it('is one file where its layers are no archives', async () => {
    await using registry = await startFakeRegistry()
    const note = Buffer.from('a licence')
    const layers = [note, Buffer.from(WEIGHTS)].map((bytes) => ({
      mediaType: 'application/vnd.example.gguf.v3',
      digest: computeDigest(bytes),
      size: bytes.length,
    }))
    const manifest = Buffer.from(JSON.stringify({ schemaVersion: 2, mediaType: MANIFEST, layers }))
    const blobs = new Map([note, Buffer.from(WEIGHTS)].map((bytes) => [computeDigest(bytes), bytes]))
    await registry.push({ manifest, mediaType: MANIFEST, blobs }, 'ai/model:1')
    await using world = await startGalleryWorld({ flags: FLAGS })
    world.setIndex([imageEntry(`oci://${registry.host}/ai/model:1`, 'raw.gguf', 'raw.gguf')])
    expect(await world.apply({ id: 'boxed' })).toMatchObject({ message: 'completed', total_bytes: WEIGHTS.length })
    expect(await readFile(join(world.server.modelsPath, 'raw.gguf'))).toEqual(Buffer.from(WEIGHTS))
  })

  it('comes out of a file below the models folder, and out of none elsewhere', async () => {
    await using world = await startGalleryWorld({ flags: FLAGS })
    const layer = makeTar([{ name: 'weights.bin', content: WEIGHTS }])
    const archive = makeTar([
      { name: 'a/layer.tar', content: layer },
      { name: 'manifest.json', content: JSON.stringify([{ Layers: ['a/layer.tar'] }]) },
    ])
    await writeFile(join(world.server.modelsPath, 'image.tar'), archive)
    world.setIndex([imageEntry('ocifile://image.tar', 'boxed', 'boxed/weights.bin')])
    expect(await world.apply({ id: 'boxed' })).toMatchObject({ message: 'completed' })
    expect((await world.server.chat('boxed')).status).toBe(200)
    const files = [{ filename: 'other', uri: 'ocifile:///etc/passwd' }]
    expect(await world.apply({ name: 'other', config_file: { backend: 'mock' }, files })).toMatchObject({
      error: expect.stringContaining('below the models'),
    })
  })

  it.each([
    ['a name that no file may have', [{ name: 'a/\u202e.bin', content: 'x' }], 'cannot be used'],
    ['a file that leads out of it', [{ name: '../x', content: 'x' }], 'refused'],
    ['a device', [{ name: 'x', type: '3' }], 'refused'],
  ])('with %s is refused, and nothing is in place', async (_what, members, message) => {
    await using registry = await startFakeRegistry()
    await registry.push(makeImage([members]), 'o/model:1')
    await using world = await startGalleryWorld({ flags: FLAGS })
    world.setIndex([imageEntry(`oci://${registry.host}/o/model:1`, 'boxed', 'boxed/x')])
    expect(await world.apply({ id: 'boxed' })).toMatchObject({ error: expect.stringContaining(message) })
    expect((await readdir(world.server.modelsPath)).filter((name) => !name.startsWith('.'))).toEqual([])
  })
})
