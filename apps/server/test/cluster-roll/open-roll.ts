import { setTimeout as sleep } from 'node:timers/promises'
import type { World } from '../kill-runs/world.ts'
import { type Balancer, openBalancer } from '../support/balancer.ts'
import { startLoad } from './load.ts'
import { report, writeOutputs } from './report.ts'

/** Time between two restarts, in which the cluster is whole. */
const REST_MS = 1000

/** A cluster under load, changed step by step. */
export interface Roll {
  readonly balancer: Balancer
  /** Does one step, rests, and prints what became of the requests meanwhile. */
  step(name: string, act: () => Promise<void>): Promise<void>
  /** Ends the load. @returns the failed requests of all steps */
  endLoad(): Promise<number>
  /** Writes the output of all programs and ends them. */
  close(): Promise<void>
}

/** Puts a world behind a balancer and begins to send chats. A signal ends everything with code 1. */
export async function openRoll(
  world: World,
  { logs, models, seed }: { readonly logs: string; readonly models: readonly string[]; readonly seed: number },
): Promise<Roll> {
  const end = async (): Promise<void> => {
    await writeOutputs(logs, world.outputs())
    await world[Symbol.asyncDispose]()
  }
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    process.removeAllListeners(signal).once(signal, () => void end().finally(() => process.exit(1)))
  }
  const balancer = await openBalancer([0, 1].map((index) => Number(new URL(world.frontEnd(index).url).port)))
  const load = startLoad({ url: balancer.url, headers: world.cluster.admin, models, seed })
  let failed = 0
  return {
    balancer,
    async step(name, act) {
      const begun = performance.now()
      await act()
      await sleep(REST_MS)
      failed += report(name, performance.now() - begun, load.take())
    },
    async endLoad() {
      await load.end()
      failed += report('the rest', 0, load.take())
      return failed
    },
    async close() {
      await balancer[Symbol.asyncDispose]()
      await end()
    },
  }
}
