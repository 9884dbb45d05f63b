import { mkdir, writeFile } from 'node:fs/promises'
import { createFakeClock, eventually, type TempDir, tempDir } from '@svc/test-kit'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createLocalHub } from '../../bus/__fixtures__/local-hub.ts'
import { createBus } from '../../bus/create-bus.ts'
import { loadConfig } from '../../config/load.ts'
import { databasePlaces, silentLogger } from '../../db/__fixtures__/places.ts'
import type { Database } from '../../db/database.ts'
import { createSettings, type Settings } from '../../settings/settings.ts'
import { createSettingsFolder } from '../../settings/settings-files.ts'
import { useDatabase } from '../loads/__fixtures__/use-database.ts'
import { createSharedDocuments } from './shared-documents.ts'
import { createSharedSettings } from './shared-settings.ts'

const logger = silentLogger
const places = await databasePlaces()

describe.each(places)('settings of several front ends on $name', ({ create }) => {
  const database = useDatabase(create)
  const clock = createFakeClock()
  const hub = createLocalHub()
  let dir: TempDir
  beforeAll(async () => {
    dir = await tempDir()
  })
  afterAll(() => dir.close())

  async function open(name: string, content?: string, place: Pick<Database, 'queries' | 'dialect'> = database()) {
    const cwd = dir.join(name)
    await mkdir(cwd, { recursive: true })
    const command = loadConfig({ argv: ['--config-dir', cwd], env: {}, cwd })
    if (command.kind !== 'run') throw new Error(JSON.stringify(command))
    const { config, sources } = command
    if (content !== undefined) await writeFile(dir.join(name, 'runtime_settings.json'), content)
    const folder = config.configDir
    const files = createSettingsFolder({ folder, pollIntervalMs: 0, clock, logger })
    return createSettings({
      config,
      sources,
      files: createSharedSettings({ database: place, files, folder, clock, logger }),
      bus: createBus({ link: hub.link(), logger }),
      logger,
    })
  }
  const read = (settings: Settings) => [settings.get('threads'), settings.get('f16'), settings.get('debug')]

  it('begin with the file of the first one, and changes of all of them survive', async () => {
    hub.times = 1
    await using one = await open('one', '{"threads":5}')
    await using two = await open('two', '{"threads":9,"debug":true}')
    expect([read(one), read(two)]).toEqual([
      [5, false, false],
      [5, false, false],
    ])
    await Promise.all([one.update({ threads: 7 }), two.update({ f16: true }), one.update({ debug: true })])
    await eventually(() => expect([read(one), read(two)]).toEqual(Array(2).fill([7, true, true])))
    await using later = await open('three')
    expect(read(later)).toEqual([7, true, true])
  })

  it('agree within half a minute without the bus', async () => {
    hub.times = 0
    await using one = await open('four')
    await using two = await open('five')
    await one.update({ threads: 3 })
    expect([one.get('threads'), two.get('threads')]).toEqual([3, 7])
    await eventually(async () => {
      await clock.advance(30_000)
      expect(two.get('threads')).toBe(3)
    })
  })

  it('keep their values while the database is away, and refuse changes', async () => {
    let isAway = false
    const { queries, dialect } = database()
    const fail = async (): Promise<never> => {
      throw new Error('the database cannot be reached')
    }
    const cut: typeof queries = {
      ...queries,
      rows: (build) => (isAway ? fail() : queries.rows(build)),
      transaction: (work) => (isAway ? fail() : queries.transaction(work)),
    }
    await using settings = await open('six', undefined, { queries: cut, dialect })
    isAway = true
    await expect(settings.update({ threads: 4 })).rejects.toThrow('cannot be reached')
    expect([settings.get('threads'), settings.problems()]).toEqual([
      3,
      [{ file: 'runtime_settings.json', message: 'the database cannot be reached' }],
    ])
    isAway = false
    await settings.update({ threads: 4 })
    expect([settings.get('threads'), settings.problems()]).toEqual([4, []])
  })

  it('are not begun by a file that cannot be read', async () => {
    const { queries, dialect } = database()
    const documents = createSharedDocuments({ queries, dialect }, 'setting')
    await documents.remove('runtime_settings.json')
    await expect(open('seven', '{broken')).rejects.toThrow('runtime_settings.json')
  })
})
