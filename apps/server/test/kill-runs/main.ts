import { mkdir, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { makePlan } from './plan.ts'
import type { Outcome } from './requests.ts'
import { modelsOf, type RunOutcome, runPlan } from './run.ts'
import { startWorld, type World } from './world.ts'

/** Runs that share a cluster. */
const PER_WORLD = 10
/** Violations of one run that are printed; its folder has all. */
const SHOWN = 8

const { values } = parseArgs({
  args: process.argv.slice(2).filter((argument) => argument !== '--'),
  options: {
    runs: { type: 'string', default: '200' },
    seed: { type: 'string', default: '1' },
    logs: { type: 'string', default: join(tmpdir(), 'svc-kill-runs') },
  },
})
const runs = toCount('runs', values.runs)
const first = toCount('seed', values.seed)

const COLUMNS = ['served', 'refused', 'cut'] as const
console.log('seed  victim of                       requests  served refused  cut  back s  rest s')
// The programs end with this one.
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(1))
let failed = 0
let world: World | undefined
let seedsLeft: number[] = []
for (let seed = first; seed < first + runs; seed += 1) {
  if (world === undefined) {
    seedsLeft = Array.from({ length: Math.min(PER_WORLD, first + runs - seed) }, (_, index) => seed + index)
    world = await startWorld(seedsLeft.flatMap(modelsOf))
  }
  seedsLeft.shift()
  const plan = makePlan(seed)
  const name = `${plan.way} ${plan.victim}, ${plan.phase}`
  const outcome = await runPlan(world, plan)
  console.log(formatRow(seed, name, outcome))
  for (const violation of outcome.violations.slice(0, SHOWN)) console.log(`      ! ${violation}`)
  if (outcome.violations.length > SHOWN) console.log(`      and ${outcome.violations.length - SHOWN} more`)
  const isBroken = outcome.violations.length > 0
  if (isBroken) {
    failed += 1
    await writeLogs(seed, world, outcome)
  }
  // A run that failed may have left something behind that the next one would meet.
  if (isBroken || seedsLeft.length === 0) {
    await world[Symbol.asyncDispose]()
    world = undefined
  }
}
console.log(`${runs} runs, ${failed} with violations`)
process.exitCode = failed > 0 ? 1 : 0

function formatRow(seed: number, name: string, { outcomes, recovery }: RunOutcome): string {
  const counts = COLUMNS.map((kind) => outcomes.filter((outcome: Outcome) => outcome.kind === kind).length)
  const times = [recovery.servedMs, recovery.settledMs].map((ms) => (ms / 1000).toFixed(1).padStart(7))
  const cells = [outcomes.length, ...counts].map((count) => String(count).padStart(7))
  return `${String(seed).padStart(4)}  ${name.padEnd(30)} ${cells.join('')} ${times.join('')}`
}

/** Writes the output of all programs of a failed run. */
async function writeLogs(seed: number, from: World, outcome: RunOutcome): Promise<void> {
  const folder = join(values.logs, String(seed))
  await mkdir(folder, { recursive: true })
  await writeFile(join(folder, 'outcomes.json'), JSON.stringify(outcome, undefined, 1))
  for (const [index, { name, text }] of from.outputs().entries()) {
    await writeFile(join(folder, `${index}-${name}.log`), text)
  }
  console.log(`      logs: ${folder}`)
}

function toCount(name: string, text: string): number {
  const count = Number(text)
  if (!Number.isSafeInteger(count) || count < 1) throw new Error(`--${name} takes a positive integer`)
  return count
}
