import { mkdir, readdir, symlink, utimes, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { tempDir } from '@svc/test-kit'
import { describe, expect, it } from 'vitest'
import { systemClock } from '../clock.ts'
import { databasePlaces, silentLogger } from '../db/__fixtures__/places.ts'
import { openDatabase } from '../db/open-database.ts'
import { createGeneratedFiles } from './generated-files.ts'

const places = await databasePlaces()
const HOUR = 3_600_000
const ADA = { id: 'ada', isAdmin: false }

async function openStore(
  create: (typeof places)[number]['create'],
  limits: { readonly keepMs?: number; readonly maxTotalBytes?: number } = {},
) {
  const place = await create()
  const dir = await tempDir('svc-generated-')
  const folder = join(dir.path, 'generated')
  let now = Date.now()
  const clock = { ...systemClock, now: () => now }
  const database = await openDatabase({ ...place.options, appVersion: '1.0.0', logger: silentLogger, clock })
  const store = createGeneratedFiles({
    folder,
    database,
    keepMs: 24 * HOUR,
    maxTotalBytes: 1000,
    ...limits,
    clock,
    logger: silentLogger,
  })
  let count = 0
  return {
    store,
    folder,
    move(ms: number) {
      now += ms
    },
    async draft(bytes = 10, extension = '.png') {
      count += 1
      const path = join(dir.path, `draft-${count}${extension}`)
      await writeFile(path, Buffer.alloc(bytes, 1))
      return path
    },
    async keep(bytes = 10) {
      const facts = { kind: 'images', owner: 'ada', mediaType: 'image/png' } as const
      const address = await store.keep(await this.draft(bytes), facts)
      return address.slice(address.indexOf('/') + 1)
    },
    list: async () => (await readdir(join(folder, 'images')).catch(() => [])).sort(),
    async [Symbol.asyncDispose]() {
      store.close()
      await database.close()
      await place.close()
      await dir.close()
    },
  }
}

describe.each(places)('generated files on $name', ({ create }) => {
  it('are found by their owner and by admins, under their kind only', async () => {
    await using world = await openStore(create)
    const name = await world.keep()
    const { store } = world
    expect(name).toMatch(/^[0-9a-f]{32}\.png$/)
    const found = { path: join(world.folder, 'images', name), mediaType: 'image/png', sizeBytes: 10 }
    expect(await store.find('images', name, ADA)).toEqual(found)
    expect(await store.find('images', name, { id: 'root', isAdmin: true })).toEqual(found)
    expect(await store.find('images', name, { id: 'bob', isAdmin: false })).toBeUndefined()
    expect(await store.find('videos', name, ADA)).toBeUndefined()
    for (const odd of ['', '..', `../images/${name}`, name.toUpperCase(), `${name}\0`, `${name}/`, 'x'.repeat(5000)])
      expect(await store.find('images', odd, ADA), odd).toBeUndefined()
  })

  // verifies generated:keep:age
  it('go when they are too old, at once for readers', async () => {
    await using world = await openStore(create)
    const old = await world.keep()
    world.move(20 * HOUR)
    const young = await world.keep()
    world.move(5 * HOUR)
    expect(await world.store.find('images', old, ADA)).toBeUndefined()
    expect(await world.list()).toEqual([old, young].sort())
    await world.store.trim()
    expect(await world.list()).toEqual([young])
    expect(await world.store.find('images', young, ADA)).toBeDefined()
  })

  // verifies generated:keep:size
  it('make room, the oldest first', async () => {
    await using world = await openStore(create)
    const names: string[] = []
    for (let index = 0; index < 5; index += 1) {
      names.push(await world.keep(300))
      world.move(1000)
    }
    await world.store.trim()
    expect(await world.list()).toEqual(names.slice(-3).sort())
    expect(await world.store.find('images', names[1] ?? '', ADA)).toBeUndefined()
    // A trim that is asked for while another one runs sees what has come since.
    const trims = [world.store.trim()]
    const last = await world.keep(300)
    trims.push(world.store.trim(), world.store.trim())
    await Promise.all(trims)
    expect(await world.list()).toEqual([...names.slice(-2), last].sort())
    await using endless = await openStore(create, { keepMs: 0, maxTotalBytes: 0 })
    endless.store.checkRoom(Number.MAX_SAFE_INTEGER)
    for (let index = 0; index < 3; index += 1) await endless.keep(900)
    endless.move(10_000 * HOUR)
    await endless.store.trim()
    expect(await endless.list()).toHaveLength(3)
  })

  it('are refused where the limit would remove them at once, and nothing goes for them', async () => {
    await using world = await openStore(create)
    const name = await world.keep(400)
    const refused = { kind: 'insufficient_storage', code: 'generated_content_limit' }
    await expect(world.keep(1001)).rejects.toMatchObject(refused)
    expect(() => world.store.checkRoom(1001)).toThrow(expect.objectContaining(refused))
    world.store.checkRoom(1000)
    await world.store.trim()
    expect(await world.list()).toEqual([name])
    world.move(1)
    const whole = await world.keep(1000)
    await world.store.trim()
    expect(await world.list()).toEqual([whole])
  })

  it('are discarded again, with their rows', async () => {
    await using world = await openStore(create)
    const [name, other] = [await world.keep(), await world.keep()]
    await world.store.discard(`generated-images/${name}`)
    for (const odd of ['', 'generated-images/..', 'generated-images/../x', `elsewhere/${other}`, other])
      await world.store.discard(odd)
    expect([await world.list(), await world.store.find('images', name, ADA)]).toEqual([[other], undefined])
  })

  // verifies generated:keep:own-files
  it('are the only ones that go: files of others in their folder stay', async () => {
    await using world = await openStore(create)
    const name = await world.keep()
    const folder = join(world.folder, 'images')
    for (const other of ['old.png', 'young.png']) await writeFile(join(folder, other), 'x')
    const past = new Date(Date.now() - 2 * HOUR)
    await utimes(join(folder, 'old.png'), past, past)
    await world.store.trim()
    expect(await world.list()).toEqual([name, 'old.png', 'young.png'].sort())
    expect(await world.store.find('images', 'young.png', ADA)).toBeUndefined()
  })

  it('are files with content, and no links', async () => {
    await using world = await openStore(create)
    const { store, folder } = world
    const facts = { kind: 'images', owner: 'ada', mediaType: 'image/png' } as const
    await mkdir(folder, { recursive: true })
    await symlink('/etc/passwd', join(folder, 'link.png'))
    for (const path of [await world.draft(0), join(folder, 'link.png'), folder, join(folder, 'nothing.png')])
      await expect(store.keep(path, facts)).rejects.toMatchObject({ kind: 'internal', code: 'no_result_file' })
    expect(await store.keep(await world.draft(1, '.PNG'), facts)).toMatch(/\.bin$/)
    expect(await store.keep(await world.draft(1), { ...facts, extension: '.webp' })).toMatch(/\.webp$/)
  })
})
