import {
  type Measures,
  measureEvenness,
  percentile,
} from '../../apps/server/src/cluster/decisions/__fixtures__/simulation-measures.ts'
import { toTable } from './figures.ts'

/** Requests of a replica in a day where all are even: with fewer, chance hides the choice. */
export const MIN_REQUESTS = 200

const MAX_DECISION_MS = 1
const MIN_HITS = 0.95
const MAX_UNEVEN = 0.1

const percent = (share: number): string => `${(100 * share).toFixed(1)} %`
const judge = (text: string, isMet: boolean): string => (isMet ? text : `${text}: missed`)

interface Row {
  readonly name: string
  readonly goal?: string
  readonly cell: (measures: Measures) => string
}

function timeRow(name: string, pick: (measures: Measures) => readonly number[], goal = ''): Row {
  return {
    name: `${name}, processor time, ms: 50, 99, 99.9 of 100`,
    goal,
    cell: (measures) => {
      const times = [0.5, 0.99, 0.999].map((share) => percentile(pick(measures), share))
      const text = times.map((time) => time.toFixed(3)).join(', ')
      return judge(text, goal === '' || (times[1] ?? 0) <= MAX_DECISION_MS)
    },
  }
}

function evenRow(name: string, pick: 'busiest' | 'mean'): Row {
  return {
    name: `${name}, by day`,
    goal: 'at most 10 %',
    cell: ({ load }) => {
      const share = measureEvenness(load, MIN_REQUESTS)[pick]
      return judge(percent(share), share <= MAX_UNEVEN)
    },
  }
}

const ROWS: readonly Row[] = [
  timeRow('placement', ({ placementMs }) => placementMs, '99 of 100: at most 1 ms'),
  timeRow('the same decision again', ({ placementAgainMs }) => placementAgainMs, '99 of 100: at most 1 ms'),
  timeRow('choice of a replica', ({ choiceMs }) => choiceMs),
  timeRow('plan of the reconciler', ({ reconcileMs }) => reconcileMs),
  {
    name: 'share of the prompt in the cache of the chosen replica',
    cell: ({ hitShare, choices }) => percent(hitShare / choices),
  },
  {
    name: 'the same with one cache for all replicas',
    cell: ({ boundShare, choices }) => percent(boundShare / choices),
  },
  {
    name: 'the first as a share of the second',
    goal: 'at least 95 %',
    cell: ({ hitShare, boundShare }) => judge(percent(hitShare / boundShare), hitShare / boundShare >= MIN_HITS),
  },
  evenRow('distance of a replica from its even load', 'mean'),
  evenRow('busiest replica of a model over its even load', 'busiest'),
  {
    name: 'nodes with more models than memory, over all rounds',
    goal: 'none',
    cell: ({ overcommitted }) => judge(String(overcommitted), overcommitted === 0),
  },
  {
    name: 'requests without a place within a minute',
    goal: 'none',
    cell: ({ unplaced }) => judge(String(unplaced), unplaced === 0),
  },
  { name: 'requests, of which with a choice', cell: ({ requests, choices }) => `${requests}, ${choices}` },
  { name: 'placements, evictions', cell: ({ placementMs, evictions }) => `${placementMs.length}, ${evictions}` },
  {
    name: 'failures of nodes; requests cut, sent on',
    cell: ({ nodeFailures, cut, rerouted }) => `${nodeFailures}; ${cut}, ${rerouted}`,
  },
  {
    name: 'rounds of the reconciler, of which with a model below its least number',
    cell: ({ rounds, roundsBelowMin }) => `${rounds}, ${roundsBelowMin}`,
  },
]

/** The figures of runs, one column for each, as a table of Markdown. */
export function toSimulationTable(runs: ReadonlyMap<string, Measures>): string {
  const head = ['Figure', 'Goal', ...[...runs.keys()].map((policy) => `\`${policy}\``)]
  return toTable(
    head,
    ROWS.map(({ name, goal = '', cell }) => [name, goal, ...[...runs.values()].map(cell)]),
  )
}
