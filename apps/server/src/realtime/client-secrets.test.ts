import { LEGACY_PRINCIPAL } from '@svc/auth'
import { createFakeClock } from '@svc/test-kit'
import { describe, expect, it } from 'vitest'
import { databasePlaces, silentLogger } from '../db/__fixtures__/places.ts'
import { openDatabase } from '../db/open-database.ts'
import { createClientSecrets } from './client-secrets.ts'

const places = await databasePlaces()

describe.each(places)('client secrets on $name', ({ create }) => {
  it('are kept as hashes for a while after their end', async () => {
    const place = await create()
    const clock = createFakeClock()
    const { queries, close } = await openDatabase({
      ...place.options,
      appVersion: '1.0.0',
      logger: silentLogger,
      clock,
    })
    const secrets = createClientSecrets({ queries, clock, hashKey: () => new Uint8Array(32), maxKept: 2 })
    const credential = { carrier: 'bearer', value: 'shared' } as const
    const maker = { principal: LEGACY_PRINCIPAL, credential, isRotationDue: false, expiresAt: undefined }
    const secret = { model: 'talk', session: { instructions: 'Be brief.' }, expiresAt: clock.now() + 1000 }
    const { value } = await secrets.create(secret, maker)
    expect(await secrets.find(value)).toEqual({ ...secret, maker: { kind: 'shared', id: secrets.hashKey('shared') } })
    expect(await secrets.find(`ek_${'0'.repeat(64)}`)).toBeUndefined()
    const rows = await queries.rows((db, { realtimeSecrets }) => db.select().from(realtimeSecrets))
    expect(JSON.stringify(rows)).not.toContain(value)
    expect(JSON.stringify(rows)).not.toContain('Be brief.')
    const again = { ...maker, credential: { carrier: 'bearer', value } as const }
    await expect(secrets.create(secret, again)).rejects.toMatchObject({ code: 'client_secret' })
    const long = { ...secret, session: { instructions: 'x'.repeat(200_000) } }
    await expect(secrets.create(long, maker)).rejects.toMatchObject({ code: 'session_too_large' })
    await secrets.create(secret, maker)
    await expect(secrets.create(secret, maker)).rejects.toMatchObject({ code: 'too_many_client_secrets' })
    await clock.advance(3 * 60 * 60_000)
    await secrets.create({ ...secret, expiresAt: clock.now() + 1000 }, maker)
    expect(await secrets.find(value)).toBeUndefined()
    await close()
    await place.close()
  })
})
