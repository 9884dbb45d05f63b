import { SvcError } from '@svc/errors'
import { createDeferred, createFakeClock } from '@svc/test-kit'
import { describe, expect, it } from 'vitest'
import type { Principal } from '../../principal.ts'
import type { ServerRequest } from '../messages.ts'
import { createCachingAuthenticator } from './credential-cache.ts'

const ada: Principal = { kind: 'legacy', id: 'ada', name: 'Ada', role: 'user' }
const request = (key?: string): ServerRequest =>
  ({ headers: key === undefined ? {} : { authorization: `Bearer ${key}` }, url: '/' }) as unknown as ServerRequest

function world(maxKnown?: number) {
  const clock = createFakeClock()
  const asked: string[] = []
  const directory = new Map([['right', ada]])
  let gate: Promise<void> = Promise.resolve()
  const authenticator = createCachingAuthenticator({
    configured: () => true,
    async lookUp({ value }) {
      asked.push(value)
      await gate
      return value.startsWith('many') ? ada : directory.get(value)
    },
    clock,
    maxKnown,
  })
  return {
    clock,
    asked,
    directory,
    authenticator,
    hold() {
      const deferred = createDeferred<void>()
      gate = deferred.promise
      return deferred
    },
  }
}

describe('an authenticator that looks up', () => {
  it('tells a known caller at once, for a while', async () => {
    const { authenticator, asked, clock } = world()
    expect(await authenticator.authenticate(request('right'))).toBe(ada)
    expect(authenticator.authenticate(request('right'))).toBe(ada)
    expect(asked).toEqual(['right'])
    await clock.advance(30_000)
    expect(authenticator.authenticate(request('right'))).toBeInstanceOf(Promise)
  })

  it('never remembers a wrong credential, and asks nobody where there is none', async () => {
    const { authenticator, asked } = world()
    expect(await authenticator.authenticate(request('wrong'))).toBeUndefined()
    expect(await authenticator.authenticate(request('wrong'))).toBeUndefined()
    expect(authenticator.authenticate(request())).toBeUndefined()
    expect(asked).toEqual(['wrong', 'wrong'])
  })

  it('asks once for many requests at the same time', async () => {
    const { authenticator, asked, hold } = world()
    const gate = hold()
    const all = Array.from({ length: 50 }, async () => authenticator.authenticate(request('right')))
    gate.resolve()
    expect(new Set(await Promise.all(all))).toEqual(new Set([ada]))
    expect(asked).toEqual(['right'])
  })

  it('takes back what was asked before a key was revoked', async () => {
    const { authenticator, directory, hold } = world()
    const gate = hold()
    const late = authenticator.authenticate(request('right'))
    directory.clear()
    authenticator.forget()
    gate.resolve()
    await late
    expect(await authenticator.authenticate(request('right'))).toBeUndefined()
  })

  it('remembers no more than it may', async () => {
    const { authenticator, asked } = world(2)
    for (const key of ['many1', 'many2', 'many3']) await authenticator.authenticate(request(key))
    asked.length = 0
    for (const key of ['many3', 'many2', 'many1']) await authenticator.authenticate(request(key))
    expect(asked).toEqual(['many1'])
  })

  it('passes on that it cannot tell, and asks again', async () => {
    let isAway = true
    const away = new SvcError('unavailable', 'the database cannot be reached')
    const authenticator = createCachingAuthenticator({
      configured: () => true,
      lookUp: () => (isAway ? Promise.reject(away) : Promise.resolve(ada)),
      clock: createFakeClock(),
    })
    await expect(authenticator.authenticate(request('right'))).rejects.toBe(away)
    isAway = false
    expect(await authenticator.authenticate(request('right'))).toBe(ada)
  })
})
