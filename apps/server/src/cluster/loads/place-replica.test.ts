import { expect, it } from 'vitest'
import { aNode, aReplica, GIB, rules } from '../decisions/__fixtures__/cluster.ts'
import { createClusterIndex } from '../decisions/cluster-view.ts'
import { decidePlace } from './place-replica.ts'

const parts = { groupsOf: () => [], isDiskChecked: () => false, isShared: true }
const placing = {
  needs: { model: 'm', sizeBytes: 60 * GIB, memoryBytes: 60 * GIB, concurrencyGroups: [] },
  configRevision: 'r2',
  excludedNodes: new Set<string>(),
}

it('counts the memory that a replica of an old revision gives back', () => {
  const decide = (model: string) =>
    decidePlace(
      {
        view: createClusterIndex({
          nodes: [aNode('a', { availableVram: 15 * GIB })],
          replicas: [aReplica('a', model, { sizeVram: 60 * GIB, inFlight: 1 })],
        }),
        rulesOf: rules,
      },
      placing,
      parts,
    )
  expect(decide('m')).toMatchObject({ kind: 'chosen', nodeId: 'a', replicaIndex: 0, evictions: [] })
  expect(decide('other').kind).toBe('wait')
})
