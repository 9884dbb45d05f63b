/** A command that a running server carries out. */
export type RemoteVerb = (typeof REMOTE_COMMANDS)[number]['verb']

/**
 * The commands, each with what it takes. `runsAlone` marks those that work on the folders where no server runs; the
 * others are about the work of a running server.
 */
export const REMOTE_COMMANDS = [
  { verb: 'models available', takes: undefined, runsAlone: true, about: 'list the models of the galleries' },
  { verb: 'models install', takes: 'NAME', runsAlone: true, about: 'install a model of a gallery' },
  {
    verb: 'models import',
    takes: 'URI',
    runsAlone: true,
    about: 'install the model behind an address: --name NAME, --backend NAME',
  },
  { verb: 'backends available', takes: undefined, runsAlone: true, about: 'list the backends of the galleries' },
  { verb: 'backends install', takes: 'NAME', runsAlone: true, about: 'install a backend of a gallery, or an image' },
  { verb: 'backends upgrade', takes: '[NAME]', runsAlone: true, about: 'install newer builds of one or all backends' },
  { verb: 'backends delete', takes: 'NAME', runsAlone: true, about: 'delete an installed backend' },
  {
    verb: 'operations list',
    takes: undefined,
    runsAlone: false,
    about: 'list operations that wait, run or have failed',
  },
  { verb: 'operations history', takes: undefined, runsAlone: false, about: 'list the last finished operations' },
  {
    verb: 'operations cancel',
    takes: 'ID',
    runsAlone: false,
    about: 'end an operation and discard what it has fetched',
  },
  { verb: 'operations pause', takes: 'ID', runsAlone: false, about: 'end an operation and keep what it has fetched' },
  { verb: 'operations dismiss', takes: 'ID', runsAlone: false, about: 'move a failed operation to the history' },
  { verb: 'operations retry', takes: 'ID', runsAlone: false, about: 'start a failed installation again' },
] as const

/** A remote command with its argument and flags. */
export interface RemoteCommand {
  readonly verb: RemoteVerb
  /** Empty where none is given. */
  readonly argument: string
  readonly runsAlone: boolean
  /** Whether JSON is printed instead of text. */
  readonly json: boolean
  /** Of `models import`. */
  readonly name?: string | undefined
  readonly backend?: string | undefined
}

/** The remote command that words name; a sentence where its argument is wrong; undefined for other words. */
export function readRemoteCommand(
  [first = '', second = '', ...rest]: readonly string[],
  flags: ReadonlyMap<string, string | true>,
): RemoteCommand | string | undefined {
  const found = REMOTE_COMMANDS.find(({ verb }) => verb === `${first} ${second}`)
  if (found === undefined) return undefined
  const { verb, takes, runsAlone } = found
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
  return { verb, argument, runsAlone, json: flags.has('--json'), name: text('--name'), backend: text('--backend') }
}
