import { setTimeout as sleep } from 'node:timers/promises'
import { createDeferred } from '@svc/test-kit'
import { type Recovery, recover, shutDown } from './invariants.ts'
import type { Plan } from './plan.ts'
import { ask, type Outcome } from './requests.ts'
import { type Blow, strike } from './strike.ts'
import type { World } from './world.ts'

const TRICKLE_MS = 250
const MAX_OPEN = 40
const LOOK_MS = 15
/** Looks for a phase; one that does not come is hit late. */
const MAX_LOOKS = 1000

/** What came of a run. */
export interface RunOutcome {
  readonly target: string
  readonly outcomes: readonly Outcome[]
  readonly recovery: Recovery
  readonly violations: readonly string[]
}

/** The models of a run. */
export const modelsOf = (seed: number): readonly string[] => ['a', 'b', 'c'].map((letter) => `kill-${seed}-${letter}`)

/** Runs a plan in a world. */
export async function runPlan(world: World, plan: Plan): Promise<RunOutcome> {
  const models = modelsOf(plan.seed)
  const traffic = startTraffic(world, plan, models)
  await traffic.reach(plan.phase)
  await sleep(plan.phase === 'before' ? 0 : plan.delayMs)
  const blow = await strike(world, plan, await findHolder(world, models[0] ?? ''))
  await sleep(plan.outageMs)
  await blow.heal()
  const recovery = await recover(world, models, traffic.end)
  const outcomes = await traffic.end()
  const left = recovery.violations.length > 0 ? [] : await shutDown(world, models)
  return {
    target: blow.target,
    outcomes,
    recovery,
    violations: [...judge(outcomes, world, blow), ...recovery.violations, ...left],
  }
}

/** Sends requests for all models through both front ends, at once and then one after another. */
function startTraffic(world: World, { dice }: Plan, models: readonly string[]) {
  const urls = [0, 1].map((index) => world.frontEnd(index).url)
  const [first = ''] = models
  const open = new Set<Promise<void>>()
  const outcomes: Outcome[] = []
  const pieces = createDeferred<void>()
  let isOver = false
  const send = (model: string, url: string, stream: boolean): void => {
    const onPiece = model === first ? () => pieces.resolve() : undefined
    const asked = { url, headers: world.cluster.admin, model, stream, long: stream || dice.below(2) === 0, onPiece }
    const one = ask(asked).then((outcome) => {
      outcomes.push(outcome)
      open.delete(one)
    })
    open.add(one)
  }
  const burst = (of: readonly string[]): void => {
    for (const model of of) for (const url of urls) for (const stream of [true, false]) send(model, url, stream)
  }
  async function trickle(): Promise<void> {
    while (!isOver) {
      await sleep(TRICKLE_MS)
      const [model, url] = [models[dice.below(models.length)], urls[dice.below(urls.length)]]
      if (open.size < MAX_OPEN && model !== undefined && url !== undefined) send(model, url, dice.below(2) === 0)
    }
  }
  let trickling = Promise.resolve()
  return {
    /** Sends requests so that the first model is soon in this phase, and waits for it. */
    async reach(phase: Plan['phase']): Promise<void> {
      burst([first])
      if (phase === 'streaming') await pieces.promise
      else if (phase !== 'before') await waitForPhase(world, first, phase)
      burst(models.slice(1))
      trickling = trickle()
    },
    async end(): Promise<readonly Outcome[]> {
      isOver = true
      await trickling
      await Promise.all(open)
      return outcomes
    },
  }
}

const RANKS = { installing: 1, staging: 2, loading: 3 } as const

async function waitForPhase({ sql }: World, model: string, phase: keyof typeof RANKS): Promise<void> {
  for (let look = 0; look < MAX_LOOKS; look += 1) {
    const rows = await sql`select state, address from node_replicas where model = ${model}`
    if (Math.max(0, ...rows.map(({ state, address }) => toRank(state, address))) >= RANKS[phase]) return
    await sleep(LOOK_MS)
  }
}

function toRank(state: unknown, address: unknown): number {
  if (state === 'staging') return address === '' ? RANKS.installing : RANKS.staging
  return RANKS.loading
}

/** The index of the worker that has a model or loads it; 0 when none does. */
async function findHolder({ sql }: World, model: string): Promise<number> {
  const rows = await sql`select n.name from node_replicas r join nodes n on n.id = r.node_id where r.model = ${model}`
  return rows[0]?.name === 'w1' ? 1 : 0
}

function judge(outcomes: readonly Outcome[], world: World, { frontEnd }: Blow): string[] {
  const away = frontEnd === undefined ? undefined : world.frontEnd(frontEnd).url
  return outcomes
    .filter(({ kind, url }) => kind !== 'served' && kind !== 'refused' && !(kind === 'cut' && url === away))
    .map(({ kind, model, url, stream, status, detail, took }) => {
      const what = stream ? 'stream' : 'request'
      return `${kind}: ${what} to ${model} at ${url} after ${took} ms, ${status ?? 'no status'}, ${detail}`
    })
}
