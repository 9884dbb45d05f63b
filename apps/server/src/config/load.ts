import { resolve } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import type { OffsetEncoding } from '@svc/pii'
import { type AccountCommand, readAccountCommand } from './account-command.ts'
import { COMMAND_LIST } from './command-list.ts'
import { type Environment, firstSet, unknownVariables } from './env.ts'
import { type ParsedArguments, parseArguments } from './flags.ts'
import { helpText, workerHelpText } from './help.ts'
import { maskSecrets } from './mask.ts'
import { NODE_OWN_FLAGS, type NodeCommand, readNodeCommand } from './node-command.ts'
import { formatOptionName, type Option, readOption } from './option.ts'
import { listRemoteFlags, REMOTE_COMMANDS, type RemoteCommand, readRemoteCommand } from './remote-command.ts'
import { OPTIONS, type OptionKey, type ServerConfig } from './schema.ts'
import { didYouMean } from './suggest.ts'
import { listWorkerVariables } from './worker-variables.ts'

/** The origin of a value of the configuration. */
type ConfigSource = 'flag' | 'env' | 'default'

/** The source of every value. */
export type ConfigSources = { readonly [Key in OptionKey]: ConfigSource }

/** The configuration of a command. */
export interface Loaded {
  readonly config: ServerConfig
  readonly sources: ConfigSources
  /** Sentences for the log. They do not stop the start. */
  readonly warnings: readonly string[]
}

/** The command that a command line and its environment ask for. */
export type Command =
  | ({ readonly kind: 'run' /** To install and load at the start. */; readonly models: readonly string[] } & Loaded)
  | ({ readonly kind: 'models-list' | 'backends-list' | 'prices-list'; readonly json: boolean } & Loaded)
  | ({ readonly kind: 'mitm-ca' } & Loaded)
  | ({ readonly kind: 'models-add'; readonly source: ModelSource } & Loaded)
  | ({ readonly kind: 'models-convert'; readonly source: Pick<ModelSource, 'file' | 'name'> } & Loaded)
  | ({ readonly kind: 'remote'; readonly remote: RemoteCommand } & Loaded)
  | ({ readonly kind: 'nodes'; readonly command: NodeCommand; readonly json: boolean } & Loaded)
  | ({ readonly kind: 'chat'; readonly chat: ChatTask } & Loaded)
  | ({ readonly kind: 'models-show' | 'models-delete' | 'models-export'; readonly name: string } & Loaded)
  | { readonly kind: 'models-schema' }
  | { readonly kind: 'prices-check' /** Absolute path. */; readonly file: string }
  | ({ readonly kind: 'openapi' } & Loaded)
  | ({ readonly kind: 'mcp' | 'worker' } & Loaded)
  | ({ readonly kind: 'router-fit'; readonly name: string; readonly file: string | undefined } & Loaded)
  | ({ readonly kind: 'router-eval'; readonly name: string; readonly file: string; readonly minRate: number } & Loaded)
  | { readonly kind: 'p2p-token' }
  | { readonly kind: 'cluster-keys' /** Absolute path. */; readonly folder: string }
  | ({ readonly kind: 'p2p-worker'; readonly worker: readonly [string, ...string[]] } & Loaded)
  | ({ readonly kind: 'pii-eval' } & PiiEvalTask & Loaded)
  | ({ readonly kind: 'accounts'; readonly command: AccountCommand; readonly json: boolean } & Loaded)
  | { readonly kind: 'help'; readonly text: string }
  | { readonly kind: 'version' }
  | { readonly kind: 'usage-error' /** One line for each mistake. */; readonly message: string; readonly exitCode: 2 }

/** The model that `chat` talks to. */
export interface ChatTask {
  readonly model: string
  readonly system: string | undefined
  /** The words of one prompt, where `-` is standard input; undefined without a prompt. */
  readonly prompt: readonly string[] | undefined
}

/** The file of labelled texts that `pii eval` is given, and the detectors to run. */
export interface PiiEvalTask {
  /** Absolute path. */
  readonly file: string
  /** Names of detector models; empty for all built-ins. */
  readonly detectors: readonly string[]
  readonly offsets: OffsetEncoding
}

/** The file that `models add` is given. */
export interface ModelSource {
  /** Absolute path. */
  readonly file: string
  readonly name: string | undefined
  readonly transfer: 'copy' | 'link' | 'move'
}

/** Everything that {@link loadConfig} reads. */
export interface LoadInput {
  /** The arguments after the program's name. */
  readonly argv: readonly string[]
  readonly env: Environment
  /** Relative paths start here. */
  readonly cwd: string
}

interface Given {
  readonly text: string
  readonly writtenAs: string
  readonly source: ConfigSource
}

function findGiven({ key, env = [] }: Option, args: ParsedArguments, environment: Environment): Given | undefined {
  const flag = args.values.get(key)
  if (flag !== undefined) return { ...flag, source: 'flag' }
  const variables = args.words[0] === 'worker' ? listWorkerVariables(env, environment) : env
  const variable = firstSet(environment, variables)
  return variable === undefined ? undefined : { text: variable.text, writtenAs: variable.name, source: 'env' }
}

/** The sentence for a value of another form. */
function refuseForm({ secret, form }: Option, given: Given): string {
  const shown = secret === true ? 'the value' : JSON.stringify(given.text)
  return `${given.writtenAs}: ${shown} is not ${form}`
}

/** The sentence for an option that is refused, with the name of its flag beside that of a variable. */
function refuseOption(option: Option, refusal: string, writtenAs: string): string {
  const name = formatOptionName(option)
  return `${writtenAs}${name === writtenAs ? '' : ` (${name})`} ${refusal}`
}

/** Every value with its source, and the sentences about values that cannot be used. */
function readValues(args: ParsedArguments, { env, cwd }: LoadInput): Loaded & { problems: readonly string[] } {
  const values: Record<string, unknown> = {}
  const sources: Record<string, ConfigSource> = {}
  const problems: string[] = []
  for (const option of OPTIONS) {
    const given = findGiven(option, args, env)
    const value = readOption(option, given?.text, { cwd })
    if (given !== undefined) {
      if (value === undefined) problems.push(refuseForm(option, given))
      else if (option.refusal !== undefined && !isDeepStrictEqual(value, readOption(option, undefined, { cwd })))
        problems.push(refuseOption(option, option.refusal, given.writtenAs))
    }
    values[option.key] = value
    sources[option.key] = given?.source ?? 'default'
  }
  const unknown = unknownVariables(env)
  // The schema of each option made its value, and both types follow from the schemas.
  const config = Object.freeze(maskSecrets(values)) as ServerConfig
  return {
    config,
    sources: Object.freeze(sources) as ConfigSources,
    warnings: unknown === undefined ? [] : [unknown],
    problems,
  }
}

const COMMANDS = COMMAND_LIST.map(({ words }) => words)
/** The first words of commands. */
const FIRST_WORDS = [...new Set(COMMANDS.map((words) => words.split(' ')[0] ?? ''))]
/** First words that need a second word. */
const GROUPS = FIRST_WORDS.filter((word) => !COMMANDS.includes(word))
const WORDS = [...FIRST_WORDS, 'help', 'version']
/** The flags of commands that have flags of their own. Those of accounts are checked with the command. */
const OWN_FLAGS: ReadonlyMap<string, readonly string[]> = new Map([
  ['chat', ['--system']],
  ['models list', ['--json']],
  ['backends list', ['--json']],
  ['prices list', ['--json']],
  ['models add', ['--name', '--link', '--move']],
  ['models convert', ['--name']],
  ['router eval', ['--min-rate']],
  ['pii eval', ['--detectors', '--offsets']],
  ...REMOTE_COMMANDS.map(({ verb }): [string, readonly string[]] => [verb, listRemoteFlags(verb)]),
  ...NODE_OWN_FLAGS,
])
/** Commands of other programs, each with the command that does the same here. */
const USUAL_COMMANDS: ReadonlyMap<string, string> = new Map([
  ['serve', 'run'],
  ['start', 'run'],
  ['server', 'run'],
  ['ls', 'models list'],
  ['list', 'models list'],
  ['ps', 'models list'],
  ['add', 'models add FILE'],
  ['create', 'models add FILE'],
  ['import', 'models import URI'],
  ['pull', 'models install NAME'],
  ['install', 'models install NAME'],
  ['show', 'models show NAME'],
  ['ask', 'chat MODEL PROMPT'],
  ['generate', 'chat MODEL PROMPT'],
  ['talk', 'chat MODEL'],
  ['rm', 'models delete NAME'],
  ['remove', 'models delete NAME'],
  ['delete', 'models delete NAME'],
])

/** Commands about one model of the folder. */
const NAMED_COMMANDS: ReadonlyMap<string, 'models-show' | 'models-delete' | 'models-export'> = new Map([
  ['models show', 'models-show'],
  ['models delete', 'models-delete'],
  ['models export-config', 'models-export'],
])

function unknownCommand(name: string, known: readonly string[], usual: string | undefined): string {
  const hint = usual === undefined ? didYouMean(name, known) : ` (it is svc ${usual} here)`
  return `unknown command ${name}${hint}; the commands are ${[...COMMANDS, 'help', 'version'].join(', ')}`
}

/** The command that the words name, or the sentence that refuses them. */
function readCommand({ words, commandFlags }: ParsedArguments, loaded: Loaded, cwd: string): Command | string {
  const [first, second, ...rest] = words
  const two = `${first ?? ''} ${second ?? ''}`
  const accounts = readAccountCommand({ words, commandFlags })
  if (typeof accounts === 'string') return accounts
  const json = commandFlags.has('--json')
  if (accounts !== undefined) return { kind: 'accounts', command: accounts, json, ...loaded }
  // the word after `chat` is the model, whatever it is
  const asked = first === 'chat' ? first : two.trim()
  const foreign = [...commandFlags.keys()].find((flag) => OWN_FLAGS.get(asked)?.includes(flag) !== true)
  if (foreign !== undefined) return `${foreign} does not belong to ${asked || 'run'}`
  if (first === 'chat') return chatCommand(words.slice(1), { commandFlags, loaded, cwd })
  if (two === 'models add') return addCommand(rest, { commandFlags, loaded, cwd })
  if (two === 'models convert') return convertCommand(rest, { commandFlags, loaded, cwd })
  if (two === 'router fit' || two === 'router eval') return routerCommand(two, rest, { commandFlags, loaded, cwd })
  if (two === 'pii eval') return piiEvalCommand(rest, { commandFlags, loaded, cwd })
  if (first === undefined || first === 'run') return { kind: 'run', models: words.slice(1), ...loaded }
  const remote = readRemoteCommand(words, commandFlags)
  if (typeof remote === 'string') return remote
  if (remote !== undefined) return { kind: 'remote', remote, ...loaded }
  const nodes = readNodeCommand(words, commandFlags)
  if (typeof nodes === 'string') return nodes
  if (nodes !== undefined) return { kind: 'nodes', command: nodes, json, ...loaded }
  if (two === 'models list' && rest.length === 0) return { kind: 'models-list', json, ...loaded }
  if (two === 'models schema' && rest.length === 0) return { kind: 'models-schema' }
  if (two === 'prices list' && rest.length === 0) return { kind: 'prices-list', json, ...loaded }
  if (two === 'prices check') return pricesCheckCommand(rest, cwd)
  if (two === 'backends list' && rest.length === 0) return { kind: 'backends-list', json, ...loaded }
  if (first === 'openapi' && words.length === 1) return { kind: 'openapi', ...loaded }
  if ((first === 'mcp' || first === 'worker') && words.length === 1) return { kind: first, ...loaded }
  if (two === 'p2p token' && rest.length === 0) return { kind: 'p2p-token' }
  if (two === 'cluster keys') return keysCommand(rest, cwd)
  if (two === 'p2p worker') return workerCommand(rest, loaded)
  if (two === 'mitm ca' && rest.length === 0) return { kind: 'mitm-ca', ...loaded }
  const kind = NAMED_COMMANDS.get(two)
  if (kind !== undefined) {
    const [name, ...more] = rest
    if (name === undefined || name === '' || more.length > 0) return `${two} takes one NAME`
    return { kind, name, ...loaded }
  }
  if (GROUPS.includes(first)) {
    const usual = second === undefined ? undefined : USUAL_COMMANDS.get(second)
    return unknownCommand(two.trim(), COMMANDS, first === 'models' ? usual : undefined)
  }
  return unknownCommand(first, WORDS, USUAL_COMMANDS.get(first))
}

interface CommandParts {
  readonly commandFlags: ParsedArguments['commandFlags']
  readonly loaded: Loaded
  readonly cwd: string
}

function routerCommand(
  command: 'router fit' | 'router eval',
  [name, file, ...more]: readonly string[],
  { commandFlags, loaded, cwd }: CommandParts,
): Command | string {
  const isEval = command === 'router eval'
  if (!name || file === '' || more.length > 0 || (isEval && file === undefined)) {
    return `${command} takes ${isEval ? 'NAME and FILE' : 'NAME and, beside a corpus or in its place, FILE'}`
  }
  const path = file === undefined ? undefined : resolve(cwd, file)
  if (!isEval || path === undefined) return { kind: 'router-fit', name, file: path, ...loaded }
  const text = commandFlags.get('--min-rate') ?? '0'
  const minRate = typeof text === 'string' && text.trim() !== '' ? Number(text) : Number.NaN
  if (!(minRate >= 0 && minRate <= 1)) return `--min-rate: ${JSON.stringify(text)} is not a number from 0 to 1`
  return { kind: 'router-eval', name, file: path, minRate, ...loaded }
}

function workerCommand([worker, ...more]: readonly string[], loaded: Loaded): Command | string {
  if (worker === undefined || worker === '') return 'p2p worker takes the port or the program of an rpc-server'
  return { kind: 'p2p-worker', worker: [worker, ...more], ...loaded }
}

function keysCommand([folder, ...more]: readonly string[], cwd: string): Command | string {
  if (folder === undefined || folder === '' || more.length > 0) return 'cluster keys takes one FOLDER'
  return { kind: 'cluster-keys', folder: resolve(cwd, folder) }
}

function pricesCheckCommand([file, ...more]: readonly string[], cwd: string): Command | string {
  if (file === undefined || file === '' || more.length > 0) return 'prices check takes one FILE'
  return { kind: 'prices-check', file: resolve(cwd, file) }
}

const OFFSETS: readonly OffsetEncoding[] = ['codepoint', 'utf16', 'utf8']

function piiEvalCommand(
  [file, ...more]: readonly string[],
  { commandFlags, loaded, cwd }: CommandParts,
): Command | string {
  if (file === undefined || file === '' || more.length > 0) return 'pii eval takes one FILE'
  const asked = commandFlags.get('--offsets') ?? 'codepoint'
  const offsets = OFFSETS.find((known) => known === asked)
  if (offsets === undefined) return `--offsets: ${JSON.stringify(asked)} is none of ${OFFSETS.join(', ')}`
  const named = commandFlags.get('--detectors')
  const names = typeof named === 'string' ? named.split(',').map((name) => name.trim()) : []
  const detectors = names.filter((name) => name !== '')
  if (named !== undefined && detectors.length === 0) return '--detectors names no detector'
  return { kind: 'pii-eval', file: resolve(cwd, file), detectors, offsets, ...loaded }
}

function chatCommand([model, ...prompt]: readonly string[], { commandFlags, loaded }: CommandParts): Command | string {
  if (model === undefined || model === '') return 'chat takes MODEL and, where nobody types, PROMPT'
  const system = commandFlags.get('--system')
  const chat = { model, system: typeof system === 'string' ? system : undefined }
  return { kind: 'chat', chat: { ...chat, prompt: prompt.length === 0 ? undefined : prompt }, ...loaded }
}

function addCommand([file, ...more]: readonly string[], { commandFlags, loaded, cwd }: CommandParts): Command | string {
  if (file === undefined || file === '' || more.length > 0) return 'models add takes one FILE'
  if (commandFlags.has('--link') && commandFlags.has('--move')) return '--link and --move exclude each other'
  const name = commandFlags.get('--name')
  const transfer = commandFlags.has('--link') ? 'link' : commandFlags.has('--move') ? 'move' : 'copy'
  const source = { file: resolve(cwd, file), name: typeof name === 'string' ? name : undefined, transfer } as const
  return { kind: 'models-add', source, ...loaded }
}

function convertCommand(
  [folder, ...more]: readonly string[],
  { commandFlags, loaded, cwd }: CommandParts,
): Command | string {
  if (folder === undefined || folder === '' || more.length > 0) return 'models convert takes one FOLDER'
  const name = commandFlags.get('--name')
  const source = { file: resolve(cwd, folder), name: typeof name === 'string' ? name : undefined }
  return { kind: 'models-convert', source, ...loaded }
}

/**
 * Turns a command line and an environment into a command. Pure: reads nothing but its argument, and returns every
 * mistake as a value. Precedence: flag, then variable, then default. `settings/` puts the saved settings in between.
 */
export function loadConfig(input: LoadInput): Command {
  const args = parseArguments(input.argv)
  if (args.help || args.words[0] === 'help') {
    return { kind: 'help', text: args.words[0] === 'worker' ? workerHelpText() : helpText({ all: args.all }) }
  }
  if (args.version || args.words[0] === 'version') return { kind: 'version' }
  const { problems, ...loaded } = readValues(args, input)
  const command = readCommand(args, loaded, input.cwd)
  // The value of an unknown flag looks like a command: one complaint is enough.
  const wrongCommand = typeof command === 'string' && args.problems.length === 0 ? [command] : []
  const misplaced = args.all ? ['--all belongs to --help'] : []
  const mistakes = [...args.problems, ...misplaced, ...problems, ...wrongCommand]
  if (typeof command !== 'string' && mistakes.length === 0) return command
  return { kind: 'usage-error', message: mistakes.join('\n'), exitCode: 2 }
}
