import { createBackendClient } from '@svc/backend-client'
import { GRPC_STATUS, HEALTHY, startHostileBackend } from '@svc/test-kit'
import { describe, expect, it } from 'vitest'
import { aReplica } from '../decisions/__fixtures__/cluster.ts'
import { createWorkerClients } from '../routing/worker-clients.ts'
import { createGrpcProbe } from './grpc-probe.ts'

const { signal } = new AbortController()
function open(token?: string) {
  const clients = createWorkerClients(({ address }) => createBackendClient({ address, token }))
  return { probe: createGrpcProbe({ clients, findNode: () => undefined }), close: () => clients.close() }
}
const failure = (code: number) => ({ kind: 'failure', code, details: 'no' }) as const

describe('the question for the health of a process', () => {
  it.each([
    ['is well', { kind: 'messages', messages: [HEALTHY] } as const, true],
    ['has no such call', failure(GRPC_STATUS.UNIMPLEMENTED), true],
    ['wants another token', failure(GRPC_STATUS.UNAUTHENTICATED), true],
    ['is not ready', failure(GRPC_STATUS.UNAVAILABLE), false],
    ['says something else', { kind: 'messages', messages: [new Uint8Array()] } as const, false],
    ['says nothing', { kind: 'silence' } as const, false],
  ])('finds one that %s', async (_, health, isWell) => {
    await using backend = await startHostileBackend({ health })
    const { probe, close } = open('t')
    expect(await probe(aReplica('a', 'm', { address: backend.address }), signal)).toBe(isWell)
    expect(backend.calls).toHaveLength(1)
    close()
  })

  it('finds one that is gone', async () => {
    const { probe, close } = open()
    const backend = await startHostileBackend()
    const replica = aReplica('a', 'm', { address: backend.address })
    expect(await probe(replica, signal)).toBe(true)
    await backend.close()
    expect(await probe(replica, signal)).toBe(false)
    expect(await probe(aReplica('a', 'm', { address: 'no address' }), signal)).toBe(false)
    close()
  })
})
