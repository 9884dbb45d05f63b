import type { Auth } from '@svc/auth'
import type { FoundKey } from '@svc/auth/ports'
import { SvcError } from '@svc/errors'
import { describeKey, describeManagedKey, formatTime } from '../api/accounts/describe.ts'
import type { KeyCommand } from '../config/account-command.ts'
import type { Answer } from './account-answer.ts'
import { formatDate, formatRows } from './account-table.ts'

interface KeyCommandParts {
  readonly auth: Pick<Auth, 'apiKeys'>
}

const PAGE = 1000

const call = { signal: new AbortController().signal }

/** Runs a command about keys in the name of an admin. @throws {SvcError} `not_found`, `invalid_request`, `conflict` */
export function runKeyCommand(command: KeyCommand, parts: KeyCommandParts): Promise<Answer> {
  switch (command.what) {
    case 'keys create-service':
      return createServiceKey(command, parts)
    case 'keys list-all':
      return listAllKeys(parts)
    case 'keys rotate':
      return rotateKey(command, parts)
    case 'keys block':
      return blockKey({ ...command, isBlocked: true }, parts)
    case 'keys unblock':
      return blockKey({ ...command, isBlocked: false, reason: undefined }, parts)
    case 'keys revoke':
      return revokeKey(command.id, parts)
  }
}

async function createServiceKey(
  { name, expiresIn }: Extract<KeyCommand, { what: 'keys create-service' }>,
  { auth }: KeyCommandParts,
): Promise<Answer> {
  const { key, value } = await auth.apiKeys.createFor(undefined, { name, expiresIn }, call)
  const until = key.expiresAt === undefined ? '' : `, until ${formatTime(key.expiresAt)}`
  return {
    text: `${value}\n${key.expiresAt === undefined ? '' : `valid until ${formatDate(key.expiresAt)}\n`}`,
    value: { key: value, ...describeKey(key) },
    change: { change: 'key.create', target: key.id, name: key.name, details: `of a service${until}` },
  }
}

async function listAllKeys({ auth }: KeyCommandParts): Promise<Answer> {
  const all: FoundKey[] = []
  for await (const found of everyKey(auth)) all.push(found)
  const rows = all.map((found) => {
    const { id, prefix, name, block, createdAt, expiresAt, lastUsedAt } = found.key
    return [
      ...[id, prefix, name, nameOwner(found), formatDate(createdAt), formatDate(expiresAt), formatDate(lastUsedAt)],
      block === undefined ? '' : 'blocked',
    ]
  })
  return {
    text: formatRows([['ID', 'PREFIX', 'NAME', 'OWNER', 'CREATED', 'EXPIRES', 'LAST USED', 'STATE'], ...rows]),
    value: all.map(describeManagedKey),
  }
}

async function rotateKey(
  { id, grace }: Extract<KeyCommand, { what: 'keys rotate' }>,
  { auth }: KeyCommandParts,
): Promise<Answer> {
  const found = await find(id, auth)
  const { key, value } = await auth.apiKeys.rotateAny(id, { grace }, call)
  const before =
    key.previousUntil === 0
      ? 'the value before has ended'
      : `the value before is valid until ${formatDate(key.previousUntil)}`
  return {
    text: `${value}\n${before}\n`,
    value: { key: value, ...describeKey(key) },
    change: { change: 'key.rotate', target: id, name: key.name, details: `of ${nameOwner(found)}` },
  }
}

async function blockKey(
  { id, isBlocked, reason }: { readonly id: string; readonly isBlocked: boolean; readonly reason: string | undefined },
  { auth }: KeyCommandParts,
): Promise<Answer> {
  await find(id, auth)
  const found = await auth.apiKeys.editAny(id, { isBlocked, blockReason: reason }, call)
  const done = isBlocked ? 'blocked' : 'unblocked'
  return {
    text: `${done} the key ${id} of ${nameOwner(found)}\n`,
    value: describeManagedKey(found),
    change: { change: 'key.block', target: id, name: found.key.name, details: `${done}, of ${nameOwner(found)}` },
  }
}

async function revokeKey(id: string, { auth }: KeyCommandParts): Promise<Answer> {
  const found = await find(id, auth)
  await auth.apiKeys.revoke(found.key, call)
  const owner = nameOwner(found)
  return {
    text: `revoked the key ${id} of ${owner}\n`,
    value: { revoked: true, id, user_id: found.key.userId ?? null },
    change: { change: 'key.revoke', target: id, name: found.key.name, details: `of ${owner}` },
  }
}

const nameOwner = ({ user }: FoundKey): string => user?.email ?? 'a service'

async function find(id: string, auth: KeyCommandParts['auth']): Promise<FoundKey> {
  return auth.apiKeys.find(id, call).catch((error: unknown) => {
    if (SvcError.is(error) && error.kind === 'not_found') throw new SvcError('not_found', `there is no key ${id}`)
    throw error
  })
}

/** All keys, a page at a time. */
async function* everyKey(auth: KeyCommandParts['auth']): AsyncGenerator<FoundKey> {
  let after: string | undefined
  for (;;) {
    const page = await auth.apiKeys.listAll({ after, limit: PAGE }, call)
    yield* page
    after = page.at(-1)?.key.id
    if (page.length < PAGE) return
  }
}
