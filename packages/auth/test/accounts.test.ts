import { createPasswords, type Passwords } from '@svc/auth/accounts'
import { hash as hashBcrypt } from 'bcrypt'
import { describe, expect, it, vi } from 'vitest'
import { createServices } from './service-world.ts'
import { addUser, call } from './world.ts'

const PASSWORD = 'violet-Marble 92 otter'
const HOUR = 3_600_000

describe('registering', () => {
  it('makes the first account an admin, in every mode', async () => {
    for (const mode of ['open', 'approval', 'invite'] as const) {
      const { accounts } = createServices({ mode })
      const form = { email: '  Ada@Site.EXAMPLE ', password: PASSWORD }
      expect(await accounts.register(form, call)).toMatchObject({
        kind: 'active',
        user: { email: 'ada@site.example', name: 'ada@site.example', role: 'admin', provider: 'local' },
      })
    }
  })

  it('AU-2: answers alike for a free and a taken address where admins approve', async () => {
    const { accounts, stores } = createServices({ mode: 'approval' })
    await addUser(stores, 'first@site.example')
    const form = { email: 'ada@site.example', password: PASSWORD }
    expect(await accounts.register(form, call)).toEqual({ kind: 'pending' })
    expect(await accounts.register({ ...form, password: 'another Marble 77 heron' }, call)).toEqual({ kind: 'pending' })
    expect(await stores.users.list({ limit: 10 }, call)).toHaveLength(2)
  })

  it('begins nothing for a taken address where accounts are open', async () => {
    const { accounts, stores } = createServices()
    await addUser(stores, 'ada@site.example')
    const form = { email: 'ada@site.example', password: PASSWORD }
    expect(await accounts.register(form, call)).toEqual({ kind: 'processed' })
    await expect(accounts.login(form, call)).rejects.toMatchObject({ kind: 'unauthenticated' })
  })

  it('AU-2: tells nobody without a valid invite which addresses are taken', async () => {
    const { accounts, invites, stores } = createServices({ mode: 'invite' })
    await addUser(stores, 'taken@site.example')
    const attempt = (name: string, inviteCode?: string) =>
      accounts
        .register({ email: `${name}@site.example`, password: PASSWORD, inviteCode }, call)
        .catch((error: unknown) => error)
    for (const inviteCode of [undefined, '', 'wrong', 'f'.repeat(64)]) {
      const free = await attempt('free', inviteCode)
      expect(free).toMatchObject({ kind: 'invalid_request' })
      expect(await attempt('taken', inviteCode)).toEqual(free)
    }
    const { code } = await invites.create({ createdBy: undefined }, call)
    expect(await attempt('taken', code)).toEqual({ kind: 'processed' })
    expect(await invites.isValid(code, call)).toBe(true)
  })

  it('AU-2: refuses a code that does not hold where admins approve, for free and taken addresses alike', async () => {
    // many attempts, so their hashes cost nothing
    const passwords: Passwords = { ...createPasswords(), check: async () => PASSWORD, hash: async () => 'hash' }
    const { accounts, invites, stores, clock } = createServices({ mode: 'approval', passwords })
    await addUser(stores, 'first@site.example')
    await addUser(stores, 'taken@site.example')
    const attempt = (name: string, inviteCode: unknown) =>
      accounts
        .register({ email: `${name}@site.example`, password: PASSWORD, inviteCode }, call)
        .catch((error: unknown) => error)
    const expired = await invites.create({ createdBy: undefined, expiresInHours: 1 }, call)
    await clock.advance(HOUR)
    const used = await invites.create({ createdBy: undefined }, call)
    expect(await attempt('guest', used.code)).toMatchObject({ kind: 'active' })
    const revoked = await invites.create({ createdBy: undefined }, call)
    await invites.revoke(revoked.id, call)
    const codes = [expired.code, used.code, revoked.code, used.code.toUpperCase(), 'f'.repeat(64), 'x', 7, {}, [], true]
    for (const code of codes) {
      const free = await attempt('free', code)
      expect(free, String(code)).toMatchObject({ kind: 'invalid_request', message: 'invalid or expired invite code' })
      expect(await attempt('taken', code)).toEqual(free)
    }
    expect(await stores.users.list({ limit: 10 }, call)).toHaveLength(3)
    for (const none of [undefined, null, '', '  '])
      for (const name of ['free', 'taken']) expect(await attempt(name, none)).toEqual({ kind: 'pending' })
  })

  it('takes an invite once', async () => {
    const { accounts, invites, stores } = createServices({ mode: 'invite' })
    await addUser(stores, 'first@site.example')
    const { code } = await invites.create({ createdBy: undefined, expiresInHours: 1 }, call)
    const form = { email: 'ada@site.example', password: PASSWORD }
    await expect(accounts.register(form, call)).rejects.toMatchObject({
      kind: 'invalid_request',
      message: 'an invite code is required to register',
    })
    for (const inviteCode of ['wrong', 'f'.repeat(64)])
      await expect(accounts.register({ ...form, inviteCode }, call)).rejects.toMatchObject({
        message: 'invalid or expired invite code',
      })
    expect(await invites.isValid(code, call)).toBe(true)
    expect(await accounts.register({ ...form, inviteCode: code }, call)).toMatchObject({ kind: 'active' })
    expect(await invites.isValid(code, call)).toBe(false)
    await expect(
      accounts.register({ ...form, email: 'bob@site.example', inviteCode: code }, call),
    ).rejects.toMatchObject({ message: 'invalid or expired invite code' })
  })

  it('takes nothing but what the form is for', async () => {
    const { accounts, stores } = createServices()
    await addUser(stores, 'first@site.example')
    const form = {
      email: 'a@site.example',
      password: PASSWORD,
      role: 'admin',
      status: 'active',
      id: 'x',
      approved: true,
    }
    const result = await accounts.register(form, call)
    expect(result).toMatchObject({ kind: 'active', user: { role: 'user', approved: false } })
    expect(result.kind === 'active' && result.user.id).not.toBe('x')
  })

  it.each([
    [undefined, 'email is required'],
    ['', 'email is required'],
    [7, 'email is required'],
    ['ada', 'invalid email address'],
    ['a@b@c', 'invalid email address'],
    ['ada@site.example\0', 'invalid email address'],
    ['a b@site.example', 'invalid email address'],
    [`${'a'.repeat(1_000_000)}@site.example`, 'invalid email address'],
  ])('refuses the address %j', async (email, message) => {
    const { accounts } = createServices()
    await expect(accounts.register({ email, password: PASSWORD }, call)).rejects.toMatchObject({
      kind: 'invalid_request',
      message,
    })
  })
})

describe('the configured admin', () => {
  const email = 'Boss@Site.example'

  it('passes every gate, in any case', async () => {
    const { accounts, stores } = createServices({ mode: 'invite', admin: { email } })
    await addUser(stores, 'first@site.example')
    const form = { email: 'bOSS@site.example', password: PASSWORD }
    expect(await accounts.register(form, call)).toMatchObject({ kind: 'active', user: { role: 'admin' } })
  })

  it('is promoted at the next sign-in, and demoted by none', async () => {
    const admins: string[] = []
    const { accounts, stores } = createServices({
      admin: { email: 'boss@site.example' },
      onNewAdmin: ({ email: address, role }) => admins.push(`${address} ${role}`),
    })
    await accounts.register({ email: 'first@site.example', password: PASSWORD }, call)
    const { accounts: before } = createServices({ stores })
    await before.register({ email: 'boss@site.example', password: PASSWORD }, call)
    expect(await accounts.login({ email, password: PASSWORD }, call)).toMatchObject({ role: 'admin' })
    expect(await accounts.login({ email: 'first@site.example', password: PASSWORD }, call)).toMatchObject({
      role: 'admin',
    })
    await accounts.login({ email, password: PASSWORD }, call)
    await accounts.register({ email: 'later@site.example', password: PASSWORD }, call)
    expect(admins).toEqual(['first@site.example admin', 'boss@site.example admin'])
  })

  it('of a strict rule needs an approval', async () => {
    const { accounts, stores } = createServices({ mode: 'approval', admin: { email, isStrict: true } })
    await addUser(stores, 'first@site.example')
    const form = { email, password: PASSWORD }
    expect(await accounts.register(form, call)).toEqual({ kind: 'pending' })
    const waiting = (await stores.users.list({ limit: 10 }, call)).at(-1)
    await accounts.setStatus(waiting?.id ?? '', { status: 'active', actorId: undefined }, call)
    expect(await accounts.login(form, call)).toMatchObject({ role: 'admin' })
  })
})

describe('signing in', () => {
  it('AU-2: does the same work for unknown addresses, wrong passwords and accounts without a password', async () => {
    const work: string[] = []
    const passwords = createPasswords()
    const watched: Passwords = {
      ...passwords,
      verify(password, hash, options) {
        work.push(hash === undefined ? 'nobody' : 'somebody')
        return passwords.verify(password, hash, options)
      },
    }
    const { accounts, stores } = createServices({ passwords: watched })
    await accounts.register({ email: 'ada@site.example', password: PASSWORD }, call)
    await addUser(stores, 'bob@site.example', { user: { provider: 'oidc', subject: '1' }, passwordHash: undefined })
    for (const email of ['ada@site.example', 'bob@site.example', 'eve@site.example'])
      await expect(accounts.login({ email, password: 'wrong' }, call)).rejects.toMatchObject({
        kind: 'unauthenticated',
        message: 'invalid email or password',
      })
    expect(work).toEqual(['somebody', 'nobody', 'nobody'])
  })

  it.each([
    [{ email: '', password: 'x' }],
    [{ email: 'a@site.example', password: '' }],
    [{ email: 'a@site.example', password: undefined }],
    [{ email: {}, password: [] }],
  ])('needs both fields: %j', async (form) => {
    const { accounts } = createServices()
    await expect(accounts.login(form, call)).rejects.toMatchObject({
      kind: 'invalid_request',
      message: 'email and password are required',
    })
  })

  it('is refused to accounts that wait or are disabled, once the password is right', async () => {
    const { accounts, stores } = createServices({ mode: 'approval' })
    await accounts.register({ email: 'first@site.example', password: PASSWORD }, call)
    const form = { email: 'ada@site.example', password: PASSWORD }
    await accounts.register(form, call)
    await expect(accounts.login(form, call)).rejects.toMatchObject({
      kind: 'forbidden',
      message: 'account pending admin approval',
    })
    await expect(accounts.login({ ...form, password: 'wrong' }, call)).rejects.toMatchObject({
      kind: 'unauthenticated',
    })
    const { id } = (await stores.users.findLocal('ada@site.example', call))?.user ?? expect.fail()
    await accounts.setStatus(id, { status: 'active', actorId: 'first' }, call)
    expect(await accounts.login(form, call)).toMatchObject({ id })
    await accounts.setStatus(id, { status: 'disabled', actorId: 'first' }, call)
    await expect(accounts.login(form, call)).rejects.toMatchObject({ kind: 'forbidden', code: 'account_disabled' })
  })

  it('replaces an imported bcrypt hash by one of argon2id', async () => {
    const { accounts, stores } = createServices()
    const imported = (await hashBcrypt(PASSWORD, 4)).replace('$2b$', '$2a$')
    const { id } = await addUser(stores, 'ada@site.example', { passwordHash: imported })
    const form = { email: 'ada@site.example', password: PASSWORD }
    await expect(accounts.login({ ...form, password: 'wrong' }, call)).rejects.toMatchObject({
      kind: 'unauthenticated',
    })
    expect((await stores.users.findLocal(form.email, call))?.passwordHash).toBe(imported)
    expect(await accounts.login(form, call)).toMatchObject({ id })
    expect((await stores.users.findLocal(form.email, call))?.passwordHash).toMatch(
      /^\$argon2id\$v=19\$m=19456,t=2,p=1\$/,
    )
    expect(await accounts.login(form, call)).toMatchObject({ id })
  })
})

describe('an account', () => {
  it('changes its profile and nothing else of the form', async () => {
    const { accounts, stores } = createServices()
    const { id } = await addUser(stores, 'ada@site.example')
    const form = {
      name: 'Ada',
      avatarUrl: 'https://pics.example/a',
      role: 'user',
      email: 'x@site.example',
      status: 'pending',
    }
    expect(await accounts.setProfile(id, form, call)).toMatchObject({
      ...{
        name: 'Ada',
        avatarUrl: 'https://pics.example/a',
        role: 'admin',
        email: 'ada@site.example',
        status: 'active',
      },
    })
    await expect(accounts.setProfile(id, { name: '' }, call)).rejects.toMatchObject({ message: 'name is required' })
    await expect(accounts.setProfile(id, { name: 'a', avatarUrl: 'x'.repeat(513) }, call)).rejects.toMatchObject({
      message: 'avatar_url is longer than 512 characters',
    })
  })

  it('changes its password with the current one, and its sessions end', async () => {
    const world = createServices()
    const result = await world.accounts.register({ email: 'ada@site.example', password: PASSWORD }, call)
    const { id } = result.kind === 'active' ? result.user : expect.fail()
    const { token } = await world.sessions.begin({ userId: id }, call)
    const change = { currentPassword: 'wrong', password: 'another Marble 77 heron' }
    await expect(world.accounts.changePassword(id, change, call)).rejects.toMatchObject({
      kind: 'unauthenticated',
      message: 'current password is incorrect',
    })
    await world.accounts.changePassword(id, { ...change, currentPassword: PASSWORD }, call)
    expect(await world.authenticate({ cookie: `session=${token}` })).toBeUndefined()
    await expect(world.accounts.login({ email: 'ada@site.example', password: PASSWORD }, call)).rejects.toThrow()
    expect(await world.accounts.login({ email: 'ada@site.example', password: change.password }, call)).toMatchObject({
      id,
    })
  })

  it('AU-7: proves nothing with a password that is replaced while it is checked', async () => {
    const world = createServices()
    const { accounts, sessions, stores } = world
    const { users } = stores
    const email = 'ada@site.example'
    const result = await accounts.register({ email, password: PASSWORD }, call)
    const { id } = result.kind === 'active' ? result.user : expect.fail()
    const reset = (password: string) => accounts.resetPassword(id, { password, actorId: undefined }, call)
    const current = [PASSWORD, 'another Marble 77 heron', 'further Marble 78 heron', 'latest Marble 79 heron'] as const

    /** Has an admin reset the password once the store has returned the hash that the reset replaces. */
    const resetDuring = (password: string): void => {
      vi.spyOn(users, 'findLocal').mockImplementationOnce(async (address, options) => {
        const found = await users.findLocal(address, options)
        await reset(password)
        return found
      })
    }

    resetDuring(current[1])
    const { passwordHash } = await accounts.login({ email, password: current[0] }, call)
    await expect(sessions.begin({ userId: id, passwordHash }, call)).rejects.toMatchObject({
      kind: 'unauthenticated',
      code: 'invalid_login',
    })
    resetDuring(current[2])
    const change = { currentPassword: current[1], password: 'stolen Marble 80 heron' }
    await expect(accounts.changePassword(id, change, call)).rejects.toMatchObject({ code: 'wrong_password' })
    const changed = await accounts.changePassword(id, { currentPassword: current[2], password: current[3] }, call)
    const proved = await accounts.login({ email, password: current[3] }, call)
    expect(proved.passwordHash).toBe(changed.passwordHash)
    const { token } = await sessions.begin({ userId: id, passwordHash: proved.passwordHash }, call)
    expect(await world.authenticate({ cookie: `session=${token}` })).toMatchObject({ principal: { id } })
  })

  it('of a provider has no password here', async () => {
    const { accounts, stores } = createServices()
    const { id } = await addUser(stores, 'ada@site.example', { user: { provider: 'oidc', subject: '1' } })
    for (const attempt of [
      accounts.changePassword(id, { currentPassword: 'x', password: PASSWORD }, call),
      accounts.resetPassword(id, { password: PASSWORD, actorId: undefined }, call),
    ])
      await expect(attempt).rejects.toMatchObject({ kind: 'invalid_request', code: 'not_local' })
  })
})

describe('an admin', () => {
  it('cannot change the own role, status or password, nor delete the own account', async () => {
    const { accounts, stores } = createServices()
    const { id } = await addUser(stores, 'ada@site.example')
    for (const [attempt, message] of [
      [accounts.setRole(id, { role: 'user', actorId: id }, call), 'cannot change your own role'],
      [accounts.setStatus(id, { status: 'disabled', actorId: id }, call), 'cannot change your own status'],
      [accounts.remove(id, { actorId: id }, call), 'cannot delete yourself'],
      [
        accounts.resetPassword(id, { password: PASSWORD, actorId: id }, call),
        'change your own password with the current one',
      ],
    ] as const)
      await expect(attempt).rejects.toMatchObject({ kind: 'invalid_request', message })
  })

  it('is told what is wrong', async () => {
    const { accounts, stores } = createServices()
    const { id } = await addUser(stores, 'ada@site.example')
    const actorId = undefined
    for (const [attempt, kind, message] of [
      [accounts.setRole(id, { role: 'root', actorId }, call), 'invalid_request', "role must be 'admin' or 'user'"],
      [accounts.setRole('none', { role: 'user', actorId }, call), 'not_found', 'user not found'],
      [accounts.setRole(id, { role: 'user', actorId }, call), 'conflict', 'the last admin must stay one'],
      [
        accounts.setStatus(id, { status: 'pending', actorId }, call),
        'invalid_request',
        "status must be 'active' or 'disabled'",
      ],
      [accounts.setFeatures(id, [], call), 'invalid_request', 'permissions must be an object of switches'],
      [accounts.setFeatures(id, { flying: true }, call), 'invalid_request', 'permissions name an unknown feature'],
      [accounts.setFeatures(id, { chat: 1 }, call), 'invalid_request', 'permissions.chat must be true or false'],
      [accounts.setFeatures('none', { chat: true }, call), 'not_found', 'user not found'],
      [accounts.setAllowedModels(id, { models: [] }, call), 'invalid_request', 'enabled must be true or false'],
      [
        accounts.setAllowedModels(id, { enabled: true, models: 'a' }, call),
        'invalid_request',
        'models must be a list of names',
      ],
      [accounts.read('none', call), 'not_found', 'user not found'],
    ] as const)
      await expect(attempt).rejects.toMatchObject({ kind, message })
    expect(await accounts.setAllowedModels(id, { enabled: false }, call)).toEqual({ enabled: false, models: [] })
    expect(await accounts.setFeatures(id, { chat: false }, call)).toEqual({ chat: false })
  })

  it('makes invites with a lifetime of their own', async () => {
    const { invites, clock } = createServices()
    const hours = async (expiresInHours: unknown) =>
      ((await invites.create({ expiresInHours, createdBy: undefined }, call)).expiresAt - clock.now()) / HOUR
    expect([await hours(undefined), await hours(1), await hours(2), await hours(8760)]).toEqual([168, 1, 2, 8760])
    for (const wrong of [0, -0, -5, 1.5, 8761, 1e300, Number.NaN, '7', '', null, true, [24], {}])
      await expect(hours(wrong), String(wrong)).rejects.toMatchObject({
        kind: 'invalid_request',
        message: 'expiresInHours must be a whole number from 1 to 8760',
      })
    expect(await invites.list({ limit: 10 }, call)).toHaveLength(4)
    const { id, code } = await invites.create({ createdBy: undefined }, call)
    expect(code).toMatch(/^[0-9a-f]{64}$/)
    await invites.revoke(id, call)
    await expect(invites.revoke(id, call)).rejects.toMatchObject({ kind: 'not_found', message: 'invite not found' })
    expect(await invites.isValid("' OR 1=1", call)).toBe(false)
  })
})
