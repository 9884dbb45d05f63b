import { randomBytes } from 'node:crypto'
import { mkdir, readdir, readFile, unlink, utimes, writeFile } from 'node:fs/promises'
import { type TempDir, tempDir } from '@svc/test-kit'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { systemClock as clock } from '../../clock.ts'
import { databasePlaces, silentLogger as logger } from '../../db/__fixtures__/places.ts'
import { createGeneratedFiles } from '../../generated-files/generated-files.ts'
import { createStoredFiles } from '../../stored-files/stored-files.ts'
import { useDatabase } from '../loads/__fixtures__/use-database.ts'
import { createDatabaseBytes, removeLostBytes } from './database-bytes.ts'

const places = await databasePlaces()
const ADA = { id: 'ada', isAdmin: false }
const MAX = 600_000

describe.each(places)('bytes of files on several front ends on $name', ({ create }) => {
  const database = useDatabase(create)
  let dir: TempDir
  beforeAll(async () => {
    dir = await tempDir()
  })
  afterAll(() => dir.close())
  const open = (name: string) => {
    const bytes = createDatabaseBytes(database(), { clock, maxBytes: MAX })
    const folder = dir.join(name)
    const shared = { database: database(), bytes, clock, logger }
    const generated = createGeneratedFiles({ ...shared, folder, keepMs: 0, maxTotalBytes: 0, ownsFolder: true })
    const stored = createStoredFiles({
      ...shared,
      folder: `${folder}-files`,
      server: name,
      maxOwnerBytes: 0,
      detach: async () => undefined,
    })
    return { generated, stored, folder, bytes }
  }
  async function draft(size: number): Promise<{ readonly path: string; readonly content: Buffer }> {
    const content = randomBytes(size)
    const path = dir.join(`draft-${content.toString('hex', 0, 8)}.png`)
    await writeFile(path, content)
    return { path, content }
  }
  const hasContent = async (path: string, content: Buffer) => (await readFile(path)).equals(content)
  const countPieces = async () =>
    (await database().queries.rows((db, { filePieces }) => db.select().from(filePieces))).length

  it('are found at each of them, until one removes the file', async () => {
    const [one, two] = [open('one'), open('two')]
    const { path, content } = await draft(MAX - 1)
    const address = await one.generated.keep(path, { kind: 'images', owner: 'ada', mediaType: 'image/png' })
    const name = address.slice('generated-images/'.length)
    const found = await two.generated.find('images', name, ADA)
    expect(await hasContent(found?.path ?? '', content)).toBe(true)
    expect(await two.generated.find('images', name, { id: 'bob', isAdmin: false })).toBeUndefined()
    await two.generated.discard(address)
    expect([await countPieces(), await one.generated.find('images', name, ADA)]).toEqual([0, undefined])
    const file = `${one.folder}/images/${name}`
    await one.generated.trim()
    expect(await readdir(`${one.folder}/images`), 'a young file stays').toEqual([name])
    await utimes(file, 0, 0)
    await writeFile(`${one.folder}/images/mine.png`, 'x')
    await utimes(`${one.folder}/images/mine.png`, 0, 0)
    await one.generated.trim()
    expect(await readdir(`${one.folder}/images`)).toEqual(['mine.png'])
    one.generated.close()
    two.generated.close()
  })

  it('of uploads too, but not those of large ones', async () => {
    const [one, two] = [open('three'), open('four')]
    const keep = async (size: number) => {
      const { path, content } = await draft(size)
      return {
        content,
        file: await one.stored.keep(path, { owner: 'ada', filename: 'f', purpose: 'user_data', sizeBytes: size }),
      }
    }
    const [small, empty, large] = [await keep(300_000), await keep(0), await keep(MAX + 1)]
    expect(await hasContent(await two.stored.locate(small.file), small.content)).toBe(true)
    expect(await hasContent(await two.stored.locate(empty.file), empty.content)).toBe(true)
    await expect(two.stored.locate(large.file)).rejects.toMatchObject({ code: 'file_elsewhere' })
    expect(await hasContent(await one.stored.locate(large.file), large.content)).toBe(true)
    // The first one has lost its disk.
    await unlink(await one.stored.locate(small.file))
    expect(await hasContent(await one.stored.locate(small.file), small.content)).toBe(true)
    await two.stored.remove([small.file, empty.file])
    expect([await countPieces(), await readdir(`${two.folder}-files`)]).toEqual([0, []])
  })

  it('that are not whole are not given, and lost ones go', async () => {
    const { bytes, folder } = open('five')
    const { path } = await draft(MAX)
    await bytes.put('generated/images/x', path)
    expect(await bytes.fetch('generated/images/x', { path: `${folder}/x`, sizeBytes: MAX - 1 })).toBe(false)
    expect(await bytes.fetch('unknown', { path: `${folder}/x`, sizeBytes: 5 })).toBe(false)
    expect(await readdir(folder)).toEqual([])
    await mkdir(`${folder}/y`)
    await expect(bytes.fetch('generated/images/x', { path: `${folder}/y`, sizeBytes: MAX })).rejects.toMatchObject({
      kind: 'internal',
    })
    expect(await readdir(folder)).toEqual(['y'])
    await removeLostBytes(database())
    expect(await countPieces()).toBe(0)
  })
})
