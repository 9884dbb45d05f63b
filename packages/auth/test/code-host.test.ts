import { createCodeHostProvider } from '@svc/auth/oauth'
import { startCodeHost } from '@svc/test-kit'
import { describe, expect, it } from 'vitest'
import { CLIENT, createSignInWorld, REDIRECT_URI } from './sign-in-world.ts'
import { addUser, call } from './world.ts'

const ADA = {
  user: { id: 7, login: 'ada', name: 'Ada', email: 'public@site.example', avatar_url: 'https://pics.example/7' },
  emails: [
    { email: 'other@site.example', verified: true, primary: false },
    { email: 'Ada@Site.example', verified: true, primary: true },
  ],
}

async function startWorld(options: Parameters<typeof createSignInWorld>[0] = {}) {
  const host = await startCodeHost({ ...CLIENT, account: ADA })
  const { baseUrl, apiUrl } = host
  const provider = createCodeHostProvider({ ...CLIENT, redirectUri: REDIRECT_URI, baseUrl, apiUrl })
  const world = createSignInWorld(options)
  return {
    ...world,
    host,
    provider,
    run: (inviteCode?: string) => world.signInAt(provider, host.agree, inviteCode),
    [Symbol.asyncDispose]: () => host[Symbol.asyncDispose](),
  }
}

describe('a sign-in at the code host', () => {
  it('makes an account, and finds it again with its new name', async () => {
    await using world = await startWorld()
    const user = await world.run()
    expect(user).toMatchObject({
      provider: 'github',
      subject: '7',
      email: 'ada@site.example',
      emailVerified: true,
      role: 'admin',
      name: 'Ada',
      avatarUrl: 'https://pics.example/7',
      status: 'active',
    })
    world.host.account = { ...ADA, user: { ...ADA.user, name: null, avatar_url: 'javascript:alert(1)' } }
    expect(await world.run()).toMatchObject({ id: user.id, name: 'ada', avatarUrl: '' })
    expect(await world.countUsers()).toBe(1)
  })

  it('sends state, PKCE and the scopes, and nothing secret', async () => {
    await using world = await startWorld()
    const { url, browserToken } = await world.signIn.begin(world.provider, call)
    expect(Object.fromEntries(url.searchParams)).toMatchObject({
      client_id: 'client',
      response_type: 'code',
      redirect_uri: REDIRECT_URI,
      scope: 'read:user user:email',
      code_challenge_method: 'S256',
    })
    expect(url.searchParams.get('state')).toMatch(/^[0-9a-f]{64}$/)
    expect(url.href).not.toContain(browserToken)
    expect(url.href).not.toContain(CLIENT.clientSecret)
  })

  it('AU-10: needs the state of this browser, once, and within ten minutes', async () => {
    await using world = await startWorld()
    const { signIn, provider, host } = world
    const begin = async () => {
      const { url, browserToken } = await signIn.begin(provider, call)
      return { parameters: (await host.agree(url)).searchParams, browserTokens: [browserToken] }
    }
    const isRefused = async (callback: Parameters<typeof signIn.complete>[1]) =>
      expect(signIn.complete(provider, callback, call)).rejects.toMatchObject({
        kind: 'invalid_request',
        message: 'invalid OAuth state',
      })
    const [first, second] = [await begin(), await begin()]
    const forged = new URLSearchParams(first.parameters)
    forged.set('state', 'f'.repeat(64))
    const doubled = new URLSearchParams(first.parameters)
    doubled.append('state', first.parameters.get('state') ?? '')
    const none = new URLSearchParams(first.parameters)
    none.delete('state')
    for (const parameters of [forged, doubled, none]) await isRefused({ ...first, parameters })
    await isRefused({ ...first, browserTokens: [] })
    await isRefused({ ...first, browserTokens: second.browserTokens })
    expect(await world.countUsers()).toBe(0)
    await signIn.complete(provider, first, call)
    await isRefused(first)
    await world.clock.advance(10 * 60_000)
    await isRefused(second)
  })

  it('AU-10: of another provider does not end here', async () => {
    await using world = await startWorld()
    const { url, browserToken } = await world.signIn.begin({ ...world.provider, name: 'oidc' }, call)
    const { searchParams: parameters } = await world.host.agree(url)
    await expect(
      world.signIn.complete(world.provider, { parameters, browserTokens: [browserToken] }, call),
    ).rejects.toMatchObject({
      code: 'invalid_state',
    })
  })

  it('fails with an expired code, a code of somebody else, or none, and makes no account', async () => {
    await using world = await startWorld()
    const { signIn, provider, host } = world
    const begin = async () => {
      const { url, browserToken } = await signIn.begin(provider, call)
      return { parameters: (await host.agree(url)).searchParams, browserTokens: [browserToken] }
    }
    const expired = await begin()
    host.expireCodes()
    await expect(signIn.complete(provider, expired, call)).rejects.toMatchObject({
      kind: 'invalid_request',
      message: 'OAuth authentication failed',
    })
    const [mine, theirs] = [await begin(), await begin()]
    mine.parameters.set('code', theirs.parameters.get('code') ?? '')
    await expect(signIn.complete(provider, mine, call)).rejects.toMatchObject({ code: 'sign_in_failed' })
    const empty = await begin()
    empty.parameters.delete('code')
    await expect(signIn.complete(provider, empty, call)).rejects.toMatchObject({
      message: 'missing authorization code',
    })
    const denied = await begin()
    denied.parameters.set('error', 'access_denied')
    await expect(signIn.complete(provider, denied, call)).rejects.toMatchObject({ code: 'sign_in_denied' })
    expect(await world.countUsers()).toBe(0)
  })

  it('fails when the code host does not say who it is', async () => {
    await using world = await startWorld()
    world.host.apiStatus = 503
    await expect(world.run()).rejects.toMatchObject({ kind: 'upstream_failed', message: 'failed to fetch user info' })
    world.host.apiStatus = 200
    world.host.account = { ...ADA, user: { login: 'ada', id: '7; DROP' } }
    await expect(world.run()).rejects.toMatchObject({ code: 'sign_in_failed' })
    expect(await world.countUsers()).toBe(0)
  })

  it('AU-12: promotes nobody and merges with nobody by an address that is not verified', async () => {
    const email = 'boss@site.example'
    await using world = await startWorld({ mode: 'approval', admin: { email } })
    await addUser(world.stores, 'first@site.example')
    const local = await addUser(world.stores, email, { mode: 'open' })
    world.host.account = { ...ADA, emails: [{ email, verified: false, primary: true }] }
    await expect(world.run()).rejects.toMatchObject({ kind: 'forbidden', message: 'account pending approval' })
    const [, , waiting] = await world.stores.users.list({ limit: 10 }, call)
    expect(waiting).toMatchObject({ provider: 'github', role: 'user', status: 'pending', emailVerified: false })
    expect(await world.stores.users.findById(local.id, call)).toEqual(local)
    await world.accounts.setStatus(waiting?.id ?? '', { status: 'active', actorId: undefined }, call)
    expect(await world.run(), 'an account that is let in stays a user').toMatchObject({ role: 'user' })
    world.host.account = { ...ADA, emails: [{ email, verified: true, primary: true }] }
    expect(await world.run(), 'its address was never the configured one').toMatchObject({
      role: 'user',
      email: 'public@site.example',
    })
  })

  it('AU-12: promotes a verified address, a new one and a known one', async () => {
    const email = 'ada@site.example'
    await using world = await startWorld({ mode: 'invite', admin: { email } })
    await addUser(world.stores, 'first@site.example')
    expect(await world.run()).toMatchObject({ role: 'admin', status: 'active' })
    const { id } = await world.run()
    await world.stores.users.setRole(id, { role: 'user', now: 1 }, call)
    world.host.account = { ...ADA, emails: [{ email, verified: false, primary: true }] }
    expect(await world.run()).toMatchObject({ id, role: 'user' })
    world.host.account = ADA
    expect(await world.run()).toMatchObject({ id, role: 'admin' })
    expect(world.newAdmins).toEqual([`${email} admin`, `${email} admin`])
  })

  it('follows the modes of registration, with the invite of the cookie', async () => {
    await using world = await startWorld({ mode: 'invite' })
    await addUser(world.stores, 'first@site.example')
    await expect(world.run()).rejects.toMatchObject({ code: 'invite_required' })
    await expect(world.run('wrong')).rejects.toMatchObject({ code: 'invalid_invite' })
    const { code } = await world.invites.create({ createdBy: undefined }, call)
    expect(await world.run(code)).toMatchObject({ status: 'active', role: 'user', approved: true })
    expect(await world.invites.isValid(code, call)).toBe(false)
    expect(await world.run(), 'a known account needs none').toMatchObject({ subject: '7' })
  })

  it('is refused to a disabled account', async () => {
    await using world = await startWorld()
    await addUser(world.stores, 'first@site.example')
    const { id } = await world.run()
    await world.accounts.setStatus(id, { status: 'disabled', actorId: undefined }, call)
    await expect(world.run()).rejects.toMatchObject({ kind: 'forbidden', code: 'account_disabled' })
  })

  it('is bounded in number', async () => {
    await using world = await startWorld()
    const full = { ...world.stores.signIns, begin: async () => false }
    const { createSignIn } = await import('@svc/auth/oauth')
    const { stores, hasher, revocations, clock } = world
    const signIn = createSignIn({ users: stores.users, signIns: full, hasher, revocations, clock, mode: 'open' })
    await expect(signIn.begin(world.provider, call)).rejects.toMatchObject({ kind: 'rate_limited' })
  })
})

it.each(['http://code.example', 'ftp://127.0.0.1', 'nonsense'])(
  'an address %s of a code host is refused',
  (baseUrl) => {
    expect(() => createCodeHostProvider({ ...CLIENT, redirectUri: REDIRECT_URI, baseUrl })).toThrow(
      'createCodeHostProvider: baseUrl must be an https address, or http on this machine',
    )
  },
)
