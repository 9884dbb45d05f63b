import { createLocalPrincipal, LEGACY_PRINCIPAL } from '@svc/auth'
import { expect, it } from 'vitest'
import { createRooms } from './rooms.ts'

const ada = { ...LEGACY_PRINCIPAL, kind: 'user', id: 'ada' } as const

it('the places of sessions are few for an account and for the process, and come back once', () => {
  const rooms = createRooms(() => ({ total: 3, perAccount: 1 }))
  const first = rooms.enter(ada)
  expect(() => rooms.enter(ada)).toThrow(expect.objectContaining({ kind: 'rate_limited', code: 'too_many_sessions' }))
  rooms.enter(createLocalPrincipal())
  rooms.enter(createLocalPrincipal())
  const bob = { ...ada, id: 'bob' }
  expect(() => rooms.enter(bob)).toThrow(expect.objectContaining({ kind: 'unavailable' }))
  first.leave()
  first.leave()
  expect(rooms.open).toBe(2)
  expect(rooms.enter(ada).memory.add(1000)).toBe(true)
})
