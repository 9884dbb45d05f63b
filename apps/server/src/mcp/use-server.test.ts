import { createFakeClock, eventually } from '@svc/test-kit'
import { expect, it } from 'vitest'
import type { McpServerSettings } from '../catalog/mcp-settings.ts'
import { quietLogger } from '../logging/quiet-logger.ts'
import { NEVER } from './__fixtures__/open-servers.ts'
import { serverFailed } from './failures.ts'
import type { Session } from './session.ts'
import { createSessionPool } from './session-pool.ts'
import { createToolSet, useServer } from './tool-set.ts'

const KEY = { group: 'm', id: 'one', server: 's' }

function world() {
  const clock = createFakeClock()
  const pool = createSessionPool({ maxSessions: 2, idleMs: 1000, clock })
  const ends: (() => void)[] = []
  const open = async (): Promise<Session> => {
    let failure: ReturnType<typeof serverFailed> | undefined
    const listeners: (() => void)[] = []
    const end = () => {
      failure ??= serverFailed('s', 'ended')
      for (const listener of listeners.splice(0)) listener()
    }
    ends.push(end)
    // A lease uses nothing else.
    return {
      failure: () => failure,
      onEnd: (one: () => void) => void listeners.push(one),
      close: async () => end(),
    } as unknown as Session
  }
  // Only leases are asked for.
  const server = useServer({ name: 's' } as McpServerSettings, (signal) => pool.lease(KEY, open, signal))
  return { clock, pool, ends, server }
}

it('calls side by side replace a session that has ended once, and all of it is given back', async () => {
  const { clock, pool, ends, server } = world()
  const first = await server.session(NEVER)
  ends[0]?.()
  const [one, two, three] = await Promise.all([1, 2, 3].map(() => server.session(NEVER)))
  expect(one).not.toBe(first)
  expect([two, three]).toEqual([one, one])
  server.release()
  await clock.advance(1000)
  await eventually(() => expect(pool.size).toBe(0))
})

it('gives no session to a call whose request is over', async () => {
  const { clock, pool, server } = world()
  const late = server.session(NEVER)
  server.release()
  await expect(late).rejects.toMatchObject({ kind: 'cancelled' })
  await clock.advance(1000)
  await eventually(() => expect(pool.size).toBe(0))
})

it('gives all sessions back where the tools of one cannot be listed for a fault of ours', async () => {
  const released: string[] = []
  const server = (name: string, session: () => Promise<Session>) => ({
    settings: { name } as McpServerSettings,
    session,
    release: () => void released.push(name),
  })
  const broken = server('a', () => Promise.reject(new TypeError('a fault')))
  const slow = server('b', () => new Promise(() => undefined))
  await expect(createToolSet([broken, slow], { signal: NEVER, logger: quietLogger })).rejects.toThrow('a fault')
  expect(released).toEqual(['a', 'b'])
})
