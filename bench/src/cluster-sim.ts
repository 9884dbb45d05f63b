// The decisions of a cluster in a simulation: placement, choice of replicas and reconciling, with the functions that the
// server uses. Each seed gives the same cluster, requests and failures.
//   pnpm --filter @svc/bench cluster-sim [-- --nodes 1000 --models 10000 --requests 1000000 --days 7 --seed 1]
//   --policy prefix_cache | least_loaded | round_robin
//   --plot file.svg
import { writeFileSync } from 'node:fs'
import { parseArgs } from 'node:util'
import { simulate } from '../../apps/server/src/cluster/decisions/__fixtures__/simulation.ts'
import {
  measureEvenness,
  percentile,
  spreadOfLoad,
} from '../../apps/server/src/cluster/decisions/__fixtures__/simulation-measures.ts'
import { drawBars } from './cluster-plot.ts'

/** Requests of a replica in a day, on the mean of its model: with fewer, chance hides the choice. */
const MIN_REQUESTS = 200

const { values } = parseArgs({
  args: process.argv.slice(2).filter((argument) => argument !== '--'),
  options: {
    nodes: { type: 'string', default: '1000' },
    models: { type: 'string', default: '10000' },
    requests: { type: 'string', default: '1000000' },
    days: { type: 'string', default: '7' },
    seed: { type: 'string', default: '1' },
    'front-ends': { type: 'string', default: '3' },
    'failure-hours': { type: 'string', default: '72' },
    policy: { type: 'string', default: 'prefix_cache' },
    plot: { type: 'string' },
  },
})
const policy = values.policy === 'least_loaded' || values.policy === 'round_robin' ? values.policy : 'prefix_cache'
const start = performance.now()
const measures = simulate({
  seed: Number(values.seed),
  nodes: Number(values.nodes),
  models: Number(values.models),
  requests: Number(values.requests),
  days: Number(values.days),
  frontEnds: Number(values['front-ends']),
  failureHours: Number(values['failure-hours']),
  policy,
})

const percent = (share: number): string => `${(100 * share).toFixed(1)} %`
const times = (values_: readonly number[]): string =>
  [0.5, 0.99, 0.999, 1].map((share) => `${percentile(values_, share).toFixed(3)} ms`).join(' | ')
const evenness = measureEvenness(measures.load, MIN_REQUESTS)
const rows: readonly (readonly [string, string | number])[] = [
  ['requests', measures.requests],
  ['requests with a choice between replicas', measures.choices],
  ['loads for a request', measures.coldStarts],
  ['evictions', measures.evictions],
  ['failures of nodes', measures.nodeFailures],
  ['running requests that a failure cut', measures.cut],
  ['requests sent on from a dead node', measures.rerouted],
  ['requests without a place within a minute', measures.unplaced],
  ['nodes with more models than memory (all rounds)', measures.overcommitted],
  ['rounds of the reconciler / with a model below its least number', `${measures.rounds} / ${measures.roundsBelowMin}`],
  ['share of the prompt in the cache of the chosen replica', percent(measures.hitShare / measures.choices)],
  ['... of the best replica', percent(measures.bestShare / measures.choices)],
  ['... of one cache for all replicas, which failures do not empty', percent(measures.boundShare / measures.choices)],
  ['busiest replica of a model over the mean, by day', percent(evenness.busiest)],
  ['distance of a replica from the mean, by day', percent(evenness.mean)],
  ['models and days that these are of', evenness.models],
]
process.stdout.write(`policy ${policy}, seed ${values.seed}, ${((performance.now() - start) / 1000).toFixed(0)} s\n\n`)
for (const [name, value] of rows) process.stdout.write(`| ${name} | ${value} |\n`)
process.stdout.write('\n| Decision | 50 % | 99 % | 99.9 % | longest |\n|---|---|---|---|---|\n')
process.stdout.write(`| placement (${measures.placementMs.length}) | ${times(measures.placementMs)} |\n`)
process.stdout.write(`| choice of a replica (${measures.choiceMs.length}) | ${times(measures.choiceMs)} |\n`)
process.stdout.write(`| plan of the reconciler (${measures.reconcileMs.length}) | ${times(measures.reconcileMs)} |\n`)
if (values.plot)
  writeFileSync(values.plot, drawBars('Load of replicas by day', spreadOfLoad(measures.load, MIN_REQUESTS)))
