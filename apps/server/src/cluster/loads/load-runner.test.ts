import { SvcError } from '@svc/errors'
import { createDeferred, createFakeClock, eventually } from '@svc/test-kit'
import { describe, expect, it } from 'vitest'
import { databasePlaces, silentLogger } from '../../db/__fixtures__/places.ts'
import { useDatabase } from './__fixtures__/use-database.ts'
import { createLoadJobs, type LoadTarget } from './load-jobs.ts'
import { createLoadRunner, type RunLoad } from './load-runner.ts'

const MINUTE_MS = 60_000
const target = (model: string): LoadTarget => ({ key: `${model}#0`, model, replicaIndex: 0, configRevision: 'r' })

describe.each(await databasePlaces())('the runner of loads on $name', ({ create }) => {
  const database = useDatabase(create)
  const createServer = (owner: string, run: RunLoad, clock = createFakeClock()) => {
    const jobs = createLoadJobs(database())
    const times = { installMs: MINUTE_MS, loadMs: MINUTE_MS }
    return {
      jobs,
      clock,
      ...createLoadRunner({ jobs, owner, run, ...times, onChange() {}, clock, logger: silentLogger }),
    }
  }
  const untilAbort: RunLoad = (_, { signal }) =>
    new Promise((_resolve, reject) => signal.addEventListener('abort', () => reject(signal.reason)))

  it('runs a load once, shows its progress, and forgets it when it is done', async () => {
    const done = createDeferred<void>()
    const one = createServer('one', async (_, { report }) => {
      report({ state: 'staging', bytesSent: 1, totalBytes: 2 })
      await done.promise
    })
    const two = createServer('two', untilAbort)
    expect(await one.start(target('m'))).toBe(true)
    expect(await two.start(target('m'))).toBe(false)
    await one.clock.advance(1000)
    await eventually(async () =>
      expect(await one.jobs.get('m#0')).toMatchObject({ owner: 'one', state: 'staging', progress: 0.5 }),
    )
    done.resolve()
    await eventually(async () => expect(await one.jobs.get('m#0')).toBeUndefined())
    await Promise.all([one.close(), two.close()])
  })

  it('leaves its loads to others when it closes', async () => {
    const one = createServer('one', untilAbort)
    await one.start(target('left'))
    await one.close()
    const two = createServer('two', async () => undefined)
    await eventually(async () => expect(await two.start(target('left'))).toBe(true))
    await eventually(async () => expect(await two.jobs.get('left#0')).toBeUndefined())
    await two.close()
  })

  it('leaves a load to others whose claim comes while it closes', async () => {
    const one = createServer('one', untilAbort)
    const begun = one.start(target('late')).catch((error: unknown) => error)
    await one.close()
    expect(await begun).toMatchObject({ code: 'shutting_down' })
    const two = createServer('two', async () => undefined)
    await eventually(async () => expect(await two.start(target('late'))).toBe(true))
    await two.close()
  })

  it('tells the cause of a failure, and of a load that takes too long', async () => {
    const failing = createServer('one', async () => Promise.reject(new Error('the backend has no such model')))
    await failing.start(target('failing'))
    await eventually(async () => expect((await failing.jobs.get('failing#0'))?.state).toBe('failed'))
    const full = createServer('one', () =>
      Promise.reject(new SvcError('unavailable', 'no healthy node', { code: 'no_healthy_node' })),
    )
    await full.start(target('full'))
    await full.close()
    // The model is not to blame: requests are refused only as long as there is no place for it.
    expect(await full.jobs.get('full#0')).toBeUndefined()
    const slow = createServer('one', untilAbort)
    await slow.start(target('slow'))
    await slow.clock.advance(24 * MINUTE_MS)
    expect((await slow.jobs.get('slow#0'))?.state).toBe('pending')
    await eventually(async () => {
      await slow.clock.advance(MINUTE_MS)
      expect(await slow.jobs.get('slow#0')).toMatchObject({ state: 'failed', error: 'the load takes too long' })
    })
    await Promise.all([failing.close(), slow.close()])
  })

  it('notes the end of a load when the database is back, and leaves one that the database ended to others', async () => {
    const one = createServer('one', untilAbort)
    let outages = 2
    const clock = createFakeClock()
    const whileAway =
      <Values extends readonly unknown[]>(call: (...values: Values) => Promise<boolean>) =>
      async (...values: Values): Promise<boolean> => {
        outages -= 1
        if (outages >= 0)
          throw new SvcError('unavailable', 'the database cannot be reached', { code: 'database_unavailable' })
        return call(...values)
      }
    const jobs = { ...one.jobs, finish: whileAway(one.jobs.finish), renew: whileAway(one.jobs.renew) }
    const ends = [
      async () => undefined,
      async () => Promise.reject(new SvcError('unavailable', 'away', { code: 'database_unavailable' })),
    ]
    for (const run of ends) {
      outages = 2
      const runner = createLoadRunner({
        jobs,
        owner: 'one',
        run,
        installMs: 1,
        loadMs: 1,
        onChange() {},
        clock,
        logger: silentLogger,
      })
      expect(await runner.start(target('away'))).toBe(true)
      const two = createServer('two', async () => undefined)
      expect(await two.start(target('away'))).toBe(false)
      await eventually(async () => {
        await clock.advance(1000)
        expect(await two.start(target('away'))).toBe(true)
      })
      await Promise.all([runner.close(), two.close()])
      await eventually(async () => expect(await one.jobs.get('away#0')).toBeUndefined())
    }
    await one.close()
  })
})
