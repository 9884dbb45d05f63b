// The decisions of a cluster in a simulation: placement, choice of replicas and reconciling, with the functions that the
// server uses. Each seed gives the same cluster, requests and failures; only times differ. Prints a table of Markdown.
//   pnpm --filter @svc/bench cluster-sim [-- --nodes 1000 --models 10000 --requests 1000000 --days 7 --seed 1]
//   --policy prefix_cache,least_loaded,round_robin  one run and one column each
//   --quick                                         one day with 150,000 requests
//   --plot file.svg                                 the spread of load in the first run
import { writeFileSync } from 'node:fs'
import { parseArgs } from 'node:util'
import { simulate } from '../../apps/server/src/cluster/decisions/__fixtures__/simulation.ts'
import {
  type Measures,
  spreadOfLoad,
} from '../../apps/server/src/cluster/decisions/__fixtures__/simulation-measures.ts'
import { drawBars } from './cluster-plot.ts'
import { MIN_REQUESTS, toSimulationTable } from './cluster-sim-table.ts'

const { values } = parseArgs({
  args: process.argv.slice(2).filter((argument) => argument !== '--'),
  options: {
    nodes: { type: 'string', default: '1000' },
    models: { type: 'string', default: '10000' },
    requests: { type: 'string' },
    days: { type: 'string' },
    seed: { type: 'string', default: '1' },
    'front-ends': { type: 'string', default: '3' },
    'failure-hours': { type: 'string', default: '72' },
    policy: { type: 'string', default: 'prefix_cache,least_loaded' },
    quick: { type: 'boolean', default: false },
    plot: { type: 'string' },
  },
})
const requests = Number(values.requests ?? (values.quick ? 150_000 : 1_000_000))
const days = Number(values.days ?? (values.quick ? 1 : 7))

const POLICIES = ['prefix_cache', 'least_loaded', 'round_robin'] as const
const asked = values.policy.split(',')
const unknown = asked.find((name) => !POLICIES.some((policy) => policy === name))
if (unknown !== undefined) throw new Error(`--policy: ${unknown} is none of ${POLICIES.join(', ')}`)

const runs = new Map<string, Measures>()
for (const policy of POLICIES.filter((name) => asked.includes(name))) {
  const begun = process.cpuUsage()
  const measures = simulate({
    seed: Number(values.seed),
    nodes: Number(values.nodes),
    models: Number(values.models),
    requests,
    days,
    frontEnds: Number(values['front-ends']),
    failureHours: Number(values['failure-hours']),
    policy,
  })
  runs.set(policy, measures)
  const { user, system } = process.cpuUsage(begun)
  process.stderr.write(`${policy}: ${((user + system) / 1e6).toFixed(0)} s of processor time\n`)
}
const [first] = runs.values()
if (values.plot && first)
  writeFileSync(values.plot, drawBars('Load of replicas by day', spreadOfLoad(first.load, MIN_REQUESTS)))
process.stdout.write(
  `${values.nodes} nodes, ${values.models} models, ${requests} requests in ${days} days, seed ${values.seed}\n\n${toSimulationTable(runs)}\n`,
)
