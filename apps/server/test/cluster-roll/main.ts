import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { createDice } from '../e2e/storm.ts'
import { startWorld } from '../kill-runs/world.ts'
import { openRoll } from './open-roll.ts'
import { printHeading } from './report.ts'
import { askAll, type Manner, rollFrontEnd, rollWorker } from './roll.ts'

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
const { balancer, step, ...roll } = await openRoll(world, { logs: values.logs, models, seed })

printHeading()
await step('all models are loaded', () => askAll(world, models))
for (let round = 1; round <= rounds; round += 1) {
  for (const index of [0, 1]) {
    const manner: Manner = dice.below(2) === 0 ? 'drained' : 'at once'
    await step(`front end ${index}, ${manner}`, () => rollFrontEnd(world, balancer, index, { manner }))
  }
  for (const index of [0, 1]) await step(`worker ${index}`, () => rollWorker(world, index, {}))
}
const failed = await roll.endLoad()
await roll.close()
console.log(`${rounds} rounds, ${failed} failed requests`)
// The module that runs PostgreSQL would end with 0.
process.exit(failed > 0 ? 1 : 0)
