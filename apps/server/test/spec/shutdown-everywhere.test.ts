import { startNats, startPostgres, tempDir } from '@svc/test-kit'
import { afterAll, describe, expect } from 'vitest'
import { systemClock } from '../../src/clock.ts'
import { createLoadJobs } from '../../src/cluster/loads/load-jobs.ts'
import { createReplicaStore } from '../../src/cluster/loads/replica-store.ts'
import { openMessenger, settle } from '../../src/cluster/nats/__fixtures__/open-messenger.ts'
import { silentLogger } from '../../src/db/__fixtures__/places.ts'
import { openDatabase } from '../../src/db/open-database.ts'
import { startTestServer } from '../support/server.ts'
import { verifies } from './verifies.ts'

const [postgres, nats] = await Promise.all([startPostgres(), startNats()])
afterAll(() => Promise.all([postgres[Symbol.asyncDispose](), nats[Symbol.asyncDispose]()]))
const isThere = postgres.available && nats.available
if (!isThere) console.warn('the suite of models on workers does not run: PostgreSQL or NATS is missing')

describe.skipIf(!isThere)('a model on a worker', () => {
  verifies('shutdown:route:everywhere', 'shows its load, and ends with its replica', async () => {
    if (!postgres.available || !nats.available) return
    const url = await postgres.createDatabase()
    const key = 'key-of-an-admin'
    await using server = await startTestServer({
      flags: ['--distributed', '--auth-enabled', `--api-keys=${key}`, '--auth-rate-limit=0'],
      env: {
        SVC_AUTH_DATABASE_URL: url,
        SVC_REGISTRATION_TOKEN: 'token of the workers',
        SVC_NATS_URL: nats.url,
        SVC_NATS_SERVICE_JWT: nats.service.jwt,
        SVC_NATS_SERVICE_SEED: nats.service.seed,
      },
    })
    await server.model('m')
    const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' }
    const post = (path: string, body: unknown) =>
      server.call(path, { method: 'POST', headers, body: JSON.stringify(body) })
    await using dir = await tempDir()
    await using database = await openDatabase({
      url,
      dataPath: dir.path,
      appVersion: '1.0.0',
      joinsServer: true,
      logger: silentLogger,
      clock: systemClock,
    })
    const [jobs, replicas] = [createLoadJobs(database), createReplicaStore(database)]
    await using worker = await openMessenger(nats)
    const stops: unknown[] = []
    worker.serve('nodes.w.model.stop', async (request) => {
      stops.push(request)
      return { matched: true, freed: false, terminated: true, process_key: 'm#0', error: 'Free is unimplemented' }
    })
    await settle(worker)

    const target = { key: 'm#0', model: 'm', replicaIndex: 0, configRevision: 'r' }
    const claim = (await jobs.claim(target, { owner: 'other', leaseMs: 60_000 })) ?? expect.unreachable()
    const step = {
      state: 'staging',
      nodeId: 'w',
      nodeName: 'worker',
      bytesSent: 1,
      totalBytes: 4,
      totalFiles: 2,
    } as const
    await jobs.renew(claim, { leaseMs: 60_000, step })
    const status = await server.call('/api/models/m/load-status', { headers })
    expect(status.json()).toMatchObject({
      model: 'm',
      state: 'staging',
      node: 'worker',
      progress: 0.25,
      total_files: 2,
    })
    await jobs.finish(claim)
    expect((await server.call('/api/models/m/load-status', { headers })).status).toBe(404)

    const place = { nodeId: 'w', model: 'm', replicaIndex: 0, backend: 'mock', configRevision: 'r', loadRequest: '' }
    const id = (await replicas.add({ ...place, state: 'loading' })) ?? expect.unreachable()
    await replicas.change(id, { state: 'loaded', address: '127.0.0.1:1' })
    const stopped = await post('/backend/shutdown', { model: 'm' })
    expect([stopped.status, stopped.json()]).toEqual([200, { message: 'model stopped' }])
    expect(stops).toEqual([expect.objectContaining({ process_key: 'm#0', expected_address: '127.0.0.1:1' })])
    expect(await replicas.list()).toEqual([])
    expect((await post('/backend/shutdown', { model: 'm' })).status).toBe(500)
  })
})
