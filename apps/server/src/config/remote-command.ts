/** A command that a running server carries out. */
export type RemoteVerb = (typeof REMOTE_COMMANDS)[number]['verb']

/** The commands, each with what it takes. */
export const REMOTE_COMMANDS = [
  { verb: 'models available', takes: undefined, about: 'list the models of the galleries' },
  { verb: 'models install', takes: 'NAME', about: 'install a model of a gallery' },
  { verb: 'backends available', takes: undefined, about: 'list the backends of the galleries' },
  { verb: 'backends install', takes: 'NAME', about: 'install a backend of a gallery' },
  { verb: 'backends delete', takes: 'NAME', about: 'delete an installed backend' },
  { verb: 'operations list', takes: undefined, about: 'list operations that wait, run or have failed' },
  { verb: 'operations history', takes: undefined, about: 'list the last finished operations' },
  { verb: 'operations cancel', takes: 'ID', about: 'end an operation and discard what it has fetched' },
  { verb: 'operations pause', takes: 'ID', about: 'end an operation and keep what it has fetched' },
  { verb: 'operations dismiss', takes: 'ID', about: 'move a failed operation to the history' },
] as const

/** A remote command with its argument. */
export interface RemoteCommand {
  readonly verb: RemoteVerb
  /** Empty where the command takes none. */
  readonly argument: string
}

/** The remote command that words name; a sentence where its argument is wrong; undefined for other words. */
export function readRemoteCommand([first = '', second = '', ...rest]: readonly string[]):
  | RemoteCommand
  | string
  | undefined {
  const found = REMOTE_COMMANDS.find(({ verb }) => verb === `${first} ${second}`)
  if (found === undefined) return undefined
  const { verb, takes } = found
  const [argument = '', ...more] = rest
  if (takes === undefined) return rest.length === 0 ? { verb, argument: '' } : `${verb} takes nothing`
  return argument === '' || more.length > 0 ? `${verb} takes one ${takes}` : { verb, argument }
}
