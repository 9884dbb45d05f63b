import { randomBytes } from 'node:crypto'
import { mkdir } from 'node:fs/promises'
import { text } from 'node:stream/consumers'
import { type Auth, createAuth } from '@svc/auth'
import type { ApiKey, Invite, User } from '@svc/auth/ports'
import { SvcError } from '@svc/errors'
import { describeInvite, describeKey, describeUser, formatTime } from '../api/accounts/describe.ts'
import { systemClock } from '../clock.ts'
import type { AccountCommand } from '../config/account-command.ts'
import type { ServerConfig } from '../config/schema.ts'
import { openDatabase } from '../db/open-database.ts'
import type { DatabaseQueries } from '../db/queries.ts'
import { removeOwnerFrom } from '../document-stores/remove-owner.ts'
import { quietLogger } from '../logging/quiet-logger.ts'
import { readServerId } from '../operations/server-id.ts'
import { CONVERSATIONS_KEY, createConversationTokens } from '../pii/conversation-tokens.ts'
import { createAccountStores } from '../platform/lazy/lazy-stores.ts'
import { toAuthOptions } from '../platform/open-accounts.ts'
import { deriveKey } from '../secret/derive-key.ts'
import { rotateSecret } from '../secret/rotate-secret.ts'
import { openServerSecret, type ServerSecret } from '../secret/server-secret.ts'
import type { Answer } from './account-answer.ts'
import { formatDate, formatRows } from './account-table.ts'
import { everybody, findUser } from './find-user.ts'
import { runKeyCommand } from './key-commands.ts'
import { runLimitCommand } from './limit-commands.ts'
import { recordChangeIn, recordLocalChange } from './local-changes.ts'

/** Options of {@link runAccountCommand}. */
export interface AccountCommandOptions {
  readonly config: ServerConfig
  /** The version of the server, as `/version` shows it. */
  readonly version: string
  readonly command: AccountCommand
  readonly input: NodeJS.ReadableStream
  /** Whether the result is JSON. @default false */
  readonly json?: boolean | undefined
}

/** Parts of a command. A server may have the database open too. */
interface CommandParts {
  readonly auth: Auth
  readonly secret: ServerSecret
  readonly config: ServerConfig
  readonly queries: DatabaseQueries
  readonly input: NodeJS.ReadableStream
}

const PAGE = 1000

const call = { signal: new AbortController().signal }

/**
 * Runs a command on the database of a configuration, whether its server runs or not. A running one obeys within a second.
 *
 * @returns the text for standard output
 */
export async function runAccountCommand(options: AccountCommandOptions): Promise<string> {
  const { config, version, command, input, json = false } = options
  if (command.what === 'secret rotate') {
    const lines = await rotateSecret({ config, version, clock: systemClock, logger: quietLogger })
    await recordLocalChange(config, { change: 'secret.rotate' })
    return json ? `${JSON.stringify({ rotated: true })}\n` : lines
  }
  await mkdir(config.dataPath, { recursive: true, mode: 0o700 })
  await using database = await openDatabase({
    url: config.authDatabaseUrl,
    dataPath: config.dataPath,
    appVersion: version,
    logger: quietLogger,
    clock: systemClock,
    joinsServer: true,
  })
  const secret = await openServerSecret(config, { database, clock: systemClock })
  await using auth = createAuth({
    ...toAuthOptions(config, secret),
    stores: createAccountStores(database),
    registrationMode: 'open',
  })
  const { text: lines, value, change } = await run(command, { auth, secret, config, queries: database.queries, input })
  if (change !== undefined) await recordChangeIn(database, change)
  return json ? `${JSON.stringify(value)}\n` : lines
}

function run(command: Exclude<AccountCommand, { what: 'secret rotate' }>, parts: CommandParts): Promise<Answer> {
  switch (command.what) {
    case 'users list':
      return listUsers(parts)
    case 'users create':
      return createUser(command, parts)
    case 'users promote':
      return promoteUser(command.user, parts)
    case 'users approve':
    case 'users enable':
    case 'users disable':
      return changeStatus(command, parts)
    case 'users delete':
      return deleteUser(command.user, parts)
    case 'users reset-password':
      return resetPassword(command, parts)
    case 'keys create':
      return createKey(command, parts)
    case 'keys list':
      return listKeys(command.user, parts)
    case 'keys create-service':
    case 'keys list-all':
    case 'keys rotate':
    case 'keys block':
    case 'keys unblock':
    case 'keys revoke':
      return runKeyCommand(command, parts)
    case 'limits list':
    case 'limits add':
    case 'limits remove':
      return runLimitCommand(command, parts)
    case 'invites create':
      return createInvite(command.hours, parts)
    case 'invites list':
      return listInvites(parts)
    case 'invites revoke':
      return revokeInvite(command.id, parts)
  }
}

async function listUsers({ auth }: CommandParts): Promise<Answer> {
  const users: User[] = []
  for await (const user of everybody(auth)) users.push(user)
  const rows = users.map(({ id, email, name, role, status, provider }) => [id, email, name, role, status, provider])
  return {
    text: formatRows([['ID', 'EMAIL', 'NAME', 'ROLE', 'STATUS', 'PROVIDER'], ...rows]),
    value: users.map((user) => describeUser(user)),
  }
}

async function createUser(
  command: Extract<AccountCommand, { what: 'users create' }>,
  { auth, input }: CommandParts,
): Promise<Answer> {
  const { user: email, name, role, readsPassword } = command
  const password = readsPassword ? await readPassword(input) : createPassword()
  const registered = await auth.accounts.register({ email, name, password }, call)
  if (registered.kind !== 'active')
    throw new SvcError('conflict', `there is an account with the address ${email} already`)
  const { id } = registered.user
  const change = { actorId: undefined }
  await auth.accounts.setStatus(id, { status: 'active', ...change }, call)
  if (role === 'admin') await auth.accounts.setRole(id, { role, ...change }, call)
  const user = await auth.accounts.read(id, call)
  return {
    text: `created the ${user.role} ${email} (${id})\n${readsPassword ? '' : `password: ${password}\n`}`,
    value: { ...describeUser(user), ...(readsPassword ? {} : { password }) },
    change: { change: 'user.create', target: id, name: user.email, details: user.role },
  }
}

async function promoteUser(wanted: string, { auth }: CommandParts): Promise<Answer> {
  const { id, email } = await findUser(auth, wanted)
  await auth.accounts.setRole(id, { role: 'admin', actorId: undefined }, call)
  return {
    text: `${email} is an admin\n`,
    value: describeUser(await auth.accounts.read(id, call)),
    change: { change: 'user.role', target: id, name: email, details: 'admin' },
  }
}

type StatusCommand = Extract<AccountCommand, { what: 'users approve' | 'users enable' | 'users disable' }>

/** The words of a status, and the status from which a command refuses to come, with the command that is meant. */
const STATUS_COMMANDS = {
  'users approve': { status: 'active', done: 'is approved', not: 'disabled', why: 'is disabled: use users enable' },
  'users enable': { status: 'active', done: 'is active', not: 'pending', why: 'waits for approval: use users approve' },
  'users disable': { status: 'disabled', done: 'is disabled', not: undefined, why: '' },
} as const

async function changeStatus({ what, user: wanted }: StatusCommand, { auth }: CommandParts): Promise<Answer> {
  const { status, done, not, why } = STATUS_COMMANDS[what]
  const user = await findUser(auth, wanted)
  if (user.status === not) throw new SvcError('conflict', `${user.email} ${why}`)
  await auth.accounts.setStatus(user.id, { status, actorId: undefined }, call)
  return {
    text: `${user.email} ${done}\n`,
    value: describeUser(await auth.accounts.read(user.id, call)),
    change: { change: 'user.status', target: user.id, name: user.email, details: status },
  }
}

async function deleteUser(wanted: string, { auth, secret, config, queries }: CommandParts): Promise<Answer> {
  const { id, email } = await findUser(auth, wanted)
  await auth.accounts.remove(id, { actorId: undefined }, call)
  const key = () => deriveKey(secret, CONVERSATIONS_KEY)
  await createConversationTokens({ queries, clock: systemClock, key }).removeOwner(id)
  const server = await readServerId(config.dataPath)
  await removeOwnerFrom(id, { config, server, queries, clock: systemClock, logger: quietLogger })
  return {
    text: `deleted ${email} (${id})\n`,
    value: { deleted: true, id, email },
    change: { change: 'user.delete', target: id, name: email },
  }
}

async function resetPassword(
  { user: wanted, readsPassword }: Extract<AccountCommand, { what: 'users reset-password' }>,
  { auth, input }: CommandParts,
): Promise<Answer> {
  const { id, email } = await findUser(auth, wanted)
  const password = readsPassword ? await readPassword(input) : createPassword()
  await auth.accounts.resetPassword(id, { password, actorId: undefined }, call)
  return {
    text: `${email} has a new password and no session\n${readsPassword ? '' : `password: ${password}\n`}`,
    value: { id, email, ...(readsPassword ? {} : { password }) },
    change: { change: 'user.password', target: id, name: email },
  }
}

async function createKey(
  { user: wanted, name, expiresIn }: Extract<AccountCommand, { what: 'keys create' }>,
  { auth }: CommandParts,
): Promise<Answer> {
  const user = await findUser(auth, wanted)
  const { key, value } = await auth.apiKeys.createFor(user, { name, expiresIn }, call)
  const until = key.expiresAt === undefined ? undefined : formatTime(key.expiresAt)
  return {
    text: `${value}\n${key.expiresAt === undefined ? '' : `valid until ${formatDate(key.expiresAt)}\n`}`,
    value: { key: value, ...describeKey(key) },
    change: {
      change: 'key.create',
      target: key.id,
      name: key.name,
      details: `of ${user.email}${until === undefined ? '' : `, until ${until}`}`,
    },
  }
}

async function listKeys(wanted: string, { auth }: CommandParts): Promise<Answer> {
  const { id } = await findUser(auth, wanted)
  const toRow = (key: ApiKey): string[] => [
    ...[key.id, key.prefix, key.name, formatDate(key.createdAt)],
    ...[formatDate(key.expiresAt), formatDate(key.lastUsedAt)],
  ]
  const keys = await auth.apiKeys.list(id, { limit: PAGE }, call)
  return {
    text: formatRows([['ID', 'PREFIX', 'NAME', 'CREATED', 'EXPIRES', 'LAST USED'], ...keys.map(toRow)]),
    value: keys.map(describeKey),
  }
}

async function createInvite(hours: number | undefined, { auth, config }: CommandParts): Promise<Answer> {
  const { id, code, createdAt, expiresAt } = await auth.invites.create(
    { expiresInHours: hours, createdBy: undefined },
    call,
  )
  const base = config.externalBaseUrl?.replace(/\/+$/, '') ?? ''
  const url = `${base}/invite/${code}`
  const times = { expiresAt: formatTime(expiresAt), createdAt: formatTime(createdAt) }
  return {
    text: `${url}\nvalid until ${formatDate(expiresAt)}\n`,
    value: { id, code, url, ...times },
    change: { change: 'invite.create', target: id, details: `until ${times.expiresAt}` },
  }
}

async function listInvites({ auth }: CommandParts): Promise<Answer> {
  const toRow = ({ id, prefix, createdAt, expiresAt, usedAt, usedBy }: Invite): string[] => [
    ...[id, prefix, formatDate(createdAt), formatDate(expiresAt), formatDate(usedAt), usedBy?.name ?? ''],
  ]
  const invites = await auth.invites.list({ limit: PAGE }, call)
  return {
    text: formatRows([['ID', 'PREFIX', 'CREATED', 'EXPIRES', 'USED', 'USED BY'], ...invites.map(toRow)]),
    value: invites.map(describeInvite),
  }
}

async function revokeInvite(id: string, { auth }: CommandParts): Promise<Answer> {
  await auth.invites.revoke(id, call)
  return {
    text: `revoked the invite ${id}\n`,
    value: { revoked: true, id },
    change: { change: 'invite.revoke', target: id },
  }
}

async function readPassword(input: NodeJS.ReadableStream): Promise<string> {
  return (await text(input)).split(/\r?\n/, 1)[0] ?? ''
}

/** 128 random bits. */
function createPassword(): string {
  return randomBytes(16).toString('base64url')
}
