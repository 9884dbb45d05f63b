import { randomBytes } from 'node:crypto'
import { performance } from 'node:perf_hooks'
import { eventually, startNats, startPostgres, startS3 } from '@svc/test-kit'
import { afterAll, describe, expect, it } from 'vitest'
import { openMessenger } from '../../src/cluster/nats/__fixtures__/open-messenger.ts'
import { type AccountsWorld, startAccountsWorld } from '../support/accounts-world.ts'
import { startTestServer, type TestServer } from '../support/server.ts'

const [postgres, nats] = await Promise.all([startPostgres(), startNats()])
afterAll(() => Promise.all([postgres[Symbol.asyncDispose](), nats[Symbol.asyncDispose]()]))
const missing = postgres.available ? (nats.available ? undefined : nats.reason) : postgres.reason

it('says why two front ends were not tried', (context) => {
  if (missing !== undefined) context.skip(missing)
})

describe.skipIf(missing !== undefined)('two front ends on one PostgreSQL and one NATS', () => {
  it('tell each other of a revoked key, and agree without the bus', async () => {
    if (!postgres.available || !nats.available) return
    const flags = ['--distributed', '--auth-enabled', '--auth-registration-mode=open', '--auth-rate-limit=0']
    const env = {
      SVC_AUTH_DATABASE_URL: await postgres.createDatabase(),
      SVC_AUTH_HMAC_SECRET: 'one secret of both of the servers',
      SVC_REGISTRATION_TOKEN: 'token of the workers',
      SVC_NATS_URL: nats.url,
      SVC_NATS_SERVICE_JWT: nats.service.jwt,
      SVC_NATS_SERVICE_SEED: nats.service.seed,
      SVC_NATS_ACCOUNT_SEED: nats.accountSeed,
    }
    await using s3 = await startS3()
    Object.assign(env, {
      SVC_STORAGE_URL: s3.url,
      SVC_STORAGE_BUCKET: s3.bucket,
      SVC_STORAGE_ACCESS_KEY: s3.accessKey,
      SVC_STORAGE_SECRET_KEY: s3.secretKey,
    })
    await using one = await startAccountsWorld({ env, flags: ['--distributed'] })
    await using other = await startTestServer({ env, flags })
    await using listener = await openMessenger(nats)
    const hints: string[] = []
    listener.subscribe('svc.hints.>', (_, subject) => hints.push(subject))

    await revokeAndAsk(one, other, 'told')
    await eventually(() => expect(hints).toContain('svc.hints.rights.revoked'))
    expect((await other.call('/readyz')).text).toBe('')

    await shareModel(one, other)
    await shareFile(one, other)

    await nats.halt()
    await eventually(async () => {
      const reply = await other.call('/readyz')
      expect([reply.status, reply.json()]).toMatchObject([200, { status: 'degraded', missing: ['nats'] }])
    })
    await revokeAndAsk(one, other, 'untold')

    await nats.resume()
    await eventually(async () => expect((await other.call('/readyz')).text).toBe(''))
  })
})

/** Writes a model file at one server and changes a setting there, and asks the other for both. */
async function shareModel(one: AccountsWorld, other: TestServer): Promise<void> {
  const { headers } = one.admin
  const ask = async (server: TestServer, path: string): Promise<string> => (await server.call(path, { headers })).text
  await one.writeModelFile('shared.yaml', 'name: shared\nbackend: llama\nparameters: {model: only-here.gguf}\n')
  expect(await ask(one, '/v1/models')).toContain('"shared"')
  await eventually(async () => expect(await ask(other, '/v1/models')).toContain('"shared"'))
  const reply = await other.chat('shared', {}, headers)
  expect([reply.status, reply.text]).toEqual([500, expect.stringContaining('is not in the models folder')])
  expect((await one.post('/api/settings', { watchdog_busy_timeout: '7m' }, headers)).status).toBe(200)
  await eventually(async () => expect(await ask(other, '/api/settings')).toContain('"7m"'))
}

/** Uploads a file that is too large for the database at one server, and reads it at the other. */
async function shareFile(one: AccountsWorld, other: TestServer): Promise<void> {
  const { headers } = one.admin
  const content = randomBytes(2 * 1024 * 1024)
  const form = new FormData()
  form.set('purpose', 'assistants')
  form.set('file', new Blob([content]), 'large.bin')
  const sent = await fetch(`${one.url}/v1/files`, { method: 'POST', headers, body: form })
  const { id } = (await sent.json()) as { readonly id: string }
  const read = await fetch(`${other.url}/v1/files/${id}/content`, { headers })
  expect([sent.status, read.status]).toEqual([200, 200])
  expect(Buffer.from(await read.arrayBuffer()).equals(content)).toBe(true)
}

/** Revokes a key on one server and asks the other with it until it is refused. Prints the time. */
async function revokeAndAsk(one: AccountsWorld, other: TestServer, name: string): Promise<void> {
  const member = await one.member(name)
  const ask = async (): Promise<number> => (await other.call('/v1/models', { headers: member.headers })).status
  expect(await ask()).toBe(200)
  await member.browser.send('DELETE', `/api/auth/api-keys/${member.keyId}`)
  const begin = performance.now()
  await eventually(async () => expect(await ask()).toBe(401))
  console.info(`${name}: the other server refused the key after ${Math.round(performance.now() - begin)} ms`)
}
