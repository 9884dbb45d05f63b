import { setTimeout as sleep } from 'node:timers/promises'
import { ask } from './requests.ts'
import type { World } from './world.ts'

/** Time within which a cluster is whole again, milliseconds. */
const CONVERGE_MS = 60_000
/** Time after which it is judged to stay as it is. */
const GIVE_UP_MS = 150_000

/** How a cluster came back. */
export interface Recovery {
  /** Time until every model answered through every front end, milliseconds. */
  readonly servedMs: number
  /** Time until nothing was left of the outage. */
  readonly settledMs: number
  readonly violations: readonly string[]
}

/** Waits until the cluster is whole, and says what is not. @param calmDown ends the other requests */
export async function recover(
  world: World,
  models: readonly string[],
  calmDown: () => Promise<unknown>,
): Promise<Recovery> {
  const begun = performance.now()
  const since = (): number => Math.round(performance.now() - begun)
  const unserved = await waitUntilEmpty(begun, () => findUnserved(world, models))
  const servedMs = since()
  await calmDown()
  const leftovers = await waitUntilEmpty(begun, () => findLeftovers(world))
  const settledMs = since()
  return {
    servedMs,
    settledMs,
    violations: [
      ...unserved.map((what) => `not served again: ${what}`),
      ...leftovers.map((what) => `left behind: ${what}`),
      ...(unserved.length === 0 && servedMs > CONVERGE_MS ? [`served again only after ${servedMs} ms`] : []),
      ...(leftovers.length === 0 && servedMs <= CONVERGE_MS && settledMs > CONVERGE_MS
        ? [`at rest only after ${settledMs} ms`]
        : []),
    ],
  }
}

/** Stops the models of a run. @returns what has stayed */
export async function shutDown(world: World, models: readonly string[]): Promise<readonly string[]> {
  for (const model of models) {
    const reply = await fetch(`${world.frontEnd(0).url}/backend/shutdown`, {
      method: 'POST',
      headers: world.cluster.admin,
      body: JSON.stringify({ model }),
    })
    if (!reply.ok) return [`shutdown of ${model}: ${reply.status} ${await reply.text()}`]
    await reply.text()
  }
  return waitUntilEmpty(performance.now(), async () => {
    const rows = await world.sql`select model, state from node_replicas where model in ${world.sql(models)}`
    return [...rows.map(({ model, state }) => `${model} ${state} after its shutdown`), ...(await findLeftovers(world))]
  })
}

async function waitUntilEmpty(begun: number, look: () => Promise<readonly string[]>): Promise<readonly string[]> {
  for (;;) {
    const found = await look().catch((error: unknown) => [String(error)])
    if (found.length === 0 || performance.now() - begun > GIVE_UP_MS) return found
    await sleep(250)
  }
}

async function findUnserved(world: World, models: readonly string[]): Promise<readonly string[]> {
  const { admin } = world.cluster
  const asked = models.flatMap((model) => [0, 1].map((index) => ({ model, url: world.frontEnd(index).url })))
  const outcomes = await Promise.all(asked.map((one) => ask({ ...one, headers: admin, stream: false, long: false })))
  return outcomes
    .filter(({ kind }) => kind !== 'served')
    .map(({ model, url, kind, status, detail }) => `${model} at ${url}: ${kind} ${status ?? ''} ${detail}`)
}

/** Lists what no quiet cluster has. */
async function findLeftovers(world: World): Promise<readonly string[]> {
  const { sql } = world
  const [jobs, uses, nodes, rows] = await Promise.all([
    sql`select key, state, owner from model_load_jobs where state <> 'failed'`,
    sql`select replica_id, in_flight from replica_uses where in_flight > 0`,
    sql`select id, name, status, reserved_vram from nodes`,
    sql`select node_id, process_key, address, state from node_replicas`,
  ])
  const found = [
    ...jobs.map(({ key, state }) => `load of ${key}, ${state}`),
    ...uses.map(({ replica_id: id, in_flight: count }) => `${count} requests at replica ${id}`),
    ...nodes.filter(({ status }) => status !== 'healthy').map(({ name, status }) => `node ${name} ${status}`),
    ...nodes
      .filter(({ reserved_vram: bytes }) => Number(bytes) !== 0)
      .map(({ name, reserved_vram: bytes }) => `${bytes} bytes reserved at ${name}`),
    ...rows.filter(({ state }) => state !== 'loaded').map(({ process_key: key, state }) => `replica ${key} ${state}`),
  ]
  for (const index of [0, 1]) {
    const id = nodes.find(({ name }) => name === `w${index}`)?.id
    const expected = rows.filter(({ node_id: node }) => node === id).length
    const running = world.worker(index).backends().length
    if (running !== expected) found.push(`${running} processes at w${index} for ${expected} replicas`)
    const own = world.frontEnd(index).backends().length
    if (own > 0) found.push(`${own} processes of front end ${index}`)
  }
  return found
}
