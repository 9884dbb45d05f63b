import type { LabelledFigure, LabelledValue } from '../../monitoring/server-series.ts'
import type { Clock, Logger } from '../../ports.ts'
import type { ClusterNode, NodeStatus, Replica } from '../contract/nodes.ts'
import { byNode } from './by-node.ts'
import type { Nodes } from './open-nodes.ts'

/** Nodes with a label of their own, the first by name; the others share one. */
const MAX_LABELS = 200
const OTHER = 'other'
/** Age of the figures that one scrape shares, milliseconds. */
const SHARED_MS = 1000
const STATES: readonly NodeStatus[] = ['pending', 'healthy', 'unhealthy', 'offline', 'draining']

/** What is known of all workers at one moment. */
interface State {
  readonly nodes: readonly ClusterNode[]
  readonly replicas: readonly Replica[]
}

/** Values of a worker by their further labels. */
type Measure = (node: ClusterNode, replicas: readonly Replica[]) => readonly LabelledValue[]

/** Parts of {@link createNodeFigures}. */
export interface NodeFigureParts {
  readonly nodes: Pick<Nodes, 'directory' | 'replicas'>
  readonly clock: Pick<Clock, 'monotonic'>
  readonly logger: Pick<Logger, 'warn'>
}

/** The figures of workers for `/metrics`. Without the database they have no values. */
export function createNodeFigures({ nodes, clock, logger }: NodeFigureParts): readonly LabelledFigure[] {
  let shared: { readonly at: number; readonly state: Promise<State> } | undefined
  const readState = async (): Promise<State> => {
    try {
      const [all, replicas] = await Promise.all([nodes.directory.list(), nodes.replicas.list()])
      return { nodes: all, replicas }
    } catch (error) {
      logger.warn({ err: error }, 'the figures of workers could not be read')
      return { nodes: [], replicas: [] }
    }
  }
  const share = (): Promise<State> => {
    const at = clock.monotonic()
    if (shared === undefined || at - shared.at > SHARED_MS) shared = { at, state: readState() }
    return shared.state
  }
  return MEASURES.map(({ name, help, labels, measure }) => ({
    name,
    help,
    labelNames: ['node', ...labels],
    read: async () => toValues(await share(), measure),
  }))
}

function toValues({ nodes, replicas }: State, measure: Measure): readonly LabelledValue[] {
  const ofNode = byNode(replicas)
  const own = nodes.slice(0, MAX_LABELS).flatMap((node) => label(node.name, measure(node, ofNode.get(node.id) ?? [])))
  const rest = nodes.slice(MAX_LABELS).flatMap((node) => measure(node, ofNode.get(node.id) ?? []))
  return [...own, ...label(OTHER, addUp(rest))]
}

function label(node: string, values: readonly LabelledValue[]): readonly LabelledValue[] {
  return values.map(({ labels, value }) => ({ labels: [node, ...labels], value }))
}

/** The sums of values with equal labels. */
function addUp(values: readonly LabelledValue[]): readonly LabelledValue[] {
  const sums = new Map<string, LabelledValue>()
  for (const { labels, value } of values) {
    const key = labels.join('\0')
    sums.set(key, { labels, value: value + (sums.get(key)?.value ?? 0) })
  }
  return [...sums.values()]
}

const MEASURES: readonly {
  readonly name: string
  readonly help: string
  readonly labels: readonly string[]
  readonly measure: Measure
}[] = [
  {
    name: 'svc_node_state',
    help: 'Whether a worker is in this state: 1 or 0.',
    labels: ['state'],
    measure: ({ status }) => STATES.map((state) => ({ labels: [state], value: Number(status === state) })),
  },
  {
    name: 'svc_node_free_bytes',
    help: 'Free memory of the devices (vram), main memory (ram) and disk of a worker, as its last heartbeat tells.',
    labels: ['resource'],
    measure: ({ availableVram, availableRam, availableDisk }) => [
      { labels: ['vram'], value: availableVram },
      { labels: ['ram'], value: availableRam },
      { labels: ['disk'], value: availableDisk },
    ],
  },
  {
    name: 'svc_node_size_bytes',
    help: 'All memory of the devices (vram), main memory (ram) and disk of a worker; 0: not known.',
    labels: ['resource'],
    measure: ({ totalVram, totalRam, totalDisk }) => [
      { labels: ['vram'], value: totalVram },
      { labels: ['ram'], value: totalRam },
      { labels: ['disk'], value: totalDisk },
    ],
  },
  {
    name: 'svc_node_replicas',
    help: 'Replicas of models on a worker, those that load or unload too.',
    labels: [],
    measure: (_, replicas) => [{ labels: [], value: replicas.length }],
  },
  {
    name: 'svc_node_requests_running',
    help: 'Requests of all front ends that run on a worker.',
    labels: [],
    measure: (_, replicas) => [{ labels: [], value: replicas.reduce((sum, { inFlight }) => sum + inFlight, 0) }],
  },
]
