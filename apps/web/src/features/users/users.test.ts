// @vitest-environment jsdom
import { describe, expect, it } from 'vitest'
import type { User } from '../../lib/users.ts'
import { readState } from './invites-api.ts'
import { readInvitesSearch, readUsersSearch } from './search.ts'
import { findExplicit, findFullest, selectUsers } from './user-list.ts'

function makeUser(name: string, more: Partial<User> = {}): User {
  return {
    id: name,
    name,
    email: `${name.toLowerCase()}@site.example`,
    avatarUrl: '',
    role: 'user',
    provider: 'local',
    permissions: {},
    status: 'active',
    createdAt: '2026-01-01T00:00:00Z',
    allowed_models: { enabled: false, models: [] },
    lastSeen: null,
    quotas: [],
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
  it('sorts by the time they were seen last, the unseen first', () => {
    const seen = [
      makeUser('Ann', { lastSeen: '2026-05-01T00:00:00Z' }),
      makeUser('Bob'),
      makeUser('Cid', { lastSeen: '2026-04-01T00:00:00Z' }),
    ]
    expect(selectUsers(seen, { sort: 'seen' }).map(({ name }) => name)).toEqual(['Bob', 'Cid', 'Ann'])
  })
  it.each([
    [[], undefined],
    [[[0, null, 0, null]], 0],
    [[[5, 10, 0, null]], 0.5],
    [[[5, 10, 90, 100]], 0.9],
    [[[0, 0, 0, null]], 1],
    [
      [
        [5, 10, 0, null],
        [30, 10, 0, null],
      ],
      3,
    ],
  ])('tell which quota is fullest: %j', (rows, share) => {
    const quotas = rows.map(([requests = 0, maxRequests = null, tokens = 0, maxTokens = null]) => ({
      id: 'q',
      model: '',
      window: '1d',
      resets_at: '2026-01-01T00:00:00Z',
      current_requests: Number(requests),
      max_requests: maxRequests,
      current_total_tokens: Number(tokens),
      max_total_tokens: maxTokens,
    }))
    expect(findFullest(quotas)?.share).toBe(share)
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
