import { createDeferred, createFakeClock } from '@svc/test-kit'
import { expect, it } from 'vitest'
import { type Pulse, watchClient } from './watched-client.ts'

const AWAY = { kind: 'unavailable', code: 'database_unavailable', retryAfterMs: 1000 }
const never = new Promise<never>(() => undefined)

/** A watched client whose server a test controls. Clients are numbers in the order of their making. */
function createWorld(pulse: Pulse = 'working') {
  const clock = createFakeClock()
  const world = { pulse, feel: async () => {}, asked: 0, dropped: [] as number[], lines: [] as string[] }
  let made = 0
  const log = (_: unknown, message: string) => void world.lines.push(message)
  const client = watchClient<number>({
    open() {
      made += 1
      return made
    },
    drop: async (dropped) => void world.dropped.push(dropped),
    async feelPulse() {
      world.asked += 1
      await world.feel()
      return world.pulse
    },
    clock,
    logger: { debug: log, info: log, warn: log, error: log },
  })
  return Object.assign(world, { clock, client })
}

/** Work that never ends, and its outcome: undefined while it waits. */
function startEndless({ client }: ReturnType<typeof createWorld>) {
  const outcome: { error?: unknown; beat?: () => void } = {}
  client
    .run((_, { beat }) => {
      outcome.beat = beat
      return never
    })
    .catch((error: unknown) => {
      outcome.error = error
    })
  return outcome
}

it('does not ask the server for work that ends soon', async () => {
  const world = createWorld('away')
  expect(await world.client.run(async (client) => client)).toBe(1)
  await expect(world.client.run(() => Promise.reject(new Error('no such table')))).rejects.toThrow('no such table')
  const slow = createDeferred<string>()
  const answer = world.client.run(() => slow.promise)
  await world.clock.advance(1900)
  slow.resolve('late')
  expect(await answer).toBe('late')
  await world.clock.advance(60_000)
  expect([world.asked, world.clock.sleepers]).toEqual([0, 0])
})

it('fails waiting work when the server does not answer, and new work at once until it does', async () => {
  const world = createWorld('away')
  const [first, second] = [startEndless(world), startEndless(world)]
  await world.clock.advance(2000)
  expect([first.error, second.error]).toMatchObject([AWAY, AWAY])
  expect(world.dropped).toEqual([1])
  let runs = 0
  await expect(
    world.client.run(async () => {
      runs += 1
    }),
  ).rejects.toMatchObject(AWAY)
  await world.clock.advance(30_000)
  expect([runs, world.dropped]).toEqual([0, [1]])
  world.pulse = 'working'
  await world.clock.advance(1000)
  expect(await world.client.run(async (client) => client)).toBe(2)
  expect(world.lines).toEqual(['the database does not answer', 'the database answers again'])
})

it('fails work of a client whose connections are dead, and goes on with another one', async () => {
  const world = createWorld('idle')
  const lost = startEndless(world)
  await world.clock.advance(2000)
  expect(lost.error).toBeUndefined()
  await world.clock.advance(1000)
  expect(lost.error).toMatchObject(AWAY)
  expect(await world.client.run(async (client) => client)).toBe(2)
  expect(world.dropped).toEqual([1])
})

it('waits for work that the server is busy with, for the time of one statement', async () => {
  const world = createWorld('working')
  const [one, many] = [startEndless(world), startEndless(world)]
  for (let statement = 0; statement < 5; statement += 1) {
    await world.clock.advance(30_000)
    many.beat?.()
    one.beat?.()
  }
  expect([one.error, many.error]).toEqual([undefined, undefined])
  await world.clock.advance(36_000)
  expect([one.error, many.error]).toMatchObject([AWAY, AWAY])
  expect(world.dropped).toEqual([1])
})

it('does not take a server for away that answers other work while it is asked', async () => {
  const world = createWorld('away')
  const slow = startEndless(world)
  const other = createDeferred<number>()
  const answered = world.client.run(() => other.promise)
  world.feel = async () => {
    other.resolve(5)
    await answered
  }
  await world.clock.advance(2000)
  expect([world.asked, slow.error, await answered]).toEqual([1, undefined, 5])
  await world.clock.advance(1000)
  expect([world.asked, slow.error]).toMatchObject([2, AWAY])
})

it('begins anew with each time that work waits', async () => {
  const world = createWorld('idle')
  for (let time = 1; time <= 3; time += 1) {
    const lost = startEndless(world)
    await world.clock.advance(4000)
    expect(lost.error).toMatchObject(AWAY)
  }
  expect(world.dropped).toEqual([1, 2, 3])
})

it('ends its watch when it is closed', async () => {
  const world = createWorld('away')
  startEndless(world)
  await world.clock.advance(2000)
  const closed: number[] = []
  await world.client.close(async (client) => void closed.push(client))
  expect([closed, world.clock.sleepers]).toEqual([[2], 0])
  expect(world.lines).toEqual(['the database does not answer'])
})

it('runs work that follows the client on each that takes its place, once the server answers', async () => {
  const world = createWorld('away')
  const runs: number[] = []
  let failures = 2
  await world.client.follow(async (client) => {
    if (client > 1 && failures > 0) {
      failures -= 1
      throw new Error('not yet')
    }
    runs.push(client)
  })
  startEndless(world)
  await world.clock.advance(10_000)
  expect([world.dropped, runs]).toEqual([[1], [1]])
  world.pulse = 'working'
  await world.clock.advance(1000)
  expect(runs).toEqual([1])
  await world.clock.advance(5000)
  expect(runs).toEqual([1, 2])
  world.pulse = 'idle'
  startEndless(world)
  await world.clock.advance(10_000)
  expect([world.dropped, runs]).toEqual([
    [1, 2],
    [1, 2, 3],
  ])
  await world.client.close(async () => undefined)
})
