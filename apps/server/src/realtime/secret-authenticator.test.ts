import { type Authentication, createLocalPrincipal, createSharedKeys, LEGACY_PRINCIPAL } from '@svc/auth'
import { createFakeClock } from '@svc/test-kit'
import { describe, expect, it } from 'vitest'
import type { ClientSecret } from './client-secrets.ts'
import { withClientSecrets } from './secret-authenticator.ts'

const VALUE = `ek_${'a'.repeat(64)}`
const headers = { authorization: `Bearer ${VALUE}` }
const user = { ...LEGACY_PRINCIPAL, kind: 'user', id: 'ada', role: 'user', via: 'api-key' } as const

function world(secret: Partial<ClientSecret> = {}, found: Partial<Authentication> | null = { principal: user }) {
  const clock = createFakeClock()
  const whole: ClientSecret = {
    maker: { kind: 'key', id: 'k1' },
    model: 'talk',
    session: {},
    expiresAt: clock.now() + 1000,
    ...secret,
  }
  const asked: unknown[] = []
  const passedOn: unknown[] = []
  const sharedKeys = createSharedKeys(['shared'])
  const authenticator = withClientSecrets(
    {
      isConfigured: whole.maker.kind !== 'local',
      authenticate(_headers, credentials) {
        passedOn.push(credentials)
        return { principal: createLocalPrincipal(), credential: undefined, isRotationDue: false, expiresAt: undefined }
      },
      async recheck({ principal }) {
        asked.push(principal.apiKey?.id ?? principal.sessionId)
        return (found ?? undefined) as Authentication | undefined
      },
    },
    {
      secrets: { find: async (value) => (value === VALUE ? whole : undefined), hashKey: (key) => `hash of ${key}` },
      sharedKeys,
      resolveModel: (name) => ({ talk: 'talk', chatter: 'talk', other: 'other' })[name],
      clock,
    },
  )
  return { authenticator, clock, asked, passedOn, sharedKeys }
}

describe('a client secret', () => {
  it('has the rights of its maker for its model and realtime routes', async () => {
    const { authenticator, asked } = world()
    const authentication = await authenticator.authenticate(headers)
    expect(authentication?.principal).toMatchObject({ id: 'ada', scopes: { routes: ['realtime'], models: ['talk'] } })
    expect(authentication?.credential?.value).toBe(VALUE)
    expect(asked).toEqual(['k1'])
  })

  it('widens no key that may less', async () => {
    const scopes = { routes: ['chat'], models: ['other'] }
    const { authenticator } = world({}, { principal: { ...user, scopes } })
    expect((await authenticator.authenticate(headers))?.principal.scopes).toEqual({ routes: [], models: [] })
  })

  it.each([
    ['chatter', ['talk'], ['chatter']],
    ['talk', ['other', 'chatter'], ['talk']],
    ['chatter', ['other'], []],
    ['gone', ['away'], []],
    ['gone', ['gone'], ['gone']],
  ])('for %s is covered by a key for %j as %j', async (model, scope, models) => {
    const scopes = { routes: undefined, models: scope }
    const { authenticator } = world({ model }, { principal: { ...user, scopes } })
    expect((await authenticator.authenticate(headers))?.principal.scopes?.models).toEqual(models)
  })

  it('ends with its maker, and opens nothing after its time; an open session goes on', async () => {
    expect(await world({}, null).authenticator.authenticate(headers)).toBeUndefined()
    const { authenticator, clock } = world()
    const authentication = (await authenticator.authenticate(headers)) as Authentication
    await clock.advance(1001)
    expect(await authenticator.authenticate(headers)).toBeUndefined()
    const { signal } = new AbortController()
    expect((await authenticator.recheck(authentication, { signal }))?.principal.id).toBe('ada')
  })

  it('of a shared key ends with the key', async () => {
    const { authenticator, sharedKeys } = world({ maker: { kind: 'shared', id: 'hash of shared' } })
    expect((await authenticator.authenticate(headers))?.principal.kind).toBe('legacy')
    sharedKeys.replace(['other'])
    expect(await authenticator.authenticate(headers)).toBeUndefined()
  })

  it('is limited on a server without auth too', async () => {
    const { authenticator } = world({ maker: { kind: 'local', id: '' } })
    expect((await authenticator.authenticate(headers))?.principal).toMatchObject({
      kind: 'local',
      scopes: { models: ['talk'] },
    })
    expect(await authenticator.authenticate({ authorization: `Bearer ek_${'b'.repeat(64)}` })).toBeUndefined()
  })
})

it('passes other credentials on as it read them', async () => {
  const { authenticator, passedOn } = world()
  expect(await authenticator.authenticate({ 'x-api-key': 'other' })).toMatchObject({ principal: { kind: 'local' } })
  expect(passedOn).toEqual([[{ carrier: 'x-api-key', value: 'other' }]])
})
