import { createFakeClock } from '@svc/test-kit'
import { describe, expect, it } from 'vitest'
import { systemClock } from '../clock.ts'
import { databasePlaces, silentLogger } from '../db/__fixtures__/places.ts'
import { openDatabase } from '../db/open-database.ts'
import type { DatabaseQueries } from '../db/queries.ts'
import type { TaskDraft } from './task.ts'
import { createTaskStore } from './task-store.ts'

const places = await databasePlaces()
const at = (text: string): number => Date.parse(text)

const DRAFT: TaskDraft = {
  ...{ name: 'n', description: '', model: 'm', prompt: 'Hello', enabled: true },
  ...{ cron: '0 9 * * *', cronTimezone: 'UTC', cronMissed: 'skip' },
  cronParameters: {},
  mediaSources: [],
}

describe.each(places)('tasks on $name', ({ create }) => {
  it('are not due once another server has moved them, while they are read', async () => {
    const place = await create()
    const options = { appVersion: '1.0.0', logger: silentLogger, clock: systemClock }
    const database = await openDatabase({ ...place.options, ...options })
    const clock = createFakeClock({ now: at('2026-03-27T10:00:00Z') })
    const other = createTaskStore({ queries: database.queries, clock })
    const task = await other.create(DRAFT, 'local')
    const due = at('2026-03-28T09:00:00Z')
    let reads = 0
    const queries: DatabaseQueries = {
      ...database.queries,
      async rows(build) {
        const rows = await database.queries.rows(build)
        reads += 1
        if (reads === 1) await other.advance(task, at('2026-03-29T09:00:00Z'), async () => undefined)
        return rows
      },
    }
    expect(await createTaskStore({ queries, clock }).listDue(due, [])).toEqual([])
    expect(reads).toBe(2)
    await database.close()
    await place.close()
  })
})
