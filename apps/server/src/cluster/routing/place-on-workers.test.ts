import type { BackendClient } from '@svc/backend-client'
import { createFakeClock } from '@svc/test-kit'
import { expect, it, vi } from 'vitest'
import { createModel } from '../../catalog/__fixtures__/model.ts'
import { aNode, aReplica, rules } from '../decisions/__fixtures__/cluster.ts'
import { createClusterIndex } from '../decisions/cluster-view.ts'
import { createPrefixIndex } from '../decisions/prefix-index.ts'
import { createWorkersPlace } from './place-on-workers.ts'

it('sends no request to a replica that was let go while another one was asked', async () => {
  const nodes = [aNode('a'), aNode('b')]
  let replicas = [aReplica('a', 'm'), aReplica('b', 'm')]
  const snapshot = () => ({ view: createClusterIndex({ nodes, replicas }), rulesOf: rules })
  const model = createModel({ name: 'm' })
  const configRevision = replicas[0]?.configRevision ?? ''
  const begin = vi.fn((_: string) => () => undefined)
  const join = vi.fn(() => Promise.reject(new Error('it waits for a load')))
  const place = createWorkersPlace({
    copy: { current: snapshot, read: async () => snapshot() },
    uses: { begin, count: () => 0 },
    clients: {
      take: () => ({ client: {} as BackendClient, release() {}, discard() {} }),
      close() {},
    },
    health: {
      isAvoided: () => false,
      isTrusted: () => false,
      async check() {
        replicas = replicas.map((replica) => ({ ...replica, state: 'unloading' }))
        return false
      },
      suspect() {},
      drop: async () => undefined,
    },
    waits: { join },
    prefixes: { ...createPrefixIndex(), readChain: () => [], observe() {}, forget() {}, forgetNode() {}, close() {} },
    usesPrefixes: false,
    revisionOf: () => configRevision,
    findModel: () => model,
    hearsHints: () => true,
    namesNodes: false,
    modelLoadWaitMs: 0,
    clock: createFakeClock(),
  })
  const context = { signal: new AbortController().signal } as Parameters<typeof place.acquire>[1]
  await expect(place.acquire(model, context)).rejects.toThrow('it waits for a load')
  expect(begin).toHaveBeenCalledTimes(1)
})
