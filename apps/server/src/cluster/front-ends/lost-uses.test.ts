import { SvcError } from '@svc/errors'
import { describe, expect, it } from 'vitest'
import { databasePlaces } from '../../db/__fixtures__/places.ts'
import { frontEndSubject } from '../contract/subjects.ts'
import { useDatabase } from '../loads/__fixtures__/use-database.ts'
import { createReplicaStore } from '../loads/replica-store.ts'
import { createLostUses } from './lost-uses.ts'

const { signal } = new AbortController()

describe.each(await databasePlaces())('requests of front ends that are gone, on $name', ({ create }) => {
  const database = useDatabase(create)

  it('count no more once nobody renews them or answers for them', async () => {
    const replicas = createReplicaStore(database())
    const place = { nodeId: 'w', model: 'm', replicaIndex: 0, backend: 'mock', configRevision: 'r', loadRequest: '' }
    const id = (await replicas.add({ ...place, state: 'loaded' })) ?? expect.unreachable()
    const present = new Set(['slow-database'])
    let code = 'no_responders'
    const messenger = {
      serve: () => () => undefined,
      request: async (subject: string) => {
        if ([...present].some((each) => frontEndSubject(each, 'alive') === subject)) return {}
        throw new SvcError('unavailable', 'nobody', { code })
      },
    }
    const lost = createLostUses({ database: database(), messenger, id: 'own' })
    const leases = { own: 10_000, killed: 20_000, 'slow-database': 10_000, 'bus-away': 300_000 }
    for (const [frontend, leaseMs] of Object.entries(leases)) {
      await replicas.writeUses(frontend, new Map([[id, 1]]), { leaseMs })
    }
    const count = async () => (await replicas.list({ nodeId: 'w' }))[0]?.inFlight
    await lost.removeAt('another', signal)
    code = 'bus_disconnected'
    await lost.removeAt('w', signal)
    expect(await count()).toBe(4)
    code = 'no_responders'
    await lost.removeAt('w', signal)
    expect(await count()).toBe(3)
    // This one was started again: it knows that it has no request.
    await lost.start()
    expect(await count()).toBe(2)
  })
})
