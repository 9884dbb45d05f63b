import { createOidcProvider, endSessionsByToken } from '@svc/auth/oauth'
import { type HostileIssuer, startHostileIssuer } from '@svc/test-kit'
import { SignJWT } from 'jose'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { CLIENT, createSignInWorld, createTokenClock, REDIRECT_URI } from './sign-in-world.ts'
import { call } from './world.ts'

const { clientId } = CLIENT
const ADA = { sub: 'ada', email: 'ada@site.example', email_verified: true, name: 'Ada', sid: 'session-7' }
const EVENT = 'http://schemas.openid.net/event/backchannel-logout'
const now = (): number => Math.floor(Date.now() / 1000)

let issuer: HostileIssuer
beforeAll(async () => {
  issuer = await startHostileIssuer({ clientId, account: ADA })
})
afterAll(() => issuer[Symbol.asyncDispose]())

/** Ada with two sessions that sessions at the issuer have begun. */
async function createWorld() {
  const world = createSignInWorld()
  const clock = createTokenClock()
  const provider = createOidcProvider({ ...CLIENT, issuer: issuer.issuer, redirectUri: REDIRECT_URI, clock })
  const user = await world.signInAt(provider, issuer.agree)
  const begin = (providerSession: string | undefined) =>
    world.sessions.begin({ userId: user.id, providerSession }, call)
  const [one, two] = [await begin('session-7'), await begin('session-8')]
  const { stores, sessions, hasher } = world
  const parts = { provider, users: stores.users, usedTokens: stores.usedTokens, sessions, hasher, clock }
  const claims = {
    iss: issuer.issuer,
    aud: clientId,
    iat: now(),
    exp: now() + 120,
    sub: 'ada',
    events: { [EVENT]: {} },
  }
  let tokens = 0
  return {
    world,
    parts,
    claims,
    begin,
    endBy: (token: string) => endSessionsByToken(token, parts, call),
    /** A new token with other claims. */
    async sign(changes: object = {}, typ: string | undefined = 'logout+jwt') {
      tokens += 1
      const header = typ === undefined ? {} : { typ }
      return issuer.sign({ ...claims, jti: `token-${tokens}`, ...changes }, header)
    },
    alive: async () =>
      (await Promise.all([one, two].map(({ token }) => world.authenticate({ cookie: `session=${token}` })))).map(
        (found) => found !== undefined,
      ),
  }
}

type Broken = readonly [string, object]

const BROKEN: readonly Broken[] = [
  ['a nonce', { nonce: 'n' }],
  ['an empty nonce', { nonce: '' }],
  ['no events', { events: undefined }],
  ['another event', { events: { 'http://schemas.openid.net/event/other': {} } }],
  ['empty events', { events: {} }],
  ['events in words', { events: 'logout' }],
  ['events in a list', { events: [EVENT] }],
  ['an event that is not an object', { events: { [EVENT]: true } }],
  ['another audience', { aud: 'other' }],
  ['more audiences', { aud: [clientId, 'other'] }],
  ['no audience', { aud: undefined }],
  ['another issuer', { iss: 'https://evil.example' }],
  ['no issuer', { iss: undefined }],
  ['a time long ago', { iat: now() - 600 }],
  ['a time to come', { iat: now() + 120 }],
  ['no time', { iat: undefined }],
  ['a time in words', { iat: 'now' }],
  ['an expiry that is over', { exp: now() - 61 }],
  ['neither subject nor session', { sub: undefined }],
  ['an empty subject', { sub: '' }],
  ['a subject that is a number', { sub: 7 }],
  ['an empty session', { sid: '' }],
  ['a session that is a number', { sid: 7 }],
  ['no id', { jti: undefined }],
  ['an empty id', { jti: '' }],
  ['an id that is a number', { jti: 7 }],
  ['an endless id', { jti: 'x'.repeat(2000) }],
]

describe('a logout token', () => {
  it.each(BROKEN)('with %s ends nothing', async (_, changes) => {
    const { sign, endBy, alive } = await createWorld()
    await expect(endBy(await sign(changes))).rejects.toMatchObject({
      kind: 'invalid_request',
      code: 'invalid_logout_token',
      message: 'the logout token does not hold',
    })
    expect(await alive()).toEqual([true, true])
  })

  it('of another type, another key or no form ends nothing', async () => {
    const { claims, sign, endBy, alive } = await createWorld()
    const shared = new SignJWT({ ...claims, jti: 'j' }).setProtectedHeader({ alg: 'HS256', typ: 'logout+jwt' })
    const tokens = [
      await sign({}, 'at+jwt'),
      await sign({}, 'secevent+jwt'),
      await shared.sign(new TextEncoder().encode(CLIENT.clientSecret.padEnd(32, '.'))),
      (await sign()).replace(/\.[^.]+$/, '.AAAA'),
      ...['', 'token', 'a.b.c', 'x'.repeat(100_000)],
    ]
    for (const token of tokens)
      await expect(endBy(token), token.slice(0, 40)).rejects.toMatchObject({ code: 'invalid_logout_token' })
    expect(await alive()).toEqual([true, true])
  })

  it('ends the session that it names, or all of a person, and no others', async () => {
    const { sign, endBy, alive, begin } = await createWorld()
    expect(await endBy(await sign({ sub: 'somebody' }))).toBe(0)
    expect(await endBy(await sign({ sub: 'somebody', sid: 'session-7' }))).toBe(0)
    expect(await endBy(await sign({ sid: 'unknown' }))).toBe(0)
    expect(await alive()).toEqual([true, true])
    expect(await endBy(await sign({ sid: 'session-7' }))).toBe(1)
    expect(await alive()).toEqual([false, true])
    expect(await endBy(await sign({ sub: undefined, sid: 'session-8' }))).toBe(1)
    await begin('session-9')
    await begin(undefined)
    expect(await endBy(await sign())).toBe(2)
  })

  it.each([undefined, 'JWT', 'logout+jwt', 'Logout+JWT'])('may have the type %s, and no expiry', async (typ) => {
    const { sign, endBy } = await createWorld()
    expect(await endBy(await sign({ exp: undefined }, typ))).toBe(2)
  })

  it('names a long session as the sign-in keeps it', async () => {
    const sid = 's'.repeat(400)
    const { parts, sign, world } = await createWorld()
    issuer.account = { ...ADA, sid }
    const { url, browserToken } = await world.signIn.begin(parts.provider, call)
    const { searchParams: parameters } = await issuer.agree(url)
    const signedIn = await world.signIn.complete(parts.provider, { parameters, browserTokens: [browserToken] }, call)
    issuer.account = ADA
    await world.sessions.begin({ userId: signedIn.user.id, providerSession: signedIn.providerSession }, call)
    expect(await endSessionsByToken(await sign({ sid }), parts, call)).toBe(1)
  })

  it('holds once: a replay does not end the session that comes after it', async () => {
    const { sign, endBy, begin, world } = await createWorld()
    const token = await sign()
    expect(await endBy(token)).toBe(2)
    const { token: next } = await begin('session-10')
    for (const replay of [token, token])
      await expect(endBy(replay)).rejects.toMatchObject({
        code: 'invalid_logout_token',
        cause: { message: 'the token was used before' },
      })
    expect(await world.authenticate({ cookie: `session=${next}` })).toBeDefined()
  })

  it('may come again when the sessions could not be ended', async () => {
    const { sign, parts } = await createWorld()
    const away = { ...parts, sessions: { ...parts.sessions, endOthers: async () => Promise.reject(new Error('away')) } }
    const token = await sign()
    await expect(endSessionsByToken(token, away, call)).rejects.toThrow('away')
    expect(await endSessionsByToken(token, parts, call)).toBe(2)
  })

  it('cannot be looked at while the issuer is away, which is no verdict', async () => {
    const { sign, world } = await createWorld()
    issuer.down = ['/keys']
    const clock = createTokenClock()
    const provider = createOidcProvider({ ...CLIENT, issuer: issuer.issuer, redirectUri: REDIRECT_URI, clock })
    const { stores, sessions, hasher } = world
    const parts = { provider, users: stores.users, usedTokens: stores.usedTokens, sessions, hasher, clock }
    const token = await sign()
    await expect(endSessionsByToken(token, parts, call)).rejects.toMatchObject({ kind: 'unavailable' })
    issuer.down = []
    expect(await endSessionsByToken(token, parts, call)).toBe(2)
  })
})
