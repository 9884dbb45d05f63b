import type { SvcError } from '@svc/errors'
import { createDeferred, createFakeClock, eventually } from '@svc/test-kit'
import { expect, it } from 'vitest'
import { NEVER } from './__fixtures__/open-servers.ts'
import { serverFailed } from './failures.ts'
import type { Session } from './session.ts'
import { createSessionPool } from './session-pool.ts'

const KEY = { group: 'm', id: 'one', server: 's' }

/** A session without a server, whose end a test can cause. */
function fakeSession() {
  const listeners: (() => void)[] = []
  let failure: SvcError | undefined
  const end = (reason: SvcError) => {
    failure ??= reason
    for (const listener of listeners.splice(0)) listener()
  }
  const session = {
    failure: () => failure,
    onEnd: (listener: () => void) => void listeners.push(listener),
    close: async () => end(serverFailed('s', 'was closed')),
  }
  const fail = (reason: SvcError) => {
    failure ??= reason
  }
  // A pool uses nothing else.
  return { session: session as unknown as Session, end, fail, isOpen: () => failure === undefined }
}

function world({ maxSessions = 2 } = {}) {
  const clock = createFakeClock()
  const made: ReturnType<typeof fakeSession>[] = []
  const open = async () => {
    const next = fakeSession()
    made.push(next)
    return next.session
  }
  return { clock, made, open, pool: createSessionPool({ maxSessions, idleMs: 1000, clock }) }
}

it('shares a session, and closes it after its idle time', async () => {
  const { clock, made, open, pool } = world()
  const [one, two] = await Promise.all([pool.lease(KEY, open, NEVER), pool.lease(KEY, open, NEVER)])
  expect(made).toHaveLength(1)
  one.release()
  one.release()
  await clock.advance(5000)
  expect(made[0]?.isOpen()).toBe(true)
  two.release()
  await clock.advance(999)
  expect(pool.size).toBe(1)
  await clock.advance(1)
  expect(pool.size).toBe(0)
  await eventually(() => expect(made[0]?.isOpen()).toBe(false))
})

it('opens another session where the last one has failed and not ended yet', async () => {
  const { made, open, pool } = world()
  const first = await pool.lease(KEY, open, NEVER)
  const [dying] = made
  dying?.fail(serverFailed('s', 'died'))
  const [second, third] = await Promise.all([pool.lease(KEY, open, NEVER), pool.lease(KEY, open, NEVER)])
  expect([second.session, third.session]).toEqual([made[1]?.session, made[1]?.session])
  first.release()
  dying?.end(serverFailed('s', 'died'))
  expect(pool.size).toBe(1)
  expect(made[1]?.isOpen()).toBe(true)
})

it('makes room by the session that was unused longest, and refuses where all are in use', async () => {
  const { clock, made, open, pool } = world()
  const key = (id: string) => ({ ...KEY, id })
  const one = await pool.lease(key('1'), open, NEVER)
  const two = await pool.lease(key('2'), open, NEVER)
  await expect(pool.lease(key('3'), open, NEVER)).rejects.toMatchObject({ kind: 'unavailable', code: 'mcp_sessions' })
  two.release()
  await clock.advance(10)
  one.release()
  await pool.lease(key('3'), open, NEVER)
  await eventually(() => expect(made.map(({ isOpen }) => isOpen())).toEqual([true, false, true]))
})

it('ends retired sessions once nobody uses them, and keeps those that are named', async () => {
  const { made, open, pool } = world()
  const lease = await pool.lease(KEY, open, NEVER)
  pool.retire('other')
  pool.retire('m', new Set(['one']))
  lease.release()
  expect(pool.size).toBe(1)
  const again = await pool.lease(KEY, open, NEVER)
  pool.retire('m')
  expect(made[0]?.isOpen()).toBe(true)
  again.release()
  await eventually(() => expect(made[0]?.isOpen()).toBe(false))
  expect(pool.size).toBe(0)
})

it('pauses after the second failure in a row, longer each time, and forgets one of long ago', async () => {
  const { clock, made, open, pool } = world()
  const die = async () => {
    const lease = await pool.lease(KEY, open, NEVER)
    made.at(-1)?.end(serverFailed('s', 'died'))
    lease.release()
  }
  const paused = { kind: 'upstream_failed', code: 'mcp_server_paused' }
  await die()
  await die()
  await expect(pool.lease(KEY, open, NEVER)).rejects.toMatchObject(paused)
  await clock.advance(1000)
  await die()
  await clock.advance(1000)
  await expect(pool.lease(KEY, open, NEVER)).rejects.toMatchObject({ ...paused, retryAfterMs: 1000 })
  await clock.advance(1000)
  const lease = await pool.lease(KEY, open, NEVER)
  await clock.advance(60_000)
  made.at(-1)?.end(serverFailed('s', 'died'))
  lease.release()
  await expect(pool.lease(KEY, open, NEVER)).resolves.toBeDefined()
})

it('lets a caller leave while a session opens, and ends what is being opened when it closes', async () => {
  const { pool } = world()
  const opened = createDeferred<Session>()
  let cut: AbortSignal | undefined
  const open = (signal: AbortSignal) => {
    cut = signal
    return opened.promise
  }
  const leaving = new AbortController()
  const leasing = pool.lease(KEY, open, leaving.signal)
  leaving.abort()
  await expect(leasing).rejects.toMatchObject({ kind: 'cancelled' })
  expect(cut?.aborted).toBe(false)
  const closing = pool.close()
  expect(cut?.aborted).toBe(true)
  const late = fakeSession()
  opened.resolve(late.session)
  await closing
  expect(late.isOpen()).toBe(false)
  await expect(pool.lease(KEY, open, NEVER)).rejects.toMatchObject({ kind: 'unavailable' })
})
