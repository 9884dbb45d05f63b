import { readdir, rm } from 'node:fs/promises'
import { userInfo } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { startPostgres, tempDir } from '@svc/test-kit'
import { afterAll, describe, expect, it } from 'vitest'
import { runAccountCommand } from '../../src/cli/account-commands.ts'
import { loadConfig } from '../../src/config/load.ts'
import { PASSWORD, startAccountsWorld } from '../support/accounts-world.ts'
import { startTestServer, type TestServer } from '../support/server.ts'
import { verifies } from './verifies.ts'

const postgres = await startPostgres()
afterAll(() => postgres[Symbol.asyncDispose]())
if (!postgres.available) console.warn(`commands on PostgreSQL are not tried: ${postgres.reason}`)

/** Runs a command as its line is written. */
function createCommandLine(dataPath: string, env: Readonly<Record<string, string>> = {}) {
  return async (line: string, typed = ''): Promise<string> => {
    const command = loadConfig({ argv: [...line.split(' '), `--data-path=${dataPath}`], env, cwd: '/' })
    if (command.kind !== 'accounts') throw new Error(JSON.stringify(command))
    return runAccountCommand({ ...command, version: '0.0.0 (0000000)', input: Readable.from([typed]) })
  }
}

const login = (server: TestServer, email: string, password: string) =>
  server.post('/api/auth/login', { email, password })

async function runAll(run: (line: string, typed?: string) => Promise<string>): Promise<Record<string, string>> {
  const created = await run('users create Ann@site.example --name Ann --role admin')
  const password = /^password: (.+)$/m.exec(created)?.[1] ?? ''
  expect(created).toMatch(/^created the admin Ann@site.example \([0-9a-f]{32}\)\npassword: \S{22}\n$/)
  expect(await run('users create bob@site.example --password-stdin', `${PASSWORD}\n`)).toMatch(
    /^created the user bob@site.example \([0-9a-f]{32}\)\n$/,
  )
  expect(await run('users list')).toMatch(
    /^ID +EMAIL +NAME +ROLE +STATUS +PROVIDER\n(?:\S+ +admin@.*\n)?\S+ +ann@site.example +Ann +admin +active +local\n\S+ +bob@site.example +bob@site.example +user +active +local\n$/,
  )
  const key = (await run('keys create bob@site.example --name laptop --expires 90d')).split('\n')[0] ?? ''
  expect(key).toMatch(/^svc-[0-9a-f]{64}$/)
  const listed = await run('keys list bob@site.example')
  expect(listed).toContain(key.slice(0, 12))
  expect(listed).not.toContain(key)
  const keyId = /^([0-9a-f]{32}) /m.exec(listed)?.[1] ?? ''
  const invite = await run('invites create --hours 2')
  expect(invite).toMatch(/^\/invite\/[0-9a-f]{64}\nvalid until /)
  const inviteId = /^([0-9a-f]{32}) /m.exec(await run('invites list'))?.[1] ?? ''
  return { password, key, keyId, inviteId }
}

const places: readonly (readonly [string, () => Promise<Record<string, string>>])[] = [
  ['SQLite', async () => ({})],
  ...(postgres.available
    ? ([
        [
          'PostgreSQL',
          async () => ({
            SVC_AUTH_DATABASE_URL: await postgres.createDatabase(),
            SVC_AUTH_HMAC_SECRET: 'one secret of the server and of the command',
          }),
        ],
      ] as const)
    : []),
]

describe.each(places)('commands on %s', (_, createEnv) => {
  it('work before the server has ever run, and it knows what they made', async () => {
    await using folder = await tempDir()
    const env = await createEnv()
    const run = createCommandLine(join(folder.path, 'data'), env)
    const { password = '', key = '' } = await runAll(run)
    await using server = await startTestServer({ folder: folder.path, env, flags: ['--auth-enabled'] })
    expect((await server.call('/system', { headers: { authorization: `Bearer ${key}` } })).status).toBe(403)
    expect((await server.call('/v1/models', { headers: { authorization: `Bearer ${key}` } })).status).toBe(200)
    expect((await login(server, 'ann@site.example', password)).json()).toMatchObject({ user: { role: 'admin' } })
    expect((await login(server, 'bob@site.example', PASSWORD)).status).toBe(200)
  })

  it('work beside a running server, which obeys at once', async () => {
    const env = await createEnv()
    const world = await startAccountsWorld({ env })
    try {
      const run = createCommandLine(join(world.folder, 'data'), env)
      const { key = '', keyId = '', inviteId = '' } = await runAll(run)
      const headers = { authorization: `Bearer ${key}` }
      const status = async (path: string) => (await world.call(path, { headers })).status
      expect(await status('/system')).toBe(403)
      await run('users promote bob@site.example')
      await expect.poll(() => status('/system')).toBe(200)
      const session =
        String((await login(world, 'bob@site.example', PASSWORD)).headers['set-cookie']).split(';')[0] ?? ''
      const me = async () => (await world.call('/api/auth/me', { headers: { cookie: session } })).status
      expect(await me()).toBe(200)
      expect(await run('users reset-password bob@site.example')).toMatch(
        /^bob@site.example has a new password and no session\npassword: /,
      )
      await expect.poll(me).toBe(401)
      expect(await run(`keys revoke ${keyId}`)).toBe(`revoked the key ${keyId} of bob@site.example\n`)
      await expect.poll(() => status('/v1/models')).toBe(401)
      expect(await run(`invites revoke ${inviteId}`)).toBe(`revoked the invite ${inviteId}\n`)
      // the server goes on writing
      expect((await world.member('after')).key).toMatch(/^svc-/)
    } finally {
      await world.close()
      await rm(world.folder, { recursive: true, force: true })
    }
  })
})

describe('commands about single accounts', () => {
  it('make keys of services, rotate, block and revoke them while the server runs', async () => {
    const world = await startAccountsWorld()
    try {
      const run = createCommandLine(join(world.folder, 'data'))
      const status = async (key: string) =>
        (await world.call('/v1/models', { headers: { authorization: `Bearer ${key}` } })).status
      const [key = '', until] = (await run('keys create-service robot --expires 90d')).split('\n')
      expect([await status(key), until]).toEqual([200, expect.stringMatching(/^valid until /)])
      const listed = await run('keys list-all')
      const id = /^([0-9a-f]{32}) .* robot +a service /m.exec(listed)?.[1] ?? ''
      expect(listed).not.toContain(key)
      const [next = '', before] = (await run(`keys rotate ${id} --grace 1h`)).split('\n')
      expect(before).toMatch(/^the value before is valid until /)
      expect([await status(key), await status(next)]).toEqual([200, 200])
      const [last = ''] = (await run(`keys rotate ${id} --grace 0`)).split('\n')
      await expect.poll(() => status(next)).toBe(401)
      expect([await status(key), await status(last)]).toEqual([401, 200])
      expect(await run(`keys block ${id} --reason leaked`)).toBe(`blocked the key ${id} of a service\n`)
      await expect.poll(() => status(last)).toBe(401)
      expect(await run('keys list-all')).toContain('blocked')
      expect(await run(`keys unblock ${id}`)).toBe(`unblocked the key ${id} of a service\n`)
      await expect.poll(() => status(last)).toBe(200)
      expect(await run(`keys revoke ${id}`)).toBe(`revoked the key ${id} of a service\n`)
      await expect.poll(() => status(last)).toBe(401)
      for (const what of ['rotate', 'block', 'unblock', 'revoke'])
        await expect(run(`keys ${what} ${id}`)).rejects.toThrow(`there is no key ${id}`)
      await expect(run('keys create-service')).rejects.toThrow('takes one NAME')
    } finally {
      await world.close()
      await rm(world.folder, { recursive: true, force: true })
    }
  })

  it('add, list and remove limits while the server runs', async () => {
    const world = await startAccountsWorld()
    try {
      const run = createCommandLine(join(world.folder, 'data'))
      const { headers } = await world.member('bob')
      const ask = async () => (await world.call('/v1/models', { headers })).status
      expect(await ask()).toBe(200)
      const added = await run('limits add account:bob@site.example --requests 0 --window day --note paused')
      const [, id = '', account = ''] =
        /^added the limit (\S+): account ([0-9a-f]{32}): 0 requests in day\n$/.exec(added) ?? []
      await world.model('m')
      const body = { model: 'm', messages: [{ role: 'user', content: 'hello' }] }
      const chat = async () => (await world.post('/v1/chat/completions', body, headers)).status
      await expect.poll(chat).toBe(429)
      const money = '--budget 12.50 --currency EUR --parallel 3 --soft'
      const group = await run(`limits add group:* --tokens 9 ${money}`)
      expect(group).toMatch(/: group \*: 9 tokens, 12\.50 EUR, 3 at a time in month, soft\n$/)
      const lines = (await run('limits list')).split('\n')
      expect(lines[0]).toMatch(/^ID +SUBJECT +MODEL +USED +WINDOW +KIND +RESETS +NOTE$/)
      expect(lines[1]).toMatch(new RegExp(`^${id} +account:${account} +0 of 0 requests +day +hard +\\d.* UTC +paused$`))
      expect(lines[2]).toMatch(/ group:\* +9 tokens, 12\.50 EUR, 3 at a time +month +soft$/)
      expect(JSON.parse(await run('limits list --json'))).toMatchObject([
        { id, subject_kind: 'account', subject_id: account, max_requests: 0 },
        { subject_kind: 'group', max_cost_micros: 12_500_000, currency: 'EUR', soft: true },
      ])
      expect(await run(`limits remove ${id}`)).toMatch(new RegExp(`^removed the limit ${id}: account `))
      await expect.poll(chat).toBe(200)
      for (const [line, reason] of [
        [`limits remove ${id}`, `there is no limit ${id}`],
        ['limits add bob', 'is not KIND:NAME'],
        ['limits add account:nobody@site.example --requests 1', 'there is no account nobody@site.example'],
        ['limits add planet:earth --requests 1', 'subject_kind'],
        ['limits add account:*', 'a limit needs'],
        ['limits add account:* --requests some', 'is not a whole number'],
        ['limits add account:* --budget 1,50 --currency EUR', '"1,50" is not an amount such as 12.50'],
        ['limits add account:* --budget 1', 'currency is required'],
        ['limits add account:* --requests 1 --window fortnight', 'window'],
        ['limits list --soft', '--soft does not belong to limits list'],
      ] as const)
        await expect(run(line), line).rejects.toThrow(reason)
    } finally {
      await world.close()
      await rm(world.folder, { recursive: true, force: true })
    }
  })

  it('let accounts in, out and in again, and delete them', async () => {
    const world = await startAccountsWorld({ flags: ['--auth-registration-mode=approval'] })
    try {
      const run = createCommandLine(join(world.folder, 'data'))
      const form = { email: 'bob@site.example', password: PASSWORD, name: 'Bob' }
      expect((await world.post('/api/auth/register', form)).json()).toMatchObject({ pending: true })
      const status = async () => (await login(world, form.email, PASSWORD)).status
      expect(await status()).toBe(403)
      await expect(run('users enable bob@site.example')).rejects.toThrow('waits for approval: use users approve')
      expect(await run('users approve bob@site.example')).toBe('bob@site.example is approved\n')
      const signedIn = await login(world, form.email, PASSWORD)
      const session = String(signedIn.headers['set-cookie']).split(';')[0] ?? ''
      const me = async () => (await world.call('/api/auth/me', { headers: { cookie: session } })).status
      expect(await me()).toBe(200)
      expect(await run('users disable bob@site.example')).toBe('bob@site.example is disabled\n')
      await expect.poll(me).toBe(401)
      await expect(run('users approve bob@site.example')).rejects.toThrow('is disabled: use users enable')
      expect(await run('users enable bob@site.example')).toBe('bob@site.example is active\n')
      expect(await status()).toBe(200)
      const [key] = (await run('keys create bob@site.example')).split('\n')
      const headers = { authorization: `Bearer ${key}` }
      const upload = new FormData()
      upload.set('purpose', 'assistants')
      upload.set('file', new Blob(['a river']), 'river.txt')
      const uploaded = await fetch(`${world.url}/v1/files`, { method: 'POST', body: upload, headers })
      expect(uploaded.status).toBe(200)
      expect((await world.post('/v1/vector_stores', { name: 'notes' }, headers)).status).toBe(200)
      expect(await run('users delete bob@site.example')).toMatch(/^deleted bob@site.example \([0-9a-f]{32}\)\n$/)
      expect(await status()).toBe(401)
      for (const path of ['/v1/files', '/v1/vector_stores'])
        expect((await world.call(path, { headers: world.admin.headers })).json(), path).toMatchObject({ data: [] })
      const left = await readdir(join(world.folder, 'data', 'uploaded-files'))
      expect(left.filter((name) => !name.startsWith('.'))).toEqual([])
      for (const line of ['users disable admin@site.example', 'users delete admin@site.example'])
        await expect(run(line), line).rejects.toThrow('the last admin must stay one')
      await expect(run('users delete bob@site.example')).rejects.toThrow('there is no account bob@site.example')
    } finally {
      await world.close()
      await rm(world.folder, { recursive: true, force: true })
    }
  })

  it('print JSON where they are asked to', async () => {
    await using folder = await tempDir()
    const run = createCommandLine(join(folder.path, 'data'))
    const json = async (line: string): Promise<Record<string, unknown>> => {
      const text = await run(`${line} --json`)
      expect(text, line).toMatch(/^[^\n]+\n$/)
      return JSON.parse(text) as Record<string, unknown>
    }
    const ann = await json('users create ann@site.example --role admin')
    expect(ann).toMatchObject({
      email: 'ann@site.example',
      role: 'admin',
      status: 'active',
      password: expect.any(String),
    })
    await json('users create bob@site.example')
    expect(await json('users promote bob@site.example')).toMatchObject({ email: 'bob@site.example', role: 'admin' })
    expect(await json('users disable bob@site.example')).toMatchObject({ status: 'disabled' })
    expect(await json('users enable bob@site.example')).toMatchObject({ status: 'active' })
    expect(await json('users approve bob@site.example')).toMatchObject({ status: 'active' })
    expect(await json('users reset-password bob@site.example')).toMatchObject({ password: expect.any(String) })
    expect(await json('users list')).toMatchObject([{ id: ann.id }, { email: 'bob@site.example' }])
    const key = await json('keys create bob@site.example --expires 1d')
    expect(key).toMatchObject({ key: expect.stringMatching(/^svc-/), id: expect.any(String), name: 'command line' })
    const listed = await json('keys list bob@site.example')
    expect(listed).toMatchObject([{ id: key.id, keyPrefix: String(key.key).slice(0, 12) }])
    expect(JSON.stringify(listed)).not.toContain(key.key)
    expect(await json(`keys revoke ${String(key.id)}`)).toMatchObject({ revoked: true, id: key.id })
    const robot = await json('keys create-service robot --expires 1d')
    expect(robot).toMatchObject({ key: expect.stringMatching(/^svc-/), name: 'robot', role: 'user' })
    expect(await json(`keys rotate ${String(robot.id)} --grace 0`)).toMatchObject({
      key: expect.stringMatching(/^svc-/),
    })
    expect(await json(`keys block ${String(robot.id)} --reason leaked`)).toMatchObject({
      blocked: true,
      blockedBy: 'admin',
      blockReason: 'leaked',
    })
    expect(await json('keys list-all')).toMatchObject([{ id: robot.id, user: null, blocked: true }])
    expect(await json(`keys unblock ${String(robot.id)}`)).not.toHaveProperty('blocked')
    expect(await json(`keys revoke ${String(robot.id)}`)).toEqual({ revoked: true, id: robot.id, user_id: null })
    const invite = await json('invites create')
    expect(invite).toMatchObject({
      code: expect.stringMatching(/^[0-9a-f]{64}$/),
      url: `/invite/${String(invite.code)}`,
    })
    expect(await json('invites list')).toMatchObject([{ id: invite.id, usedAt: null }])
    expect(await json(`invites revoke ${String(invite.id)}`)).toEqual({ revoked: true, id: invite.id })
    expect(await json('users delete bob@site.example')).toMatchObject({ deleted: true, email: 'bob@site.example' })
    expect(await json('secret rotate')).toEqual({ rotated: true })
  })

  verifies('events:changes:command', 'leave entries in the audit log, without secrets', async () => {
    const world = await startAccountsWorld()
    try {
      const run = createCommandLine(join(world.folder, 'data'))
      const { password = '', key = '', keyId = '', inviteId = '' } = await runAll(run)
      await run('users disable bob@site.example')
      await run('users list')
      await run(`keys revoke ${keyId}`)
      await run(`invites revoke ${inviteId}`)
      await run('users delete bob@site.example')
      await expect(run('users delete bob@site.example')).rejects.toThrow()
      const reply = await world.call('/api/pii/events?origin=command', { headers: { ...world.admin.headers } })
      const { events } = reply.json() as { events: Record<string, string>[] }
      expect(
        events.map(({ change, target_name: name, details }) => [change, name, details].join(' ')).reverse(),
      ).toEqual([
        'user.create ann@site.example admin',
        'user.create bob@site.example user',
        expect.stringMatching(/^key.create laptop of bob@site.example, until \S+Z$/),
        expect.stringMatching(/^invite.create {2}until \S+Z$/),
        'user.status bob@site.example disabled',
        'key.revoke laptop of bob@site.example',
        'invite.revoke  ',
        'user.delete bob@site.example ',
      ])
      for (const event of events)
        expect(event).toMatchObject({ kind: 'administration', via: 'command', actor: userInfo().username })
      for (const secret of [password, key, PASSWORD]) expect(reply.text).not.toContain(secret)
    } finally {
      await world.close()
      await rm(world.folder, { recursive: true, force: true })
    }
  })
})

describe('a command', () => {
  it('that cannot be done says why', async () => {
    await using folder = await tempDir()
    const run = createCommandLine(folder.path)
    await run('users create ann@site.example')
    for (const [line, message] of [
      ['users create ann@site.example', 'there is an account with the address ann@site.example already'],
      ['users create nonsense', 'invalid email address'],
      ['users promote bob@site.example', 'there is no account bob@site.example'],
      ['keys create ann@site.example --expires soon', 'invalid expiresIn format'],
      ['keys revoke x', 'there is no key x'],
      ['invites revoke x', 'invite not found'],
    ] as const)
      await expect(run(line), line).rejects.toThrow(message)
    await expect(run('users create weak@site.example --password-stdin', 'short\n')).rejects.toThrow('at least 12')
  })

  it.each([
    ['users', 'unknown command users'],
    ['users create', 'users create takes one EMAIL'],
    ['users create a b', 'users create takes one EMAIL'],
    ['users create a@b --role root', '--role: "root" is not admin or user'],
    ['users list x', 'users list takes no word behind it'],
    ['users list --hours 2', '--hours does not belong to users list'],
    ['users approve', 'users approve takes one USER'],
    ['users delete a b', 'users delete takes one USER'],
    ['users delet a@b', 'unknown command users delet (did you mean users delete?)'],
    ['invites create --hours 0', '--hours: "0" is not a number of hours from 1 to 8760'],
    ['invites create --hours 8761', '--hours: "8761" is not a number of hours from 1 to 8760'],
    ['keys revoke', 'keys revoke takes one ID'],
    ['keys crate', 'unknown command keys crate (did you mean keys create?)'],
  ])('%s is refused', (line, message) => {
    expect(loadConfig({ argv: line.split(' '), env: {}, cwd: '/' })).toMatchObject({
      kind: 'usage-error',
      message: expect.stringContaining(message),
    })
  })
})
