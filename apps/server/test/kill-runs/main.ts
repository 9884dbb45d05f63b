import { mkdir, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { clocksOf, makePlan, type Plan, worldOf } from './plan.ts'
import type { Outcome } from './requests.ts'
import { modelsOf, type RunOutcome, runPlan } from './run.ts'
import { startWorld, type World } from './world.ts'

/** Violations of one run that are printed; its folder has all. */
const SHOWN = 8
/** Combinations, of which `--only` may choose one. */
const MOST_SKIPPED = 130

const { values } = parseArgs({
  args: process.argv.slice(2).filter((argument) => argument !== '--'),
  options: {
    runs: { type: 'string', default: '200' },
    seed: { type: 'string', default: '1' },
    only: { type: 'string', default: '' },
    logs: { type: 'string', default: join(tmpdir(), 'svc-kill-runs') },
  },
})
const runs = toCount('runs', values.runs)
const first = toCount('seed', values.seed)

const COLUMNS = ['served', 'refused', 'cut'] as const
console.log('seed  victim of                                         requests  served refused  cut  back s  rest s')
// The programs end with this one.
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(1))
const plans = findPlans()
let failed = 0
let world: World | undefined
for (const [index, plan] of plans.entries()) {
  const { seed } = plan
  const sharing = plans.slice(index).filter((other) => worldOf(other.seed) === worldOf(seed))
  world ??= await startWorld(
    sharing.flatMap((other) => modelsOf(other.seed)),
    { clocks: clocksOf(seed) },
  )
  const outcome = await runPlan(world, plan)
  console.log(formatRow(seed, nameOf(plan), outcome))
  for (const violation of outcome.violations.slice(0, SHOWN)) console.log(`      ! ${violation}`)
  if (outcome.violations.length > SHOWN) console.log(`      and ${outcome.violations.length - SHOWN} more`)
  const isBroken = outcome.violations.length > 0
  if (isBroken) {
    failed += 1
    await writeLogs(seed, world, outcome)
  }
  // A run that failed may have left something behind that the next one would meet.
  if (isBroken || sharing.length === 1) {
    await world[Symbol.asyncDispose]()
    world = undefined
  }
}
console.log(`${plans.length} runs, ${failed} with violations`)
// The module that runs PostgreSQL would end with 0.
process.exit(failed > 0 ? 1 : 0)

/** The plans of the seeds in a row whose names have the text of `--only`. */
function findPlans(): readonly Plan[] {
  const found: Plan[] = []
  for (let seed = first; seed < first + runs * MOST_SKIPPED && found.length < runs; seed += 1) {
    const plan = makePlan(seed)
    if (nameOf(plan).includes(values.only)) found.push(plan)
  }
  if (found.length === 0) throw new Error(`nothing is named ${values.only}`)
  return found
}

function nameOf({ seed, victim, phase, way }: Plan): string {
  return `${way} ${victim}, ${phase}${clocksOf(seed).some((shift) => shift !== 0) ? ', clocks apart' : ''}`
}

function formatRow(seed: number, name: string, { outcomes, recovery }: RunOutcome): string {
  const counts = COLUMNS.map((kind) => outcomes.filter((outcome: Outcome) => outcome.kind === kind).length)
  const times = [recovery.servedMs, recovery.settledMs].map((ms) => (ms / 1000).toFixed(1).padStart(7))
  const cells = [outcomes.length, ...counts].map((count) => String(count).padStart(7))
  return `${String(seed).padStart(4)}  ${name.padEnd(48)} ${cells.join('')} ${times.join('')}`
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
