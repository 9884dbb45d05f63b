import { setTimeout as sleep } from 'node:timers/promises'
import { ask } from '../kill-runs/requests.ts'
import type { World } from '../kill-runs/world.ts'
import type { Balancer } from '../support/balancer.ts'

const LOOK_MS = 50
const MAX_LOOKS = 1200

/** `drained`: out of the load balancer first, as orchestrators do. `at once`: the signal comes while requests come. */
export type Manner = 'drained' | 'at once'

/** How a program is started again. */
export interface Restart {
  readonly manner: Manner
  /** Another build. @default this one */
  readonly entry?: string | undefined
}

/** Has every model answer once. @throws Error when one does not */
export async function askAll(world: World, models: readonly string[]): Promise<void> {
  const { url } = world.frontEnd(0)
  const asked = models.map((model) => ask({ url, headers: world.cluster.admin, model, stream: false, long: false }))
  for (const { kind, model, detail } of await Promise.all(asked)) {
    if (kind !== 'served') throw new Error(`${model} is not served: ${detail}`)
  }
}

/** Replaces a front end and waits until it is ready. @throws Error when it did not end with code 0 */
export async function rollFrontEnd(
  world: World,
  balancer: Balancer,
  index: number,
  { manner, entry }: Restart,
): Promise<void> {
  const server = world.frontEnd(index)
  const port = Number(new URL(server.url).port)
  if (manner === 'drained') {
    balancer.leave(port)
    await until(`front end ${index} is idle`, async () => balancer.open(port) === 0)
  }
  expectEnd(`front end ${index}`, await server.stop())
  await world.restartFrontEnd(index, { entry })
  await until(`front end ${index} is ready`, async () => (await fetch(`${world.frontEnd(index).url}/readyz`)).ok)
  balancer.join(port)
}

/** Replaces a worker and waits until it has joined. @throws Error when it did not end with code 0, or left processes */
export async function rollWorker(world: World, index: number, { entry }: Pick<Restart, 'entry'>): Promise<void> {
  const worker = world.worker(index)
  expectEnd(`worker ${index}`, await worker.end('SIGTERM'))
  if (worker.backends().length > 0) throw new Error(`worker ${index} left processes`)
  await world.restartWorker(index, { samePort: true, entry })
}

function expectEnd(
  name: string,
  { code, signal }: { readonly code: number | null; readonly signal: string | null },
): void {
  if (code !== 0) throw new Error(`${name} ended with ${signal ?? `code ${code}`}`)
}

/** Waits until something holds. @throws Error when it does not within a minute */
export async function until(what: string, holds: () => Promise<boolean>): Promise<void> {
  for (let look = 0; look < MAX_LOOKS; look += 1) {
    if (await holds().catch(() => false)) return
    await sleep(LOOK_MS)
  }
  throw new Error(`it did not come that ${what}`)
}
