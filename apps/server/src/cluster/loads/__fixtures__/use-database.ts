import { afterAll, beforeAll } from 'vitest'
import { systemClock } from '../../../clock.ts'
import { type DatabasePlace, silentLogger } from '../../../db/__fixtures__/places.ts'
import type { Database } from '../../../db/database.ts'
import { openDatabase } from '../../../db/open-database.ts'

/** Opens an empty database for the tests of a block. @returns gives it inside of a test or hook */
export function useDatabase(create: () => Promise<DatabasePlace>): () => Database {
  let opened: { readonly database: Database; readonly place: DatabasePlace } | undefined
  beforeAll(async () => {
    const place = await create()
    const options = { appVersion: '1.0.0', logger: silentLogger, clock: systemClock }
    opened = { database: await openDatabase({ ...options, ...place.options }), place }
  })
  afterAll(async () => {
    await opened?.database.close()
    await opened?.place.close()
  })
  return () => {
    if (opened === undefined) throw new Error('the database is not open yet')
    return opened.database
  }
}
