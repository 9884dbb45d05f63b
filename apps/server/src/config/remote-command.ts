/** A command that a running server carries out. */
export type RemoteVerb = (typeof REMOTE_COMMANDS)[number]['verb']

/** The commands, each with its arguments. Where no server runs they work on its folders. */
export const REMOTE_COMMANDS = [
  { verb: 'models available', takes: undefined, about: 'list the models of the galleries' },
  { verb: 'models install', takes: 'NAME', about: 'install a model of a gallery' },
  {
    verb: 'models import',
    takes: 'URI',

    about: 'install the model behind an address: --name NAME, --backend NAME',
  },
  {
    verb: 'models prune',
    takes: '[FILE]',
    about: 'delete old variants and partial files that no model needs: --dry-run',
  },
  { verb: 'backends available', takes: undefined, about: 'list the backends of the galleries' },
  { verb: 'backends install', takes: 'NAME', about: 'install a backend of a gallery, or an image' },
  { verb: 'backends upgrade', takes: '[NAME]', about: 'install newer builds of one or all backends' },
  { verb: 'backends delete', takes: 'NAME', about: 'delete an installed backend' },
  {
    verb: 'operations list',
    takes: undefined,

    about: 'list operations that wait, run or have failed',
  },
  { verb: 'operations history', takes: undefined, about: 'list the last finished operations' },
  {
    verb: 'operations cancel',
    takes: 'ID',

    about: 'end an operation and discard what it has fetched',
  },
  { verb: 'operations pause', takes: 'ID', about: 'end an operation and keep what it has fetched' },
  { verb: 'operations dismiss', takes: 'ID', about: 'move a failed operation to the history' },
  { verb: 'operations retry', takes: 'ID', about: 'start a failed installation again' },
] as const

/** A remote command with its argument and flags. */
export interface RemoteCommand {
  readonly verb: RemoteVerb
  /** Empty without an argument. */
  readonly argument: string
  /** Whether JSON is printed instead of text. */
  readonly json: boolean
  /** Name of the model, for `models import`. */
  readonly name?: string | undefined
  readonly backend?: string | undefined
  /** Whether `models prune` deletes nothing. */
  readonly isDryRun?: boolean | undefined
}

const OWN_FLAGS: Partial<Record<RemoteVerb, readonly string[]>> = {
  'models import': ['--name', '--backend'],
  'models prune': ['--dry-run'],
}

/** The flags of a command. */
export function listRemoteFlags(verb: RemoteVerb): readonly string[] {
  return ['--json', ...(OWN_FLAGS[verb] ?? [])]
}

/** The remote command that words name; a sentence where its argument is wrong; undefined for other words. */
export function readRemoteCommand(
  [first = '', second = '', ...rest]: readonly string[],
  flags: ReadonlyMap<string, string | true>,
): RemoteCommand | string | undefined {
  const found = REMOTE_COMMANDS.find(({ verb }) => verb === `${first} ${second}`)
  if (found === undefined) return undefined
  const { verb, takes } = found
  const [argument = '', ...more] = rest
  const isOptional = takes?.startsWith('[') === true
  if (takes === undefined && rest.length > 0) return `${verb} takes nothing`
  if (more.length > 0 || (takes !== undefined && !isOptional && argument === '')) {
    return isOptional ? `${verb} takes at most one ${takes.slice(1, -1)}` : `${verb} takes one ${takes}`
  }
  const text = (flag: string): string | undefined => {
    const value = flags.get(flag)
    return typeof value === 'string' ? value : undefined
  }
  return {
    verb,
    argument,
    json: flags.has('--json'),
    isDryRun: flags.has('--dry-run'),
    name: text('--name'),
    backend: text('--backend'),
  }
}
