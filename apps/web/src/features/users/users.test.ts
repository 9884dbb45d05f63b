// @vitest-environment jsdom
import { describe, expect, it } from 'vitest'
import type { User } from '../../lib/users.ts'
import { readState } from './invites-api.ts'
import { readInvitesSearch, readUsersSearch } from './search.ts'
import { findExplicit, selectUsers } from './user-list.ts'

function makeUser(name: string, more: Partial<User> = {}): User {
  return {
    ...{ id: name, name, email: `${name.toLowerCase()}@site.example`, avatarUrl: '', role: 'user', provider: 'local' },
    ...{ permissions: {}, status: 'active', createdAt: '2026-01-01T00:00:00Z' },
    allowed_models: { enabled: false, models: [] },
    ...more,
  }
}

describe('the list of users', () => {
  const users = [
    makeUser('Zoe', { createdAt: '2026-01-01T00:00:00Z', role: 'admin' }),
    makeUser('Ann', { createdAt: '2026-02-01T00:00:00Z' }),
    makeUser('Bob', { createdAt: '2026-03-01T00:00:00Z', status: 'disabled' }),
    makeUser('Cid', { status: 'pending' }),
  ]
  const names = (search: Parameters<typeof selectUsers>[1]) => selectUsers(users, search).map(({ name }) => name)

  it('has the oldest account first and no account that waits', () => {
    expect(names({})).toEqual(['Zoe', 'Ann', 'Bob'])
  })
  it('sorts by name both ways', () => {
    expect(names({ sort: 'name' })).toEqual(['Ann', 'Bob', 'Zoe'])
    expect(names({ sort: 'name', desc: true })).toEqual(['Zoe', 'Bob', 'Ann'])
  })
  it('finds every word in name and address', () => {
    expect(names({ q: 'site AN' })).toEqual(['Ann'])
  })
  it('filters by role and status', () => {
    expect(names({ role: 'admin' })).toEqual(['Zoe'])
    expect(names({ status: 'disabled' })).toEqual(['Bob'])
  })
})

describe('explicit permissions', () => {
  const features = [
    { key: 'chat', default: true },
    { key: 'agents', default: false },
  ]
  it('are those that differ from the defaults', () => {
    expect(findExplicit({ chat: true, agents: false }, features)).toEqual({})
    expect(findExplicit({ chat: false, agents: true }, features)).toEqual({ chat: false, agents: true })
  })
})

describe('search parameters', () => {
  it('turn wrong values into defaults', () => {
    expect(readUsersSearch({ role: 'boss', status: 1, sort: 'x', desc: 'yes', page: -1, q: 7, user: '' })).toEqual({
      q: '7',
    })
    expect(readInvitesSearch({ state: 'lost', page: 1.5 })).toEqual({})
  })
  it('keep what they know', () => {
    const search = { q: 'a', role: 'admin', status: 'active', sort: 'name', desc: true, page: 3, user: 'u1' }
    expect(readUsersSearch(search)).toEqual(search)
  })
})

describe('an invite', () => {
  const now = Date.parse('2026-06-01T00:00:00Z')
  it('waits until it is used or comes to its end', () => {
    expect(readState({ usedAt: null, expiresAt: '2026-06-02T00:00:00Z' }, now)).toBe('unused')
    expect(readState({ usedAt: null, expiresAt: '2026-06-01T00:00:00Z' }, now)).toBe('expired')
    expect(readState({ usedAt: '2026-05-01T00:00:00Z', expiresAt: '2026-05-02T00:00:00Z' }, now)).toBe('used')
  })
})
