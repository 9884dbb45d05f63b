import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { ask } from '../kill-runs/requests.ts'
import { startWorld } from '../kill-runs/world.ts'
import { buildCommit, findLastRelease } from './build-commit.ts'
import { openRoll } from './open-roll.ts'
import { printHeading } from './report.ts'
import { askAll, rollFrontEnd, rollWorker, until } from './roll.ts'

/** Time in which both versions run, milliseconds. */
const BOTH_MS = 8000

const { values } = parseArgs({
  args: process.argv.slice(2).filter((argument) => argument !== '--'),
  options: {
    from: { type: 'string' },
    entry: { type: 'string' },
    seed: { type: 'string', default: '1' },
    logs: { type: 'string', default: join(tmpdir(), 'svc-cluster-upgrade') },
  },
})
const from = values.from ?? findLastRelease()
if (from === undefined) throw new Error('there is no release yet: give --from COMMIT')
const entry = values.entry ?? (await buildCommit(from))

const models = ['upgrade-a', 'upgrade-b', 'upgrade-c']
/** Each runs at one worker only. */
const ONLY = ['upgrade-at-w0', 'upgrade-at-w1']
const old = { entry }
const world = await startWorld([...models, ...ONLY], { builds: [old, old, old, old] })
const { admin } = world.cluster
const versionOf = async (index: number): Promise<string> =>
  (await fetch(`${world.frontEnd(index).url}/version`, { headers: admin })).text()
for (const [index, model] of ONLY.entries()) {
  await send(0, '/api/nodes/scheduling', { model_name: model, node_selector: { name: `w${index}` } })
}
const { balancer, step, ...roll } = await openRoll(world, { logs: values.logs, models, seed: Number(values.seed) })
const problems: string[] = []

printHeading()
await step('the old version loads all models', () => askAll(world, [...models, ...ONLY]))
await step('the old version alone', () => sleep(BOTH_MS))
const migrationsBefore = await readMigrations()
await step('front end 0 becomes new', () => rollFrontEnd(world, balancer, 0, { manner: 'drained' }))
const migrationsAfter = await readMigrations()
await step('one new front end, old workers', checkPairs)
await step('worker 0 becomes new', () => rollWorker(world, 0, {}))
console.log(`      front ends: ${await versionOf(0)}, ${await versionOf(1)}`)
await step('one front end and worker of each version', checkPairs)
await step('settings of each version', checkSettings)
await step('both versions go on', () => sleep(BOTH_MS))
await step('front end 1 becomes new', () => rollFrontEnd(world, balancer, 1, { manner: 'drained' }))
await step('new front ends, one old worker', checkPairs)
await step('worker 1 becomes new', () => rollWorker(world, 1, {}))
await step('the new version alone', () => sleep(BOTH_MS))
const failed = await roll.endLoad()
console.log(`      migrations: ${migrationsBefore}, then ${migrationsAfter}; ${await describeWayBack()}`)
await roll.close()
for (const problem of problems) console.log(`! ${problem}`)
console.log(`upgrade from ${from}: ${failed} failed requests, ${problems.length} problems`)
// The module that runs PostgreSQL would end with 0.
process.exit(failed + problems.length > 0 ? 1 : 0)

/** Sends chats through each front end to a model that only this worker may run. */
async function checkPairs(): Promise<void> {
  for (const worker of [0, 1]) {
    for (const index of [0, 1]) {
      const { url } = world.frontEnd(index)
      const outcome = await ask({ url, headers: admin, model: ONLY[worker] ?? '', stream: index === 0, long: false })
      if (outcome.kind !== 'served') problems.push(`worker ${worker} through front end ${index}: ${outcome.detail}`)
    }
  }
}

async function send(index: number, path: string, body: unknown): Promise<void> {
  const url = `${world.frontEnd(index).url}${path}`
  const reply = await fetch(url, { method: 'POST', headers: admin, body: JSON.stringify(body) })
  if (!reply.ok) problems.push(`${path} at front end ${index}: ${reply.status} ${await reply.text()}`)
}

/** Saves a setting at each front end and waits until the other one has it. */
async function checkSettings(): Promise<void> {
  for (const index of [0, 1]) {
    const value = `${7 + index}m`
    await send(index, '/api/settings', { watchdog_busy_timeout: value })
    await until(`front end ${1 - index} has the setting of front end ${index}`, async () => {
      const reply = await fetch(`${world.frontEnd(1 - index).url}/api/settings`, { headers: admin })
      return (await reply.text()).includes(`"${value}"`)
    })
  }
}

async function readMigrations(): Promise<number> {
  const rows = await world.sql`select count(*)::int as count from svc_migrations`
  return Number(rows[0]?.count)
}

/** Starts the old version on the schema of the new one. */
async function describeWayBack(): Promise<string> {
  if (migrationsAfter === migrationsBefore) return 'the schema is the same'
  try {
    const server = await world.cluster.startFrontEnd({ entry })
    await server[Symbol.asyncDispose]()
  } catch (error) {
    if (/ended with code 78/.test(String(error))) return 'the old version refuses the new schema with code 78'
    problems.push(String(error))
    return 'the old version did not end with code 78'
  }
  problems.push('the old version started on the new schema')
  return 'the old version starts on the new schema'
}
