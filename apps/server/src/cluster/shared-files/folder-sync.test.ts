import { mkdir, readdir, readFile, rename, rm, symlink, unlink, writeFile } from 'node:fs/promises'
import { createFakeClock, eventually, type TempDir, tempDir } from '@svc/test-kit'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createLocalHub } from '../../bus/__fixtures__/local-hub.ts'
import { createBus } from '../../bus/create-bus.ts'
import { createConfigStore } from '../../catalog/config-store.ts'
import { databasePlaces, silentLogger } from '../../db/__fixtures__/places.ts'
import { useDatabase } from '../loads/__fixtures__/use-database.ts'
import type { SharedFile } from './apply-change.ts'
import { createFolderSync, DELETED_FOR_MS } from './folder-sync.ts'
import { followFolder } from './follow-folder.ts'
import { openLocalFolder } from './local-folder.ts'
import { createSharedDocuments } from './shared-documents.ts'

const logger = silentLogger
const places = await databasePlaces()
const accepts = (name: string): boolean => name.endsWith('.yaml')

describe.each(places)('files of several front ends on $name', ({ create }) => {
  const database = useDatabase(create)
  let dir: TempDir
  beforeAll(async () => {
    dir = await tempDir()
  })
  afterAll(() => dir.close())

  /** A front end of a cluster; its folder and what it knows stay when it is opened again. */
  async function open(cluster: string, name: string, hub = createLocalHub()) {
    const folder = dir.join(`${cluster}-${name}`)
    await mkdir(folder, { recursive: true })
    const clock = createFakeClock({ now: Date.now() })
    const local = openLocalFolder({ folder, accepts, maxBytes: 1000, mode: 0o644, now: () => Date.now() })
    const bus = createBus({ link: hub.link(), logger })
    const written: [string, SharedFile | undefined][] = []
    const sync = createFolderSync({
      kind: cluster,
      documents: createSharedDocuments(database(), cluster),
      local,
      accepts,
      ledgerPath: `${folder}.json`,
      instanceId: database().instanceId,
      describe: (file) => ({ from: name, file }),
      onWrite: async (file, content) => void written.push([file, content]),
      onPushed: () => bus.publish('files.changed', { kind: cluster }),
      clock,
      logger,
    })
    return {
      sync,
      bus,
      clock,
      folder,
      written,
      write: (file: string, text: string | Buffer) => writeFile(`${folder}/${file}`, text),
      remove: (file: string) => unlink(`${folder}/${file}`),
      async files() {
        const names = (await readdir(folder)).sort()
        return Object.fromEntries(
          await Promise.all(names.map(async (file) => [file, await readFile(`${folder}/${file}`, 'utf8')] as const)),
        )
      },
    }
  }
  type Front = Awaited<ReturnType<typeof open>>
  const settle = async (...fronts: readonly Front[]): Promise<void> => {
    for (const { sync } of [...fronts, ...fronts]) await sync.run()
  }

  it('appear, change and go everywhere', async () => {
    const [one, two] = [await open('plain', 'one'), await open('plain', 'two')]
    await one.write('a.yaml', 'name: a')
    await two.write('b.yaml', Buffer.from([0, 255, 1]))
    await one.write('weights.gguf', 'GGUF')
    await settle(one, two)
    expect(await two.files()).toEqual({ 'a.yaml': 'name: a', 'b.yaml': '\0�\u0001' })
    expect(await readFile(`${one.folder}/b.yaml`)).toEqual(Buffer.from([0, 255, 1]))
    expect(two.written).toEqual([
      ['a.yaml', { content: 'name: a', isBase64: false, facts: { from: 'one', file: 'a.yaml' } }],
    ])
    await two.write('a.yaml', 'name: b')
    await settle(one, two)
    expect((await one.files())['a.yaml']).toBe('name: b')
    await one.remove('a.yaml')
    await settle(one, two)
    expect(await two.files()).toEqual({ 'b.yaml': '\0�\u0001' })
    expect(two.written.at(-1)).toEqual(['a.yaml', undefined])
    expect(await one.sync.run()).toBe(false)
  })

  it('end equal after edits of the same moment, and after an edit and a delete', async () => {
    const fronts = [await open('race', 'one'), await open('race', 'two'), await open('race', 'three')] as const
    await settle(...fronts)
    for (const [index, front] of fronts.entries()) await front.write('m.yaml', `name: m${index}`)
    await Promise.all(fronts.map(({ sync }) => sync.run()))
    await settle(...fronts)
    const [first, ...others] = await Promise.all(fronts.map((front) => front.files()))
    expect(Object.keys(first ?? {})).toEqual(['m.yaml'])
    expect(others).toEqual([first, first])
    await fronts[0].remove('m.yaml')
    await fronts[1].write('m.yaml', 'name: kept')
    await fronts[1].sync.run()
    await settle(...fronts)
    expect(await Promise.all(fronts.map((front) => front.files()))).toEqual([{}, {}, {}])
  })

  it('that were deleted do not come back with a front end that was off', async () => {
    const [one, two] = [await open('off', 'one'), await open('off', 'two')]
    for (const name of ['a', 'b', 'c']) await one.write(`${name}.yaml`, name)
    await settle(one, two)
    await one.remove('a.yaml')
    await one.write('b.yaml', 'newer')
    await settle(one)
    // Somebody edits while the front end is off. Its change is not newer than those of the cluster.
    await two.write('b.yaml', 'by hand')
    await two.write('c.yaml', 'by hand')
    const again = await open('off', 'two')
    await settle(again, one)
    const files = await again.files()
    expect([files['a.yaml'], files['b.yaml'], files['c.yaml']]).toEqual([undefined, 'newer', 'by hand'])
    const copy = Object.keys(files).find((name) => name.startsWith('b.yaml.replaced-')) ?? expect.unreachable()
    expect([files[copy], await one.files()]).toEqual(['by hand', { 'b.yaml': 'newer', 'c.yaml': 'by hand' }])
  })

  it('that were deleted long ago go at a front end that was off for longer', async () => {
    const [one, two] = [await open('long', 'one'), await open('long', 'two')]
    await one.write('a.yaml', 'a')
    await one.write('b.yaml', 'b')
    await settle(one, two)
    const documents = createSharedDocuments(database(), 'long')
    await one.remove('a.yaml')
    await settle(one)
    await eventually(async () => expect(await documents.forgetDeleted(0)).toBe(1))
    const again = await open('long', 'two')
    await again.clock.advance(DELETED_FOR_MS)
    await settle(again, one)
    expect([await again.files(), await one.files()]).toEqual([{ 'b.yaml': 'b' }, { 'b.yaml': 'b' }])
  })

  it('come back to a folder that was lost, and none is deleted with it', async () => {
    const [one, two] = [await open('mount', 'one'), await open('mount', 'two')]
    await one.write('a.yaml', 'a')
    await settle(one, two)
    await rename(one.folder, `${one.folder}-away`)
    await settle(one, two)
    await mkdir(one.folder)
    await settle(one, two)
    expect([await one.files(), await two.files()]).toEqual([{ 'a.yaml': 'a' }, { 'a.yaml': 'a' }])
    await rm(`${one.folder}-away`, { recursive: true })
  })

  it('that are links or too large stay as they are', async () => {
    const [one, two] = [await open('odd', 'one'), await open('odd', 'two')]
    await one.write('a.yaml', 'a')
    await one.write('big.yaml', 'x'.repeat(1001))
    await one.write('target', 'of a link')
    await symlink('target', `${one.folder}/link.yaml`)
    await two.write('link.yaml', 'of two')
    await settle(one, two)
    expect(await two.files()).toEqual({ 'a.yaml': 'a', 'link.yaml': 'of two' })
    expect((await one.files())['link.yaml']).toBe('of a link')
  })

  it.each([
    ['with the bus', 1],
    ['within half a minute without the bus', 0],
  ])('are models of the other front end %s, without their weights', async (_, times) => {
    const hub = createLocalHub()
    hub.times = times
    const fronts = await Promise.all(
      ['one', 'two'].map(async (name) => {
        const front = await open(`models${times}`, name, hub)
        const store = createConfigStore({ folder: front.folder, bus: front.bus })
        store.list()
        const { sync, bus, clock } = front
        const onPulled = () => store.reload()
        const follower = followFolder({ kind: `models${times}`, sync, onPulled, bus, clock })
        return { ...front, store, follower }
      }),
    )
    const [one, two] = [fronts[0] ?? expect.unreachable(), fronts[1] ?? expect.unreachable()]
    await one.write('m.yaml', 'name: m\nbackend: llama-cpp\nparameters:\n  model: only-here.gguf\n')
    void one.follower.look()
    await eventually(async () => {
      if (times === 0) await two.clock.advance(30_000)
      expect(two.store.list().map(({ name }) => name)).toEqual(['m'])
    })
    for (const { follower, store } of fronts) {
      await follower.close()
      store.close()
    }
  })
})
