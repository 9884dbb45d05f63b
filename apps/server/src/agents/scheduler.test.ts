import { createFakeClock, eventually } from '@svc/test-kit'
import { describe, expect, it } from 'vitest'
import { systemClock } from '../clock.ts'
import { databasePlaces, silentLogger } from '../db/__fixtures__/places.ts'
import { openDatabase } from '../db/open-database.ts'
import { createJobStore, type JobStore } from './job-store.ts'
import { checkSchedule, findNextRun } from './schedule.ts'
import { createScheduler } from './scheduler.ts'
import type { TaskDraft } from './task.ts'
import { createTaskStore } from './task-store.ts'

const places = await databasePlaces()
const at = (text: string): number => Date.parse(text)

const DRAFT: TaskDraft = {
  ...{ name: 'n', description: '', model: 'm', prompt: 'Hello {{.who}}', enabled: true },
  ...{ cron: '0 9 * * *', cronTimezone: 'Europe/Berlin', cronMissed: 'skip' },
  cronParameters: { who: 'you' },
  mediaSources: [],
}

describe('times of a schedule', () => {
  it.each([
    ['0 9 * * *', '2026-03-28T12:00:00Z', '2026-03-29T07:00:00.000Z', 'the same wall time after clocks go forward'],
    ['30 2 * * *', '2026-03-28T12:00:00Z', '2026-03-29T01:30:00.000Z', 'a wall time that is left out runs later'],
    ['30 2 * * *', '2026-10-24T12:00:00Z', '2026-10-25T00:30:00.000Z', 'a wall time that comes twice'],
    ['30 2 * * *', '2026-10-25T00:30:00Z', '2026-10-26T01:30:00.000Z', 'runs the first time only'],
    ['@daily', '2026-01-01T12:00:00Z', '2026-01-01T23:00:00.000Z', 'a name'],
  ])('%s after %s is %s: %s', (cron, after, next) => {
    const found = findNextRun({ cron, cronTimezone: 'Europe/Berlin' }, at(after))
    expect(found === undefined ? undefined : new Date(found).toISOString()).toBe(next)
  })

  it.each(['* * * * * *', '61 * * * *', 'a b c d e', '0 0 31 2 *', `0 ${'0,'.repeat(200)}0 * * *`])(
    '%s is refused',
    (cron) => expect(() => checkSchedule({ cron, cronTimezone: 'UTC' }, 0)).toThrow(/invalid cron expression/),
  )
})

it.each(['0 0 30 2 *', '0 0 31 2,4,6,9,11 *'])('%s has no time to come', (cron) => {
  expect(() => checkSchedule({ cron, cronTimezone: 'Europe/Berlin' }, 0)).toThrow(/it has no time to come/)
})

describe.each(places)('the scheduler on $name', ({ create }) => {
  it('fires once with two servers, at the right times, and heeds missed ones', async () => {
    const place = await create()
    const options = { appVersion: '1.0.0', logger: silentLogger, clock: systemClock }
    const database = await openDatabase({ ...place.options, ...options })
    const clock = createFakeClock({ now: at('2026-03-27T10:00:00Z') })
    const refused = new Set<string>()
    const open = (server: string) => {
      const store = createJobStore({ database, server, clock })
      const jobs: JobStore = {
        ...store,
        insert: (draft, queries) =>
          refused.has(draft.taskId) ? Promise.reject(new Error('refused')) : store.insert(draft, queries),
      }
      const tasks = createTaskStore({ queries: database.queries, clock })
      const parts = { jobs, tasks, clock, logger: silentLogger, isOn: () => true, onJob: () => undefined }
      return { jobs, tasks, ...createScheduler(parts) }
    }
    const one = open('one')
    const { id } = await one.tasks.create(DRAFT, 'local')
    const other = open('other')
    const listJobs = () => one.jobs.list({ limit: 100 })
    const next = async () => (await one.tasks.get(id)).nextRunAt
    const wake = () => [one, other].map((each) => each.wake())

    const days = [
      ['2026-03-28T08:00:00Z', '2026-03-29T07:00:00Z'],
      ['2026-03-29T07:00:00Z', '2026-03-30T07:00:00Z'],
    ] as const
    for (const [index, [time, following]] of days.entries()) {
      expect(await next()).toBe(at(time))
      clock.setNow(at(time))
      wake()
      await eventually(async () => expect(await next()).toBe(at(following)))
      expect(await listJobs()).toHaveLength(index + 1)
      const [job] = await listJobs()
      expect(job).toMatchObject({ taskId: id, triggeredBy: 'cron', prompt: 'Hello you', status: 'pending' })
      await one.jobs.cancel(job?.id ?? '')
    }

    // Two days in which no server looked.
    clock.setNow(at('2026-04-01T10:00:00Z'))
    wake()
    await eventually(async () => expect(await next()).toBe(at('2026-04-02T07:00:00Z')))
    expect(await listJobs()).toHaveLength(2)
    await one.tasks.update(id, { ...DRAFT, cronMissed: 'once' })
    clock.setNow(at('2026-04-05T10:00:00Z'))
    wake()
    await eventually(async () => expect(await next()).toBe(at('2026-04-06T07:00:00Z')))
    expect(await listJobs()).toHaveLength(3)

    // A task that cannot be started keeps no other waiting, and tries again.
    const blocked = await one.tasks.create({ ...DRAFT, name: 'blocked', cron: '59 8 * * *' }, 'local')
    const nul = await one.tasks.create(
      { ...DRAFT, name: 'nul', prompt: 'a{{.who}}', cronParameters: { who: '\0' } },
      'local',
    )
    refused.add(blocked.id)
    const names = async () => (await listJobs()).map(({ taskId }) => taskId)
    clock.setNow(at('2026-04-06T07:00:00Z'))
    wake()
    await eventually(async () => expect(await names()).toContain(nul.id))
    expect(await names()).not.toContain(blocked.id)
    refused.clear()
    await eventually(async () => {
      await clock.advance(31_000)
      expect((await one.tasks.get(blocked.id)).nextRunAt).toBe(at('2026-04-07T06:59:00Z'))
    })

    await one.close()
    await other.close()
    await database.close()
    await place.close()
  })
})
