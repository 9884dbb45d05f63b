import { LIMIT_FLAGS, type LimitCommand, readNewLimit } from './limit-command.ts'

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
  | KeyCommand
  | LimitCommand
  | { readonly what: 'invites revoke'; readonly id: string }
  | { readonly what: 'invites create'; readonly hours: number | undefined }

/** A command about the key of a service, or about any key. */
export type KeyCommand =
  | { readonly what: 'keys create-service'; readonly name: string; readonly expiresIn: string | undefined }
  | { readonly what: 'keys list-all' }
  | { readonly what: 'keys block'; readonly id: string; readonly reason: string | undefined }
  | { readonly what: 'keys rotate'; readonly id: string; readonly grace: string | undefined }
  | { readonly what: 'keys revoke' | 'keys unblock'; readonly id: string }

type CommandName = AccountCommand['what']

/** The words and flags of a command. */
interface Form {
  readonly about: string
  /** A further line about it. */
  readonly details?: string
  /** The word that follows, as the help text calls it. */
  readonly argument?: 'USER' | 'EMAIL' | 'ID' | 'NAME' | 'KIND:NAME'
  readonly flags?: readonly string[]
}

const FORMS: Readonly<Record<CommandName, Form>> = {
  'users list': { about: 'list the accounts' },
  'users create': {
    argument: 'EMAIL',
    flags: ['--name', '--role', '--password-stdin'],
    about: 'make an account; prints its password, or takes it from --password-stdin;',
    details: '--name NAME, --role admin',
  },
  'users promote': { argument: 'USER', about: 'make an account an admin; USER is an address or an id' },
  'users approve': { argument: 'USER', about: 'let an account in that waits for approval' },
  'users disable': { argument: 'USER', about: 'end what an account runs, and let it in no more' },
  'users enable': { argument: 'USER', about: 'let a disabled account in again' },
  'users delete': { argument: 'USER', about: 'delete an account with its keys, quotas, usage and files' },
  'users reset-password': {
    argument: 'USER',
    flags: ['--password-stdin'],
    about: 'give an account a new password and end its sessions',
  },
  'keys create': {
    argument: 'USER',
    flags: ['--name', '--expires'],
    about: 'make an API key and print it once: --name NAME, --expires 90d',
  },
  'keys create-service': {
    argument: 'NAME',
    flags: ['--expires'],
    about: 'make an API key that belongs to no account, and print it once: --expires 90d',
  },
  'keys list': { argument: 'USER', about: 'list the API keys of an account' },
  'keys list-all': { about: 'list the API keys of services and of all accounts' },
  'keys rotate': {
    argument: 'ID',
    flags: ['--grace'],
    about: 'give an API key a new value and print it once; the old one holds on: --grace 24h',
  },
  'keys block': { argument: 'ID', flags: ['--reason'], about: 'let an API key in no more: --reason TEXT' },
  'keys unblock': { argument: 'ID', about: 'let a blocked API key in again' },
  'keys revoke': { argument: 'ID', about: 'revoke an API key' },
  'limits list': { about: 'list the limits and budgets with what is used of them' },
  'limits add': {
    argument: 'KIND:NAME',
    flags: LIMIT_FLAGS.map(([name]) => name),
    about: 'limit an account, key, group, model, end_user: account:USER, account:* for each;',
    details: '--requests N, --tokens N, --parallel N, --budget 12.50 --currency USD, --window month',
  },
  'limits remove': { argument: 'ID', about: 'remove a limit with its counts' },
  'invites create': { flags: ['--hours'], about: 'make an invite and print its address: --hours N' },
  'invites list': { about: 'list the invites' },
  'invites revoke': { argument: 'ID', about: 'revoke an unused invite' },
  'secret rotate': {
    about: 'take a new secret, with no server running; ends every session, API key and invite',
    details: '--json prints the result of a command about accounts, keys, invites or the secret as JSON',
  },
}

/** Every command can print its result as JSON. */
const JSON_FLAG = '--json'

/** The commands about accounts. */
export const ACCOUNT_COMMAND_LIST = Object.entries(FORMS).map(([words, { argument, about, details }]) => ({
  words,
  takes: argument,
  about,
  details: details === undefined ? undefined : [details],
}))

/** The flags of these commands, each with the form of its value. */
export const ACCOUNT_FLAGS: readonly (readonly [string, string | undefined])[] = [
  ['--role', 'admin or user'],
  ['--password-stdin', undefined],
  ['--expires', 'how long the key is valid, such as 90d or 720h'],
  ['--grace', 'how long the value before stays valid, such as 24h or 0'],
  ['--reason', 'why, for people'],
  ['--hours', 'how many hours the invite is valid'],
  ...LIMIT_FLAGS,
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
    case 'keys list-all':
    case 'limits list':
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
    case 'keys unblock':
    case 'limits remove':
    case 'invites revoke':
      return { what, id: value }
    case 'limits add': {
      const limit = readNewLimit(value, readFlag)
      return typeof limit === 'string' ? limit : { what, limit }
    }
    case 'users create': {
      const role = readText('--role') ?? 'user'
      if (role !== 'admin' && role !== 'user') return `--role: ${JSON.stringify(role)} is not admin or user`
      return { what, user: value, name: readText('--name'), role, readsPassword }
    }
    case 'keys create':
      return { what, user: value, name: readText('--name') ?? 'command line', expiresIn: readText('--expires') }
    case 'keys create-service':
      return { what, name: value, expiresIn: readText('--expires') }
    case 'keys block':
      return { what, id: value, reason: readText('--reason') }
    case 'keys rotate':
      return { what, id: value, grace: readText('--grace') }
    case 'invites create': {
      const hours = readText('--hours')
      if (hours !== undefined && (!/^[1-9]\d{0,3}$/.test(hours) || Number(hours) > MAX_INVITE_HOURS))
        return `--hours: ${JSON.stringify(hours)} is not a number of hours from 1 to ${MAX_INVITE_HOURS}`
      return { what, hours: hours === undefined ? undefined : Number(hours) }
    }
  }
}
