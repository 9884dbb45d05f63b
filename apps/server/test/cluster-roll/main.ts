import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { createDice } from '../e2e/storm.ts'
import { startWorld } from '../kill-runs/world.ts'
import { openBalancer } from '../support/balancer.ts'
import { startLoad } from './load.ts'
import { printHeading, report, writeOutputs } from './report.ts'
import { askAll, type Manner, rollFrontEnd, rollWorker } from './roll.ts'

/** Time between two restarts, in which the cluster is whole. */
const REST_MS = 1000

const { values } = parseArgs({
  args: process.argv.slice(2).filter((argument) => argument !== '--'),
  options: {
    rounds: { type: 'string', default: '3' },
    seed: { type: 'string', default: '1' },
    logs: { type: 'string', default: join(tmpdir(), 'svc-cluster-roll') },
  },
})
const [rounds, seed] = [Number(values.rounds), Number(values.seed)]
if (![rounds, seed].every((count) => Number.isSafeInteger(count) && count > 0)) {
  throw new Error('--rounds and --seed take positive integers')
}

const models = ['roll-a', 'roll-b', 'roll-c']
const dice = createDice(seed)
const world = await startWorld(models)
for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.removeAllListeners(signal).once(signal, () => {
    void writeOutputs(values.logs, world.outputs())
      .then(() => world[Symbol.asyncDispose]())
      .finally(() => process.exit(1))
  })
}
const balancer = await openBalancer([0, 1].map((index) => Number(new URL(world.frontEnd(index).url).port)))
const load = startLoad({ url: balancer.url, headers: world.cluster.admin, models, seed })
let failed = 0
async function step(name: string, act: () => Promise<void>): Promise<void> {
  const begun = performance.now()
  await act()
  await sleep(REST_MS)
  failed += report(name, performance.now() - begun, load.take())
}

printHeading()
await step('all models are loaded', () => askAll(world, models))
for (let round = 1; round <= rounds; round += 1) {
  for (const index of [0, 1]) {
    const manner: Manner = dice.below(2) === 0 ? 'drained' : 'at once'
    await step(`front end ${index}, ${manner}`, () => rollFrontEnd(world, balancer, index, { manner }))
  }
  for (const index of [0, 1]) await step(`worker ${index}`, () => rollWorker(world, index, {}))
}
await load.end()
failed += report('the rest', 0, load.take())
await writeOutputs(values.logs, world.outputs())
await balancer[Symbol.asyncDispose]()
await world[Symbol.asyncDispose]()
console.log(`${rounds} rounds, ${failed} failed requests`)
// The module that runs PostgreSQL would end with 0.
process.exit(failed > 0 ? 1 : 0)
