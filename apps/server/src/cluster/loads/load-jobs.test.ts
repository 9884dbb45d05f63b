import { eventually } from '@svc/test-kit'
import { beforeAll, describe, expect, it } from 'vitest'
import { databasePlaces } from '../../db/__fixtures__/places.ts'
import { useDatabase } from './__fixtures__/use-database.ts'
import { createLoadJobs, type LoadTarget } from './load-jobs.ts'

const LONG = 60_000

describe.each(await databasePlaces())('loads on $name', ({ create }) => {
  const database = useDatabase(create)
  let jobs: ReturnType<typeof createLoadJobs>
  beforeAll(() => {
    jobs = createLoadJobs(database())
  })
  const target = (model: string, configRevision = 'r1'): LoadTarget => ({
    key: `${model}#0`,
    model,
    replicaIndex: 0,
    configRevision,
  })
  const claim = async (model: string, owner: string, leaseMs = LONG) =>
    (await jobs.claim(target(model), { owner, leaseMs })) ?? expect.unreachable()

  it('have one owner of many that ask at once', async () => {
    const owners = ['a', 'b', 'c', 'd', 'e']
    const claims = await Promise.all(owners.map((owner) => jobs.claim(target('one'), { owner, leaseMs: LONG })))
    expect(claims.filter((each) => each !== undefined)).toEqual([{ key: 'one#0', fence: expect.any(Number) }])
    expect((await jobs.get('one#0'))?.owner).toBe(owners[claims.findIndex((each) => each !== undefined)])
  })

  it('show their progress, and are gone when the model is loaded', async () => {
    const mine = await claim('two', 'a')
    const step = {
      state: 'staging',
      nodeId: 'n',
      nodeName: 'node',
      bytesSent: 1,
      totalBytes: 4,
      totalFiles: 2,
    } as const
    expect(await jobs.renew(mine, { leaseMs: LONG, step })).toBe(true)
    expect(await jobs.renew(mine, { leaseMs: LONG })).toBe(true)
    expect(await jobs.list('two')).toEqual([expect.objectContaining({ ...step, progress: 0.25, fileIndex: 0 })])
    expect(await jobs.finish(mine)).toBe(true)
    expect(await jobs.get('two#0')).toBeUndefined()
    expect(await jobs.finish(mine)).toBe(false)
  })

  it('of a server that went silent are taken over, and its late writes have no effect', async () => {
    const dead = await claim('three', 'a', 1)
    await jobs.renew(dead, { leaseMs: 1, step: { state: 'staging', nodeId: 'n', bytesSent: 3, totalBytes: 4 } })
    await eventually(async () => expect((await jobs.orphans()).map(({ key }) => key)).toContain('three#0'))
    const before = await jobs.get('three#0')
    const next = await claim('three', 'b')
    expect(next.fence).toBe(dead.fence + 1)
    expect(await jobs.get('three#0')).toMatchObject({
      owner: 'b',
      state: 'pending',
      bytesSent: 0,
      nodeId: undefined,
      startedAt: before?.startedAt,
    })
    expect([
      await jobs.renew(dead, { leaseMs: LONG }),
      await jobs.fail(dead, { error: 'late', tellMs: LONG }),
      await jobs.finish(dead),
    ]).toEqual([false, false, false])
    expect(await jobs.get('three#0')).toMatchObject({ owner: 'b', error: undefined })
    // Nor do they have one on a load that begins when the other has ended.
    await jobs.finish(next)
    await claim('three', 'c')
    expect(await jobs.fail(dead, { error: 'late', tellMs: LONG })).toBe(false)
    expect(await jobs.get('three#0')).toMatchObject({ owner: 'c', state: 'pending' })
  })

  it('tell a failure for a while; another revision does not wait for that', async () => {
    const first = await claim('four', 'a')
    expect(await jobs.fail(first, { error: 'the disk is full', tellMs: LONG })).toBe(true)
    expect(await jobs.get('four#0')).toMatchObject({ state: 'failed', error: 'the disk is full', owner: undefined })
    const [{ toldForMs = 0 } = {}] = await jobs.list('four')
    expect(toldForMs).toBeGreaterThan(LONG / 2)
    expect(toldForMs).toBeLessThanOrEqual(LONG)
    expect(await jobs.claim(target('four'), { owner: 'b', leaseMs: LONG })).toBeUndefined()
    const second = await jobs.claim(target('four', 'r2'), { owner: 'b', leaseMs: LONG })
    expect(second).toEqual({ key: 'four#0', fence: first.fence + 1 })
    await jobs.fail(second ?? expect.unreachable(), { error: 'x'.repeat(9000), tellMs: 0 })
    expect((await jobs.get('four#0'))?.error).toHaveLength(4000)
    expect(await jobs.claim(target('four', 'r2'), { owner: 'c', leaseMs: LONG })).toEqual({
      key: 'four#0',
      fence: first.fence + 2,
    })
    await jobs.fail(await claim('five', 'a'), { error: 'x', tellMs: 0 })
    expect(await jobs.removeOldFailures()).toBe(1)
  })
})
