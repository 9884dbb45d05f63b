import { SvcError } from '@svc/errors'
import type { NodeChangeVerb, NodeCommand } from '../config/node-command.ts'
import type { ServerConfig } from '../config/schema.ts'
import { formatRows } from './account-table.ts'
import {
  createServerClient,
  type Fields,
  isNoServer,
  type ServerClient,
  toFields,
  toRows,
  toServerUrl,
} from './remote-client.ts'
import { print, printJson } from './terminal.ts'

/** A command about workers with its output format. */
export interface NodeTask {
  readonly config: ServerConfig
  readonly command: NodeCommand
  /** Whether JSON is printed instead of text. */
  readonly json: boolean
}

/**
 * Asks the running server about its workers, or to change them.
 *
 * @throws {SvcError} of the connection, or the refusal of the server
 */
export async function runNodeCommand({ config, command, json }: NodeTask): Promise<void> {
  const url = toServerUrl(config)
  const server = createServerClient(url, config)
  const { value, text } = await perform(server, command).catch((error: unknown) => {
    if (!isNoServer(error)) throw error
    throw new SvcError('unavailable', `no server answers at ${url}: --address names the one to ask`)
  })
  if (json) printJson(value)
  else print(text)
}

/** What a server has answered, and its form for people. */
interface Answer {
  readonly value: unknown
  readonly text: string
}

async function perform(server: ServerClient, command: NodeCommand): Promise<Answer> {
  if ((await server.status('/api/nodes')) === 404) {
    throw new SvcError('not_found', 'the server has no workers: it runs without --distributed')
  }
  if (command.verb === 'nodes scheduling') return schedule(server, command)
  const nodes = toRows(await server.get('/api/nodes'))
  if (command.verb === 'nodes list') return { value: nodes, text: formatNodes(nodes) }
  const node = findNode(nodes, command.node)
  const path = `/api/nodes/${encodeURIComponent(String(node.id))}`
  if (command.verb === 'nodes show') return show(server, path)
  if (command.verb === 'nodes labels') return label(server, path, command)
  return change(server, path, command.verb)
}

/** A worker by its id or its name. */
function findNode(nodes: readonly Fields[], given: string): Fields {
  const found = nodes.find(({ id }) => id === given) ?? nodes.find(({ name }) => name === given)
  if (found === undefined) throw new SvcError('not_found', `no worker has the name or id "${given}"`)
  return found
}

async function change(server: ServerClient, path: string, verb: NodeChangeVerb): Promise<Answer> {
  const value =
    verb === 'nodes remove' ? await server.delete(path) : await server.post(`${path}/${verb.slice('nodes '.length)}`)
  return { value, text: `${String(toFields(value).message)}\n` }
}

async function show(server: ServerClient, path: string): Promise<Answer> {
  const node = toFields(await server.get(path))
  const models = toRows(await server.get(`${path}/models`))
  const facts = [
    ['name', node.name],
    ['id', node.id],
    ['kind', node.node_type],
    ['status', node.status],
    ['address', node.address],
    ['files', node.http_address],
    ['device', [node.gpu_vendor, node.capability].filter((part) => part !== '' && part !== undefined).join(' ')],
    ['free vram', formatFree(node.available_vram, node.total_vram)],
    ['free ram', formatFree(node.available_ram, node.total_ram)],
    ['free disk', formatFree(node.available_disk, node.total_disk)],
    ['vram budget', node.vram_budget ?? 'none'],
    ['replicas of a model', node.max_replicas_per_model],
    ['heartbeat', node.last_heartbeat ?? 'never'],
    ['labels', formatLabels(node.labels)],
  ]
  const text = [formatRows(facts.map((row) => row.map(String)))]
  if (models.length > 0) text.push('\n', formatModels(models))
  return { value: { ...node, models }, text: text.join('') }
}

async function label(
  server: ServerClient,
  path: string,
  { added, removed }: Extract<NodeCommand, { readonly verb: 'nodes labels' }>,
): Promise<Answer> {
  if (Object.keys(added).length > 0) await server.patch(`${path}/labels`, added)
  for (const key of removed) await server.delete(`${path}/labels/${encodeURIComponent(key)}`)
  const value = toFields(await server.get(`${path}/labels`))
  return { value, text: formatRows(Object.entries(value).map((entry) => entry.map(String))) }
}

async function schedule(
  server: ServerClient,
  { model, change: asked }: Extract<NodeCommand, { readonly verb: 'nodes scheduling' }>,
): Promise<Answer> {
  const path = '/api/nodes/scheduling'
  if (model === undefined) {
    const rules = toRows(await server.get(path))
    return { value: rules, text: formatRules(rules) }
  }
  // Names of models may hold slashes, which stay.
  const own = `${path}/${model.split('/').map(encodeURIComponent).join('/')}`
  if (asked === 'clear') {
    await server.delete(own)
    return { value: { model_name: model }, text: `${model} has no rules now\n` }
  }
  const rules =
    asked === undefined ? toFields(await server.get(own)) : await server.post(path, { model_name: model, ...asked })
  return { value: rules, text: formatRules([rules]) }
}

function formatNodes(nodes: readonly Fields[]): string {
  const heading = ['NAME', 'STATUS', 'MODELS', 'RUNNING', 'FREE VRAM', 'FREE RAM', 'FREE DISK', 'ADDRESS', 'ID']
  const rows = nodes.map((node) => [
    String(node.name),
    String(node.status),
    String(node.model_count ?? 0),
    String(node.in_flight_count ?? 0),
    formatFree(node.available_vram, node.total_vram),
    formatFree(node.available_ram, node.total_ram),
    formatFree(node.available_disk, node.total_disk),
    String(node.address),
    String(node.id),
  ])
  return rows.length === 0 ? 'no worker has registered\n' : formatRows([heading, ...rows])
}

function formatModels(models: readonly Fields[]): string {
  const heading = ['MODEL', 'REPLICA', 'STATE', 'RUNNING', 'BACKEND', 'ADDRESS']
  const rows = models.map((row) =>
    [row.model_name, row.replica_index, row.state, row.in_flight, row.backend_type ?? '', row.address].map(String),
  )
  return formatRows([heading, ...rows])
}

function formatRules(rules: readonly Fields[]): string {
  if (rules.length === 0) return 'no model has rules\n'
  const heading = ['MODEL', 'REPLICAS', 'POLICY', 'NODES']
  const rows = rules.map((rule) => [
    String(rule.model_name),
    rule.spread_all === true ? 'one on each' : `${String(rule.min_replicas)} to ${toLimit(rule.max_replicas)}`,
    rule.route_policy === '' ? 'default' : String(rule.route_policy),
    formatLabels(rule.node_selector) || 'all',
  ])
  return formatRows([heading, ...rows])
}

const toLimit = (count: unknown): string => (count === 0 ? 'any' : String(count))

function formatLabels(labels: unknown): string {
  return Object.entries(toFields(labels))
    .map(([key, value]) => `${key}=${String(value)}`)
    .join(' ')
}

/** Free bytes of all, `-` where a worker has none or does not say. */
function formatFree(free: unknown, total: unknown): string {
  if (typeof free !== 'number' || typeof total !== 'number' || total === 0) return '-'
  const toGigabytes = (bytes: number): string => (bytes / 1e9).toFixed(1)
  return `${toGigabytes(free)} of ${toGigabytes(total)} GB`
}
