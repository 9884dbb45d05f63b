import { tempDir } from '@svc/test-kit'
import { describe, expect, it } from 'vitest'
import { checkCluster, listNatsServers } from './cluster.ts'
import { loadConfig } from './load.ts'

const COMPLETE = {
  SVC_DISTRIBUTED: 'true',
  SVC_AUTH: 'true',
  DATABASE_URL: 'postgres://db/svc',
  SVC_REGISTRATION_TOKEN: 'token-of-workers',
  SVC_NATS_URL: 'nats://front:word@bus:4222',
}

const STORAGE = {
  SVC_STORAGE_URL: 'https://s3.lan:9000/',
  SVC_STORAGE_BUCKET: 'svc',
  SVC_STORAGE_ACCESS_KEY: 'id',
  SVC_STORAGE_SECRET_KEY: 'pass word',
}

function refusal(change: Readonly<Record<string, string>>, hasAccounts = true): string {
  const command = loadConfig({ argv: [], env: { ...COMPLETE, ...change }, cwd: '/' })
  if (command.kind !== 'run') throw new Error(JSON.stringify(command))
  try {
    checkCluster(command.config, { hasAccounts })
    return ''
  } catch (error) {
    expect(error).toMatchObject({ exitCode: 78, code: 'start_refused' })
    return (error as Error).message
  }
}

describe('a server of several', () => {
  it('starts with everything that it needs', () => {
    expect(refusal({})).toBe('')
    expect(refusal(STORAGE)).toBe('')
    expect(refusal({ SVC_NATS_URL: 'a:4222', SVC_NATS_SERVICE_JWT: 'j', SVC_NATS_SERVICE_SEED: 's' })).toBe('')
    expect(refusal({ SVC_NATS_URL: 'tls://a:4222', SVC_NATS_REQUIRE_AUTH: 'false' })).toBe('')
    expect(refusal({ SVC_DISTRIBUTED: '', SVC_NATS_URL: '', DATABASE_URL: '' }, false)).toBe('')
  })

  it.each([
    [{ DATABASE_URL: '' }, '--auth-database-url'],
    [{ DATABASE_URL: '/data/accounts.db' }, '--auth-database-url'],
    [{ SVC_REGISTRATION_TOKEN: '' }, 'SVC_REGISTRATION_TOKEN'],
    [{ SVC_REGISTRATION_REQUIRE_AUTH: 'false' }, 'SVC_REGISTRATION_REQUIRE_AUTH=false'],
    [{ SVC_DISTRIBUTED_REQUIRE_AUTH: 'false' }, 'SVC_DISTRIBUTED_REQUIRE_AUTH=false'],
    [{ SVC_NATS_URL: '' }, 'SVC_NATS_URL'],
    [{ SVC_NATS_URL: ' , ' }, 'an empty list'],
    [{ SVC_NATS_URL: 'https://front:word@bus' }, 'https://bus'],
    [{ SVC_NATS_URL: 'nats://[bus' }, 'not an address'],
    [{ SVC_NATS_URL: 'nats://bus:4222' }, 'SVC_NATS_REQUIRE_AUTH=false'],
    [{ SVC_NATS_URL: 'nats://front:word@bus:4222,nats://other:4222' }, 'SVC_NATS_REQUIRE_AUTH=false'],
    [{ SVC_NATS_SERVICE_JWT: 'jwt' }, 'SVC_NATS_SERVICE_SEED'],
    [{ SVC_NATS_TLS_CERT: '/none.pem' }, 'SVC_NATS_TLS_KEY'],
    [{ SVC_NATS_TLS_CA: '/none.pem' }, 'cannot read the file of SVC_NATS_TLS_CA (/none.pem)'],
    [{ SVC_STORAGE_URL: 'https://s3' }, 'SVC_STORAGE_BUCKET, SVC_STORAGE_ACCESS_KEY, SVC_STORAGE_SECRET_KEY'],
    [{ SVC_STORAGE_SECRET_KEY: 'pass word' }, 'SVC_STORAGE_URL, SVC_STORAGE_BUCKET, SVC_STORAGE_ACCESS_KEY'],
    [{ ...STORAGE, SVC_STORAGE_URL: 'https://user:pass-word@s3' }, 'SVC_STORAGE_URL as'],
    [{ ...STORAGE, SVC_STORAGE_URL: 's3:9000' }, 'SVC_STORAGE_URL as'],
    [{ ...STORAGE, SVC_STORAGE_BUCKET: '../b' }, 'SVC_STORAGE_BUCKET with'],
    [{ ...STORAGE, SVC_STORAGE_REGION: 'a/b' }, 'SVC_STORAGE_REGION as'],
  ])('does not start with %j, and says the name', (change, name) => {
    expect(refusal(change)).toContain(name)
    expect(refusal(change)).not.toContain('word')
  })

  it('does not start without accounts, and names everything that is missing at once', () => {
    const message = refusal({ DATABASE_URL: '', SVC_NATS_URL: '', SVC_REGISTRATION_TOKEN: '' }, false)
    for (const name of ['--auth-database-url', '--auth-enabled', 'SVC_NATS_URL', 'SVC_REGISTRATION_TOKEN']) {
      expect(message).toContain(name)
    }
  })

  it('reads the files of TLS', async () => {
    await using dir = await tempDir()
    expect(refusal({ SVC_NATS_TLS_CA: dir.path })).toContain('SVC_NATS_TLS_CA')
  })
})

it('the servers of the bus get a scheme', () => {
  expect(listNatsServers('a:4222, tls://b:4222 ,')).toEqual(['nats://a:4222', 'tls://b:4222'])
})
