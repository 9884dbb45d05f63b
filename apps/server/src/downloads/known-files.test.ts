import { describe, expect, it } from 'vitest'
import { systemClock } from '../clock.ts'
import { databasePlaces, silentLogger } from '../db/__fixtures__/places.ts'
import { openDatabase } from '../db/open-database.ts'
import { createKnownFiles } from './known-files.ts'

const places = await databasePlaces()

describe.each(places)('known files on $name', ({ create }) => {
  it('are found by their content, the latest first, one row a path, and no more than the limit', async () => {
    const place = await create()
    let now = 1
    const clock = { ...systemClock, now: () => now++ }
    const database = await openDatabase({ ...place.options, appVersion: '1.0.0', logger: silentLogger, clock })
    const known = createKnownFiles({ database, clock, maxFiles: 3 })
    for (const [path, sha256] of [
      ['/a', 'one'],
      ['/b', 'one'],
      ['/a', 'two'],
      ['/c', 'one'],
    ] as const) {
      await known.add({ path, sha256 })
    }
    expect([await known.find('one'), await known.find('two'), await known.find('x')]).toEqual([
      ['/c', '/b'],
      ['/a'],
      [],
    ])
    await known.add({ path: '/d', sha256: 'one' })
    expect(await known.find('one')).toEqual(['/d', '/c'])
    expect([...(await known.list()).keys()].sort()).toEqual(['/a', '/c', '/d'])
    await known.remove(['/c', '/unknown'])
    expect(await known.find('one')).toEqual(['/d'])
    await database.close()
    await place.close()
  })
})
