import { randomBytes } from 'node:crypto'
import { mkdir } from 'node:fs/promises'
import { text } from 'node:stream/consumers'
import { type Auth, createAuth } from '@svc/auth'
import { normalizeEmail } from '@svc/auth/accounts'
import type { ApiKey, Invite, User } from '@svc/auth/ports'
import { SvcError } from '@svc/errors'
import { systemClock } from './clock.ts'
import type { AccountCommand } from './config/account-command.ts'
import type { ServerConfig } from './config/schema.ts'
import { openDatabase } from './db/open-database.ts'
import { createAccountStores, toAuthOptions } from './platform/open-accounts.ts'
import type { Logger } from './ports.ts'
import { rotateSecret } from './secret/rotate-secret.ts'
import { openServerSecret } from './secret/server-secret.ts'

/** Options of {@link runAccountCommand}. */
export interface AccountCommandOptions {
  readonly config: ServerConfig
  /** As `/version` shows it. */
  readonly version: string
  readonly command: AccountCommand
  readonly input: NodeJS.ReadableStream
}

/** What a command works on. A server may have the database open too. */
interface CommandParts {
  readonly auth: Auth
  readonly config: ServerConfig
  readonly input: NodeJS.ReadableStream
}

const PAGE = 1000
const quiet: Logger = { debug() {}, info() {}, warn() {}, error() {} }
const call = { signal: new AbortController().signal }

/**
 * Runs a command on the database of a configuration, whether its server runs or not. A running one obeys within a second.
 *
 * @returns the text for standard output
 */
export async function runAccountCommand(options: AccountCommandOptions): Promise<string> {
  const { config, version, command, input } = options
  if (command.what === 'secret rotate') return rotateSecret({ config, version, clock: systemClock, logger: quiet })
  await mkdir(config.dataPath, { recursive: true, mode: 0o700 })
  await using database = await openDatabase({
    url: config.authDatabaseUrl,
    dataPath: config.dataPath,
    appVersion: version,
    logger: quiet,
    clock: systemClock,
    joinsServer: true,
  })
  const secret = await openServerSecret(config, { database, clock: systemClock })
  await using auth = createAuth({
    ...toAuthOptions(config, secret),
    stores: createAccountStores(database),
    registrationMode: 'open',
  })
  return await run(command, { auth, config, input })
}

function run(command: Exclude<AccountCommand, { what: 'secret rotate' }>, parts: CommandParts): Promise<string> {
  switch (command.what) {
    case 'users list':
      return listUsers(parts)
    case 'users create':
      return createUser(command, parts)
    case 'users promote':
      return promoteUser(command.user, parts)
    case 'users reset-password':
      return resetPassword(command, parts)
    case 'keys create':
      return createKey(command, parts)
    case 'keys list':
      return listKeys(command.user, parts)
    case 'keys revoke':
      return revokeKey(command.id, parts)
    case 'invites create':
      return createInvite(command.hours, parts)
    case 'invites list':
      return listInvites(parts)
    case 'invites revoke':
      return parts.auth.invites.revoke(command.id, call).then(() => `revoked the invite ${command.id}\n`)
  }
}

async function listUsers({ auth }: CommandParts): Promise<string> {
  const rows = [['ID', 'EMAIL', 'NAME', 'ROLE', 'STATUS', 'PROVIDER']]
  for await (const user of everybody(auth)) {
    const { id, email, name, role, status, provider } = user
    rows.push([id, email, name, role, status, provider])
  }
  return formatRows(rows)
}

async function createUser(
  command: Extract<AccountCommand, { what: 'users create' }>,
  { auth, input }: CommandParts,
): Promise<string> {
  const { user: email, name, role, readsPassword } = command
  const password = readsPassword ? await readPassword(input) : createPassword()
  const registered = await auth.accounts.register({ email, name, password }, call)
  if (registered.kind !== 'active')
    throw new SvcError('conflict', `there is an account with the address ${email} already`)
  const { id } = registered.user
  const change = { actorId: undefined }
  await auth.accounts.setStatus(id, { status: 'active', ...change }, call)
  if (role === 'admin') await auth.accounts.setRole(id, { role, ...change }, call)
  const { role: given } = await auth.accounts.read(id, call)
  return `created the ${given} ${email} (${id})\n${readsPassword ? '' : `password: ${password}\n`}`
}

async function promoteUser(text: string, { auth }: CommandParts): Promise<string> {
  const user = await findUser(auth, text)
  await auth.accounts.setRole(user.id, { role: 'admin', actorId: undefined }, call)
  return `${user.email} is an admin\n`
}

async function resetPassword(
  { user: wanted, readsPassword }: Extract<AccountCommand, { what: 'users reset-password' }>,
  { auth, input }: CommandParts,
): Promise<string> {
  const user = await findUser(auth, wanted)
  const password = readsPassword ? await readPassword(input) : createPassword()
  await auth.accounts.resetPassword(user.id, { password, actorId: undefined }, call)
  return `${user.email} has a new password and no session\n${readsPassword ? '' : `password: ${password}\n`}`
}

async function createKey(
  { user: wanted, name, expiresIn }: Extract<AccountCommand, { what: 'keys create' }>,
  { auth }: CommandParts,
): Promise<string> {
  const { key, value } = await auth.apiKeys.createFor(await findUser(auth, wanted), { name, expiresIn }, call)
  return `${value}\n${key.expiresAt === undefined ? '' : `valid until ${formatDate(key.expiresAt)}\n`}`
}

async function listKeys(wanted: string, { auth }: CommandParts): Promise<string> {
  const { id } = await findUser(auth, wanted)
  const toRow = (key: ApiKey): string[] => [
    ...[key.id, key.prefix, key.name, formatDate(key.createdAt)],
    ...[formatDate(key.expiresAt), formatDate(key.lastUsedAt)],
  ]
  const keys = await auth.apiKeys.list(id, { limit: PAGE }, call)
  return formatRows([['ID', 'PREFIX', 'NAME', 'CREATED', 'EXPIRES', 'LAST USED'], ...keys.map(toRow)])
}

async function revokeKey(id: string, { auth }: CommandParts): Promise<string> {
  for await (const user of everybody(auth)) {
    const keys = await auth.apiKeys.list(user.id, { limit: PAGE }, call)
    if (!keys.some((key) => key.id === id)) continue
    await auth.apiKeys.revoke({ id, userId: user.id }, call)
    return `revoked the key ${id} of ${user.email}\n`
  }
  throw new SvcError('not_found', `there is no key ${id}`)
}

async function createInvite(hours: number | undefined, { auth, config }: CommandParts): Promise<string> {
  const invite = await auth.invites.create({ expiresInHours: hours, createdBy: undefined }, call)
  const base = config.externalBaseUrl?.replace(/\/+$/, '') ?? ''
  return `${base}/invite/${invite.code}\nvalid until ${formatDate(invite.expiresAt)}\n`
}

async function listInvites({ auth }: CommandParts): Promise<string> {
  const toRow = ({ id, prefix, createdAt, expiresAt, usedAt, usedBy }: Invite): string[] => [
    ...[id, prefix, formatDate(createdAt), formatDate(expiresAt), formatDate(usedAt), usedBy?.name ?? ''],
  ]
  const invites = await auth.invites.list({ limit: PAGE }, call)
  return formatRows([['ID', 'PREFIX', 'CREATED', 'EXPIRES', 'USED', 'USED BY'], ...invites.map(toRow)])
}

/** All accounts, a page at a time. */
async function* everybody(auth: Auth): AsyncGenerator<User> {
  let after: string | undefined
  for (;;) {
    const page = await auth.accounts.list({ after, limit: PAGE }, call)
    yield* page
    after = page.at(-1)?.id
    if (page.length < PAGE) return
  }
}

/** The account with an id or an address. @throws {SvcError} `not_found`; `conflict` where several have the address */
async function findUser(auth: Auth, wanted: string): Promise<User> {
  const email = normalizeEmail(wanted)
  const found: User[] = []
  for await (const user of everybody(auth)) if (user.id === wanted || user.email === email) found.push(user)
  const [user, ...others] = found
  if (user === undefined) throw new SvcError('not_found', `there is no account ${wanted}`)
  if (others.length === 0) return user
  const ids = found.map(({ id, provider }) => `${id} (${provider})`).join(', ')
  throw new SvcError('conflict', `several accounts have the address ${wanted}; name one by its id: ${ids}`)
}

async function readPassword(input: NodeJS.ReadableStream): Promise<string> {
  return (await text(input)).split(/\r?\n/, 1)[0] ?? ''
}

/** 128 random bits. */
function createPassword(): string {
  return randomBytes(16).toString('base64url')
}

function formatDate(milliseconds: number | undefined): string {
  return milliseconds === undefined ? '' : `${new Date(milliseconds).toISOString().slice(0, 16).replace('T', ' ')} UTC`
}

/** Control characters of a name must not reach the terminal. */
const toCell = (cell: string): string => cell.replace(/\p{Cc}/gu, '?')

function formatRows(rows: readonly (readonly string[])[]): string {
  const cells = rows.map((row) => row.map(toCell))
  const widths = (cells[0] ?? []).map((_, column) => Math.max(...cells.map((row) => row[column]?.length ?? 0)))
  const format = (row: readonly string[]): string =>
    row
      .map((cell, column) => cell.padEnd(widths[column] ?? 0))
      .join('  ')
      .trimEnd()
  return cells.map((row) => `${format(row)}\n`).join('')
}
