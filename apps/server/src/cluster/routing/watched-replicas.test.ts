import { createFakeClock } from '@svc/test-kit'
import { expect, it, vi } from 'vitest'
import { createModel } from '../../catalog/__fixtures__/model.ts'
import type { Replica, Scheduling } from '../contract/nodes.ts'
import { aNode, aReplica, rules } from '../decisions/__fixtures__/cluster.ts'
import { createClusterIndex } from '../decisions/cluster-view.ts'
import { createRunningUses } from './running-uses.ts'
import { createWatchedReplicas } from './watched-replicas.ts'

function open(scheduling: Partial<Scheduling> = {}) {
  const clock = createFakeClock()
  let rows: readonly Replica[] = []
  const uses = createRunningUses({
    replicas: { writeUses: async () => {} },
    frontEnd: 'one',
    clock,
    logger: { debug() {}, info() {}, warn() {}, error() {} },
  })
  const [letGo, kill] = [vi.fn(async () => {}), vi.fn(async () => {})]
  const watched = createWatchedReplicas({
    copy: {
      current: () => ({
        view: createClusterIndex({ nodes: [aNode('a'), aNode('b')], replicas: rows }),
        rulesOf: (model) => ({ ...rules(model), ...scheduling }),
      }),
    },
    uses,
    findModel: (name) => createModel({ name, pinned: name === 'pinned' }),
    letGo,
    kill,
    clock,
  })
  const see = (...replicas: readonly Replica[]) => {
    rows = replicas
    return watched()
  }
  return { clock, uses, letGo, kill, see }
}
const first = <T>(list: readonly T[]): T => list[0] ?? expect.unreachable()

it('idle from the moment at which their last use is seen, wherever it was', async () => {
  const { clock, see, letGo } = open()
  const replica = aReplica('a', 'm', { usedAt: 5 })
  const at = clock.monotonic()
  see(replica)
  await clock.advance(1000)
  expect(first(see(replica))).toMatchObject({ name: 'm', isElsewhere: true, isPinned: false, idleSince: at })
  expect(first(see({ ...replica, usedAt: 6 }))).toMatchObject({ idleSince: at + 1000 })
  expect(first(see({ ...replica, usedAt: 6, inFlight: 1 }))).toMatchObject({
    idleSince: undefined,
    busySince: undefined,
  })
  await first(see({ ...replica, usedAt: 6 })).stop({ force: false })
  expect(letGo).toHaveBeenCalledWith(expect.objectContaining({ id: replica.id }), { usedAt: 6 })
})

it('busy as long as an own request, and idle from its end although it is written later', async () => {
  const { clock, uses, see, letGo, kill } = open()
  const replica = aReplica('a', 'm', { usedAt: 5 })
  see(replica)
  await clock.advance(1000)
  const [begun, end] = [clock.monotonic(), uses.begin(replica.id)]
  const other = uses.begin(replica.id)
  await clock.advance(1000)
  other()
  expect(first(see(replica))).toMatchObject({ busySince: begun, idleSince: undefined })
  await first(see(replica)).stop({ force: true })
  expect(kill).toHaveBeenCalledOnce()
  end()
  const ended = clock.monotonic()
  await clock.advance(2000)
  expect(first(see({ ...replica, usedAt: 9 }))).toMatchObject({ busySince: undefined, idleSince: ended })
  await first(see({ ...replica, usedAt: 9 })).stop({ force: false })
  expect(letGo).toHaveBeenCalledWith(expect.anything(), { usedAt: undefined })
  await uses.close()
})

it('pinned with their model, and those that were used last as far as the rules ask', () => {
  expect(open().see(aReplica('a', 'pinned'))).toMatchObject([{ isPinned: true }])
  const replicas = [aReplica('a', 'm', { usedAt: 1 }), aReplica('b', 'm', { usedAt: 2 })]
  const pinned = (scheduling: Partial<Scheduling>) =>
    open(scheduling)
      .see(...replicas)
      .map(({ isPinned }) => isPinned)
  expect(pinned({})).toEqual([false, false])
  expect(pinned({ minReplicas: 1 })).toEqual([false, true])
  expect(pinned({ spreadAll: true })).toEqual([true, true])
  expect(open().see(aReplica('a', 'm', { state: 'unloading' }))).toEqual([])
})
