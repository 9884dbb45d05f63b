/** Rules of a model that `nodes scheduling` sets; what is not given is as without rules. */
export interface SchedulingChange {
  readonly min_replicas?: number
  readonly max_replicas?: number
  readonly spread_all?: boolean
  readonly node_selector?: Readonly<Record<string, string>>
  readonly route_policy?: string
}

/** A command about the workers of a cluster; a worker is given by its name or id. */
export type NodeCommand =
  | { readonly verb: 'nodes list' }
  | { readonly verb: NodeChangeVerb | 'nodes show'; readonly node: string }
  | {
      readonly verb: 'nodes labels'
      readonly node: string
      readonly added: Readonly<Record<string, string>>
      /** Keys. */
      readonly removed: readonly string[]
    }
  | {
      readonly verb: 'nodes scheduling'
      /** Undefined: all. */
      readonly model: string | undefined
      /** Undefined: the rules are shown. */
      readonly change: SchedulingChange | 'clear' | undefined
    }

/** The commands that change the state of a worker. */
export type NodeChangeVerb = 'nodes approve' | 'nodes drain' | 'nodes resume' | 'nodes remove'

type NodeVerb = NodeCommand['verb']

interface Form {
  readonly takes?: string
  readonly about: string
  readonly details?: readonly string[]
  readonly flags?: readonly string[]
}

const FORMS: Readonly<Record<NodeVerb, Form>> = {
  'nodes list': { about: 'list the workers of a cluster' },
  'nodes show': { takes: 'NODE', about: 'show a worker and its models; NODE is its name or id' },
  'nodes approve': { takes: 'NODE', about: 'take a worker that waits for approval' },
  'nodes drain': { takes: 'NODE', about: 'send no new requests to a worker' },
  'nodes resume': { takes: 'NODE', about: 'send requests to a drained worker again' },
  'nodes remove': { takes: 'NODE', about: 'forget a worker' },
  'nodes labels': {
    takes: 'NODE [KEY=VALUE...]',
    about: 'show the labels of a worker, or set some; KEY- removes one',
  },
  'nodes scheduling': {
    takes: '[MODEL]',
    about: 'show where models run; with flags set the rules of MODEL anew:',
    details: [
      '--min-replicas N, --max-replicas N, --spread-all, --selector KEY=VALUE,KEY=VALUE,',
      '--route-policy NAME; --clear removes them',
    ],
    flags: ['--min-replicas', '--max-replicas', '--spread-all', '--selector', '--route-policy', '--clear'],
  },
}

/** The commands about workers. */
export const NODE_COMMAND_LIST = Object.entries(FORMS).map(([words, { takes, about, details }]) => ({
  words,
  takes,
  about,
  details,
}))

/** The flags of these commands, each with the form of its value. */
export const NODE_FLAGS: readonly (readonly [string, string | undefined])[] = [
  ['--min-replicas', 'a number'],
  ['--max-replicas', 'a number'],
  ['--spread-all', undefined],
  ['--selector', 'labels, KEY=VALUE with commas between'],
  ['--route-policy', 'least_loaded, round_robin or prefix_cache'],
  ['--clear', undefined],
]

/** The flags of each of these commands. */
export const NODE_OWN_FLAGS: readonly (readonly [string, readonly string[]])[] = Object.entries(FORMS).map(
  ([words, { flags = [] }]) => [words, ['--json', ...flags]],
)

type Flags = ReadonlyMap<string, string | true>

const isVerb = (text: string): text is NodeVerb => Object.hasOwn(FORMS, text)

/** The command that words name; a sentence that refuses them; undefined for a command about something else. */
export function readNodeCommand(
  [first = '', second = '', ...rest]: readonly string[],
  flags: Flags,
): NodeCommand | string | undefined {
  const verb = `${first} ${second}`
  if (!isVerb(verb)) return undefined
  const [argument = '', ...more] = rest
  if (verb === 'nodes list') return rest.length > 0 ? 'nodes list takes nothing' : { verb }
  if (verb === 'nodes scheduling') return readScheduling(argument, more, flags)
  if (argument === '' || (more.length > 0 && verb !== 'nodes labels')) return `${verb} takes one NODE`
  return verb === 'nodes labels' ? readLabels(argument, more) : { verb, node: argument }
}

function readLabels(node: string, words: readonly string[]): NodeCommand | string {
  const added: Record<string, string> = {}
  const removed: string[] = []
  for (const word of words) {
    const [, key = '', value] = /^([^=]+?)(?:=(.*)|-)$/s.exec(word) ?? []
    if (key === '') return `nodes labels: ${JSON.stringify(word)} is neither KEY=VALUE nor KEY-`
    if (value === undefined) removed.push(key)
    else added[key] = value
  }
  return { verb: 'nodes labels', node, added, removed }
}

function readScheduling(model: string, more: readonly string[], flags: Flags): NodeCommand | string {
  const verb = 'nodes scheduling'
  if (more.length > 0) return `${verb} takes at most one MODEL`
  const given = (FORMS[verb].flags ?? []).filter((flag) => flags.has(flag))
  if (given.length === 0) return { verb, model: model === '' ? undefined : model, change: undefined }
  if (model === '') return `${given[0]} needs a MODEL`
  if (flags.has('--clear')) return given.length > 1 ? '--clear goes alone' : { verb, model, change: 'clear' }
  const change = readChange(flags)
  return typeof change === 'string' ? change : { verb, model, change }
}

function readChange(flags: Flags): SchedulingChange | string {
  const numbers: { min_replicas?: number; max_replicas?: number } = {}
  for (const [flag, key] of [
    ['--min-replicas', 'min_replicas'],
    ['--max-replicas', 'max_replicas'],
  ] as const) {
    const text = flags.get(flag)
    if (text === undefined) continue
    if (typeof text !== 'string' || !/^\d{1,5}$/.test(text)) return `${flag}: ${JSON.stringify(text)} is not a number`
    numbers[key] = Number(text)
  }
  const labels: Record<string, string> = {}
  const selector = flags.get('--selector')
  for (const pair of typeof selector === 'string' ? selector.split(',') : []) {
    const at = pair.indexOf('=')
    if (at < 1) return `--selector: ${JSON.stringify(pair)} is not KEY=VALUE`
    labels[pair.slice(0, at)] = pair.slice(at + 1)
  }
  const policy = flags.get('--route-policy')
  return {
    ...numbers,
    ...(flags.has('--spread-all') ? { spread_all: true } : {}),
    ...(selector === undefined ? {} : { node_selector: labels }),
    ...(typeof policy === 'string' ? { route_policy: policy } : {}),
  }
}
