import { createFakeClock, eventually } from '@svc/test-kit'
import { expect, it } from 'vitest'
import { NEVER } from './__fixtures__/open-servers.ts'
import { createNamedSessions } from './named-sessions.ts'
import type { Session } from './session.ts'

const toKey = (id: string) => ({ group: id, id, server: 's' })

function world() {
  const sessions = createNamedSessions({ maxSessions: 3, maxOfCaller: 2, clock: createFakeClock() })
  const ended: string[] = []
  const take = (caller: string, id: string) => {
    const open = async () =>
      // A pool uses nothing else.
      ({
        failure: () => undefined,
        onEnd: () => undefined,
        close: async () => void ended.push(id),
      }) as unknown as Session
    return sessions.lease(caller, { key: toKey(id), open }, NEVER)
  }
  return { sessions, ended, take }
}

it('ends a session that is given back, and bounds those of one caller', async () => {
  const { sessions, ended, take } = world()
  const first = await take('a', '1')
  await take('a', '2')
  await expect(take('a', '3')).rejects.toMatchObject({ kind: 'rate_limited', code: 'mcp_sessions' })
  await take('b', '4')
  first.release()
  first.release()
  await eventually(() => expect(ended).toEqual(['1']))
  await take('a', '5')
  expect(sessions.size).toBe(3)
  await sessions.close()
  expect(ended).toEqual(['1', '2', '4', '5'])
})

it('ends the opening when its caller leaves', async () => {
  const { sessions, take } = world()
  const leaving = new AbortController()
  const open = (cut: AbortSignal) =>
    new Promise<Session>((_, reject) => cut.addEventListener('abort', () => reject(new Error('cut'))))
  const waiting = [1, 2].map((id) => sessions.lease('a', { key: toKey(`${id}`), open }, leaving.signal))
  leaving.abort()
  for (const one of waiting) await expect(one).rejects.toMatchObject({ kind: 'cancelled' })
  await eventually(() => expect(sessions.size).toBe(0))
  await take('a', '3')
  await sessions.close()
})
