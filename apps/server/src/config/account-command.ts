/** A command about accounts, keys, invites or the secret under which they are stored. */
export type AccountCommand =
  | { readonly what: 'users list' | 'invites list' }
  | { readonly what: 'secret rotate' }
  | {
      readonly what: 'users create'
      readonly user: string
      readonly name: string | undefined
      readonly role: 'admin' | 'user'
      readonly readsPassword: boolean
    }
  | { readonly what: 'users promote' | 'users delete' | 'keys list'; readonly user: string }
  | { readonly what: 'users approve' | 'users disable' | 'users enable'; readonly user: string }
  | { readonly what: 'users reset-password'; readonly user: string; readonly readsPassword: boolean }
  | {
      readonly what: 'keys create'
      readonly user: string
      readonly name: string
      readonly expiresIn: string | undefined
    }
  | { readonly what: 'keys revoke' | 'invites revoke'; readonly id: string }
  | { readonly what: 'invites create'; readonly hours: number | undefined }

type CommandName = AccountCommand['what']

/** The words and flags of a command. */
interface Form {
  /** The word that follows, as the help text calls it. */
  readonly argument?: 'USER' | 'EMAIL' | 'ID'
  readonly flags?: readonly string[]
}

const FORMS: Readonly<Record<CommandName, Form>> = {
  'users list': {},
  'users create': { argument: 'EMAIL', flags: ['--name', '--role', '--password-stdin'] },
  'users promote': { argument: 'USER' },
  'users approve': { argument: 'USER' },
  'users disable': { argument: 'USER' },
  'users enable': { argument: 'USER' },
  'users delete': { argument: 'USER' },
  'users reset-password': { argument: 'USER', flags: ['--password-stdin'] },
  'keys create': { argument: 'USER', flags: ['--name', '--expires'] },
  'keys list': { argument: 'USER' },
  'keys revoke': { argument: 'ID' },
  'invites create': { flags: ['--hours'] },
  'invites list': {},
  'invites revoke': { argument: 'ID' },
  'secret rotate': {},
}

/** Every command can print its result as JSON. */
const JSON_FLAG = '--json'

/** The commands about accounts. */
export const ACCOUNT_COMMANDS = Object.keys(FORMS)

/** The flags of these commands, each with the form of its value. */
export const ACCOUNT_FLAGS: readonly (readonly [string, string | undefined])[] = [
  ['--role', 'admin or user'],
  ['--password-stdin', undefined],
  ['--expires', 'how long the key is valid, such as 90d or 720h'],
  ['--hours', 'how many hours the invite is valid'],
]

const isAccountCommand = (name: string): name is CommandName => Object.hasOwn(FORMS, name)

/** A year. */
const MAX_INVITE_HOURS = 8760

/** The part of a command line that names a command. */
export interface AccountLine {
  readonly words: readonly string[]
  /** Flags by their names; `true` for a flag without a value. */
  readonly commandFlags: ReadonlyMap<string, string | true>
}

/** The command that words name; a sentence that refuses them; undefined for a command about something else. */
export function readAccountCommand({
  words: [first, second, ...rest],
  commandFlags,
}: AccountLine): AccountCommand | string | undefined {
  const what = `${first ?? ''} ${second ?? ''}`
  if (!isAccountCommand(what)) return undefined
  const { argument, flags = [] } = FORMS[what]
  const foreign = [...commandFlags.keys()].find((flag) => flag !== JSON_FLAG && !flags.includes(flag))
  if (foreign !== undefined) return `${foreign} does not belong to ${what}`
  const [value = '', ...more] = rest
  if (argument === undefined && rest.length > 0) return `${what} takes no word behind it`
  if (argument !== undefined && (value === '' || more.length > 0)) return `${what} takes one ${argument}`
  return toCommand(what, value, (flag) => commandFlags.get(flag))
}

function toCommand(
  what: CommandName,
  value: string,
  readFlag: (name: string) => string | true | undefined,
): AccountCommand | string {
  const readText = (name: string): string | undefined => {
    const text = readFlag(name)
    return typeof text === 'string' ? text : undefined
  }
  const readsPassword = readFlag('--password-stdin') === true
  switch (what) {
    case 'users list':
    case 'invites list':
    case 'secret rotate':
      return { what }
    case 'users promote':
    case 'users approve':
    case 'users disable':
    case 'users enable':
    case 'users delete':
    case 'keys list':
      return { what, user: value }
    case 'users reset-password':
      return { what, user: value, readsPassword }
    case 'keys revoke':
    case 'invites revoke':
      return { what, id: value }
    case 'users create': {
      const role = readText('--role') ?? 'user'
      if (role !== 'admin' && role !== 'user') return `--role: ${JSON.stringify(role)} is not admin or user`
      return { what, user: value, name: readText('--name'), role, readsPassword }
    }
    case 'keys create':
      return { what, user: value, name: readText('--name') ?? 'command line', expiresIn: readText('--expires') }
    case 'invites create': {
      const hours = readText('--hours')
      if (hours !== undefined && (!/^[1-9]\d{0,3}$/.test(hours) || Number(hours) > MAX_INVITE_HOURS))
        return `--hours: ${JSON.stringify(hours)} is not a number of hours from 1 to ${MAX_INVITE_HOURS}`
      return { what, hours: hours === undefined ? undefined : Number(hours) }
    }
  }
}
