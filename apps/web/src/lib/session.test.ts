// @vitest-environment jsdom
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { queryClient } from './query-client.ts'
import { endSession, type Session, sessionQuery, wasInside } from './session.ts'

const user = { id: '1', email: 'a@b.c', name: 'A', avatarUrl: '', role: 'admin', provider: 'local', permissions: {} }
let status: Record<string, unknown>
let calls: string[]

beforeEach(() => {
  calls = []
  vi.stubGlobal('fetch', async (request: Request) => {
    const { pathname } = new URL(request.url)
    calls.push(`${request.method} ${pathname}`)
    if (pathname === '/api/auth/logout') status = { ...status, user: null }
    return new Response(JSON.stringify(pathname === '/api/auth/status' ? status : { message: 'logged out' }), {
      headers: { 'content-type': 'application/json' },
    })
  })
})

afterEach(() => {
  queryClient.clear()
  localStorage.clear()
  vi.unstubAllGlobals()
})

const read = (more: Record<string, unknown>): Promise<Session> => {
  const base = { authEnabled: true, staticApiKeyRequired: false, providers: ['local'], hasUsers: true, user: null }
  status = { ...base, registrationMode: 'open', ...more }
  return queryClient.fetchQuery({ ...sessionQuery, staleTime: 0 })
}

describe('the viewer', () => {
  it.each([
    ['anonymous', {}],
    ['account', { user }],
    ['keys', { user: { ...user, provider: '' } }],
    ['anonymous', { authEnabled: false, staticApiKeyRequired: true }],
    ['open', { authEnabled: false }],
  ])('is %s for %j', async (kind, more) => {
    expect((await read(more)).viewer.kind).toBe(kind)
    expect(wasInside()).toBe(kind !== 'anonymous')
  })
})

describe('signing out', () => {
  it('keeps the data of the page until it is left, then forgets it', async () => {
    await read({ user })
    queryClient.setQueryData(['users'], ['secret'])
    let seen: unknown
    await endSession(async () => {
      seen = queryClient.getQueryData(['users'])
    })
    expect(seen).toEqual(['secret'])
    expect(queryClient.getQueryData(['users'])).toBeUndefined()
    expect(queryClient.getQueryData(sessionQuery.queryKey)?.viewer.kind).toBe('anonymous')
    expect(calls).toEqual(['GET /api/auth/status', 'POST /api/auth/logout', 'GET /api/auth/status'])
  })
})
