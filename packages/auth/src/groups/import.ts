import { normalizeEmail } from '../accounts/email.ts'
import { AuthError, invalidValue } from '../errors.ts'
import { toNameKey } from '../look-alikes.ts'
import type { CallOptions } from '../ports/clock.ts'
import type { GroupStore } from '../ports/groups.ts'
import type { User, UserStore } from '../ports/users.ts'
import { readCsv, writeCsv } from './csv.ts'
import { type GroupDraft, readGroupName, readGroupNote } from './draft.ts'
import type { GroupStatus } from './status.ts'

/** A line of an import that cannot be taken. */
export interface ImportFault {
  /** From 1; the header is line 1. */
  readonly line: number
  readonly message: string
}

/** What an import has done, or would do. */
export interface ImportResult {
  readonly rows: number
  readonly groupsCreated: number
  readonly membersAdded: number
  /** Memberships that were there already. */
  readonly membersPresent: number
  /** At most 100. */
  readonly faults: readonly ImportFault[]
  /** The number of all faults. */
  readonly faultCount: number
}

/** Lists of groups and members as text. */
export interface GroupImport {
  /**
   * Adds members by a list of CSV with the columns `group`, `email` and optionally `note`. Groups that are not there are
   * made; an empty address makes a group alone. Lines with faults are left out.
   *
   * @param options.isDryRun whether nothing is changed
   * @throws {AuthError} `invalid_request` for a text that is no such list, and for more than 10,000 lines
   */
  import(text: string, options: CallOptions & { readonly isDryRun: boolean }): Promise<ImportResult>
  /** The list of all groups and members, as {@link import} takes it. Cells are safe to open in a spreadsheet. */
  export(options: CallOptions): Promise<string>
}

interface Row {
  readonly line: number
  readonly group: string
  readonly email: string
  readonly note: string
}

const MAX_ROWS = 10_000
const MAX_FAULTS = 100
const PAGE = 500
const COLUMNS = ['group', 'email', 'note']

function readRows(text: string): readonly Row[] {
  const [header, ...lines] = readCsv(text)
  const names = (header?.cells ?? []).map((name) => name.trim().toLowerCase())
  const isKnown = names.every((name) => COLUMNS.includes(name)) && new Set(names).size === names.length
  if (!names.includes('group') || !names.includes('email') || !isKnown)
    throw invalidValue('the first line must name the columns group, email and, if you like, note')
  if (lines.length > MAX_ROWS) throw invalidValue(`a list has at most ${MAX_ROWS} lines`)
  return lines.map(({ line, cells }) => {
    const cell = (name: string): string => (cells[names.indexOf(name)] ?? '').trim()
    return { line, group: cell('group'), email: cell('email'), note: cell('note') }
  })
}

type UserList = Pick<UserStore, 'list'>

/** All accounts, a page at a time. */
async function* listUsers(users: UserList, call: CallOptions): AsyncGenerator<User> {
  let after: string | undefined
  for (;;) {
    const page = await users.list({ limit: PAGE, after }, call)
    yield* page
    after = page.at(-1)?.id
    if (page.length < PAGE) return
  }
}

/** The accounts of the addresses in a list. */
async function findUsers(
  users: UserList,
  rows: readonly Row[],
  call: CallOptions,
): Promise<ReadonlyMap<string, readonly User[]>> {
  const wanted = new Set(rows.map(({ email }) => normalizeEmail(email)))
  const found = new Map<string, User[]>()
  for await (const user of listUsers(users, call)) {
    if (wanted.has(user.email)) found.set(user.email, [...(found.get(user.email) ?? []), user])
  }
  return found
}

/** Creates import and export. */
export function createGroupImport({
  store,
  users,
  create,
  addMember,
}: {
  readonly store: GroupStore
  readonly users: UserList
  readonly create: (draft: GroupDraft, call: CallOptions) => Promise<GroupStatus>
  readonly addMember: (groupId: string, userId: string, call: CallOptions) => Promise<boolean>
}): GroupImport {
  async function apply(rows: readonly Row[], { isDryRun, ...call }: Parameters<GroupImport['import']>[1]) {
    const groups = new Map((await store.list(call)).map(({ id, name }) => [toNameKey(name), id]))
    const found = await findUsers(users, rows, call)
    const all = [...new Set([...found.values()].flat().map(({ id }) => id))]
    const present = new Set(
      (await store.listMemberships(all, call))
        .filter(({ origin }) => origin === 'manual')
        .map(({ groupId, userId }) => `${groupId} ${userId}`),
    )
    const counts = { groupsCreated: 0, membersAdded: 0, membersPresent: 0 }

    async function findGroup({ group, note }: Row): Promise<string> {
      const name = readGroupName(group)
      const key = toNameKey(name)
      const known = groups.get(key)
      if (known !== undefined) return known
      readGroupNote(note)
      const id = isDryRun ? `new ${key}` : (await create({ name, note }, call)).id
      groups.set(key, id)
      counts.groupsCreated += 1
      return id
    }

    function findUser(email: string): User | undefined {
      if (email === '') return undefined
      const [user, other] = found.get(normalizeEmail(email)) ?? []
      if (user === undefined) throw invalidValue('there is no account of this address')
      if (other !== undefined) throw invalidValue('several accounts have this address')
      return user
    }

    async function take(row: Row): Promise<void> {
      const user = findUser(row.email)
      const groupId = await findGroup(row)
      if (user === undefined) return
      const key = `${groupId} ${user.id}`
      const isNew = !present.has(key) && (isDryRun || (await addMember(groupId, user.id, call)))
      present.add(key)
      if (isNew) counts.membersAdded += 1
      else counts.membersPresent += 1
    }

    return { counts, take }
  }

  return {
    async import(text, options) {
      const rows = readRows(text)
      const { counts, take } = await apply(rows, options)
      const faults: ImportFault[] = []
      for (const row of rows) {
        options.signal.throwIfAborted()
        try {
          await take(row)
        } catch (error) {
          if (!(error instanceof AuthError) || error.kind === 'unavailable') throw error
          faults.push({ line: row.line, message: error.message })
        }
      }
      return { rows: rows.length, ...counts, faults: faults.slice(0, MAX_FAULTS), faultCount: faults.length }
    },
    async export(call) {
      const groups = await store.list(call)
      const rows: string[][] = []
      const emails = new Map<string, string>()
      for await (const { id, email } of listUsers(users, call)) emails.set(id, email)
      for (const { id, name, note } of groups) {
        const before = rows.length
        let after: string | undefined
        for (;;) {
          const page = await store.listMembers(id, { limit: PAGE, after }, call)
          for (const userId of page) if (emails.has(userId)) rows.push([name, emails.get(userId) ?? '', note])
          after = page.at(-1)
          if (page.length < PAGE) break
        }
        if (rows.length === before) rows.push([name, '', note])
      }
      return writeCsv([COLUMNS, ...rows])
    },
  }
}
