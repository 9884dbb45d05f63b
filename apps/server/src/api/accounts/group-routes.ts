import type { GroupDraft, GroupStatus } from '@svc/auth/groups'
import type { Group } from '@svc/auth/ports'
import { SvcError } from '@svc/errors'
import type { Call } from '../../http/call.ts'
import { HttpReply } from '../../http/http-reply.ts'
import { json } from '../../http/json.ts'
import { defineRoute, type Route } from '../../http/route.ts'
import { formatTime } from './describe.ts'
import { type Fields, readFields, refuseUnknown } from './fields.ts'
import { readId, readPage } from './page.ts'
import { type AccountParts, ADMIN_ROUTE } from './parts.ts'

const schemas = () => import('./group-schemas.ts')

const PATH = '/api/groups'
const ONE = `${PATH}/:id`
const MEMBERS = `${ONE}/members`
/** 10,000 lines of usual length. */
const MAX_CSV_BYTES = 2 * 1024 * 1024

type GroupParts = Pick<AccountParts, 'auth' | 'bodies'>

/** Groups of accounts, their rights and members. */
export function groupRoutes(parts: GroupParts): Route[] {
  return [exportRoute(parts), importRoute(parts), ...listRoutes(parts), ...changeRoutes(parts), ...memberRoutes(parts)]
}

const one = async () => (await schemas()).groupReply
const done = async () => (await schemas()).groupDoneReply

function listRoutes({ auth: { groups } }: GroupParts): Route[] {
  return [
    defineRoute({
      ...ADMIN_ROUTE,
      method: 'GET',
      path: PATH,
      summary: 'All groups of accounts with their rights, oldest first',
      responses: { 200: { description: 'The groups.', schema: async () => (await schemas()).groupsReply } },
      handler: async (call) => json({ groups: (await groups.list(call)).map(describeGroup) }),
    }),
    defineRoute({
      ...ADMIN_ROUTE,
      method: 'GET',
      path: ONE,
      summary: 'A group of accounts with its rights',
      responses: { 200: { description: 'The group.', schema: one } },
      handler: async (call) => json({ group: describeGroup(await groups.read(readId(call), call)) }),
    }),
  ]
}

function changeRoutes({ auth: { groups }, bodies }: GroupParts): Route[] {
  return [
    defineRoute({
      ...ADMIN_ROUTE,
      method: 'POST',
      path: PATH,
      summary: 'Make a group of accounts',
      audit: { change: 'group.create' },
      body: async () => (await schemas()).groupForm,
      responses: { 201: { description: 'The group.', schema: one } },
      async handler(call) {
        const group = await groups.create(toDraft(await readFields(call, bodies)), call)
        call.noteChange({ target: group.id, name: group.name, details: describeRights(group) })
        return json({ group: describeGroup(group) }, { status: 201 })
      },
    }),
    defineRoute({
      ...ADMIN_ROUTE,
      method: 'PATCH',
      path: ONE,
      summary: 'Change a group; its members have the new rights at once',
      audit: { change: 'group.edit', target: 'id' },
      body: async () => (await schemas()).groupChangeForm,
      responses: { 200: { description: 'The group.', schema: one } },
      async handler(call) {
        const group = await groups.change(readId(call), toDraft(await readFields(call, bodies)), call)
        call.noteChange({ name: group.name, details: describeRights(group) })
        return json({ group: describeGroup(group) })
      },
    }),
    defineRoute({
      ...ADMIN_ROUTE,
      method: 'DELETE',
      path: ONE,
      summary: 'Remove a group; its accounts stay without its rights',
      audit: { change: 'group.delete', target: 'id' },
      responses: { 200: { description: 'Removed.', schema: done } },
      async handler(call) {
        const { name } = await groups.remove(readId(call), call)
        call.noteChange({ name })
        return json({ message: 'group deleted' })
      },
    }),
  ]
}

function memberRoutes({ auth: { groups } }: GroupParts): Route[] {
  return [
    defineRoute({
      ...ADMIN_ROUTE,
      method: 'GET',
      path: MEMBERS,
      summary: 'The accounts in a group, by id',
      query: async () => (await import('./schemas.ts')).pageQuery,
      responses: { 200: { description: 'The accounts.', schema: async () => (await schemas()).membersReply } },
      async handler(call) {
        const { after, limit } = readPage(call)
        const page = { after, limit: Math.min(limit, MAX_MEMBERS) }
        const members = await groups.listMembers(readId(call), page, call)
        return json({
          members: members.map(({ user: { id, email, name }, origins }) => ({ id, email, name, origins })),
        })
      },
    }),
    defineRoute({
      ...ADMIN_ROUTE,
      method: 'PUT',
      path: `${MEMBERS}/:user_id`,
      summary: 'Put an account into a group',
      audit: { change: 'group.member', target: 'id' },
      responses: { 200: { description: 'In the group, also when it was there already.', schema: done } },
      async handler(call) {
        const [id, userId] = [readId(call), readId(call, 'user_id')]
        const isNew = await groups.addMember(id, userId, call)
        const { name } = await groups.read(id, call)
        call.noteChange({ name, details: `added ${userId}` })
        return json({ message: isNew ? 'member added' : 'member was there already' })
      },
    }),
    defineRoute({
      ...ADMIN_ROUTE,
      method: 'DELETE',
      path: `${MEMBERS}/:user_id`,
      summary: 'Take an account out of a group, whoever put it there',
      audit: { change: 'group.member', target: 'id' },
      responses: { 200: { description: 'Taken out.', schema: done } },
      async handler(call) {
        const [id, userId] = [readId(call), readId(call, 'user_id')]
        const { name } = await groups.read(id, call)
        await groups.removeMember(id, userId, call)
        call.noteChange({ name, details: `removed ${userId}` })
        return json({ message: 'member removed' })
      },
    }),
  ]
}

/** Members of a page; each is looked up. */
const MAX_MEMBERS = 500

function importRoute({ auth: { groups }, bodies }: GroupParts): Route {
  return defineRoute({
    ...ADMIN_ROUTE,
    method: 'POST',
    path: `${PATH}/import`,
    summary: 'Add members of groups by a list of CSV with the columns group, email and note',
    audit: { change: 'group.import' },
    query: async () => (await schemas()).importQuery,
    responses: { 200: { description: 'What was done.', schema: async () => (await schemas()).importReply } },
    async handler(call) {
      const isDryRun = readDryRun(call)
      const result = await groups.import(await readCsvText(call, bodies), { signal: call.signal, isDryRun })
      const { rows, groupsCreated, membersAdded, membersPresent, faults, faultCount } = result
      call.noteChange({
        details: `${isDryRun ? 'tried: ' : ''}${rows} lines, ${groupsCreated} groups, ${membersAdded} members, ${faultCount} faults`,
      })
      return json({
        dry_run: isDryRun,
        rows,
        groups_created: groupsCreated,
        members_added: membersAdded,
        members_present: membersPresent,
        faults,
        fault_count: faultCount,
      })
    },
  })
}

function exportRoute({ auth: { groups } }: GroupParts): Route {
  return defineRoute({
    ...ADMIN_ROUTE,
    method: 'GET',
    path: `${PATH}/export`,
    summary: 'All groups and members as CSV, as the import takes it',
    responses: { 200: { description: 'The list.', contentType: 'text/csv' } },
    handler: async (call) =>
      new HttpReply(await groups.export(call), {
        headers: {
          'content-type': 'text/csv; charset=utf-8',
          'content-disposition': 'attachment; filename="groups.csv"',
        },
      }),
  })
}

function readDryRun(call: Pick<Call, 'query'>): boolean {
  const value = call.query('dry_run') ?? 'false'
  if (value === 'true' || value === 'false') return value === 'true'
  throw new SvcError('invalid_request', 'dry_run must be true or false', {
    code: 'invalid_query',
    details: { param: 'dry_run' },
  })
}

async function readCsvText(call: Call, bodies: GroupParts['bodies']): Promise<string> {
  const type = call.incoming.headers['content-type']?.split(';', 1)[0]?.trim().toLowerCase()
  if (type !== 'text/csv') throw new SvcError('unsupported_media', 'the list must be text/csv')
  const held = await bodies.read(call, { maxBytes: MAX_CSV_BYTES })
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(held.bytes)
  } catch {
    throw new SvcError('invalid_request', 'the list is not UTF-8', { code: 'invalid_body' })
  } finally {
    held.release()
  }
}

const FIELDS = ['name', 'note', 'default', 'features', 'allowed_models'] as const

function toDraft(fields: Fields): GroupDraft {
  refuseUnknown(fields, FIELDS)
  return {
    name: fields.name,
    note: fields.note,
    isDefault: fields.default,
    features: fields.features,
    allowedModels: fields.allowed_models,
  }
}

/** A group, as replies have it. */
function describeGroup(group: GroupStatus) {
  const { id, name, note, isDefault, features, allowedModels, createdAt, members } = group
  return {
    ...{ id, name, note },
    default: isDefault,
    features,
    allowed_models: allowedModels,
    members,
    created_at: formatTime(createdAt),
  }
}

/** The rights of a group in the log of changes. */
function describeRights({ isDefault, features, allowedModels }: Group): string {
  const switches = Object.entries(features).map(([key, isOn]) => `${key} ${isOn ? 'on' : 'off'}`)
  return [
    ...(isDefault ? ['for new accounts'] : []),
    ...switches,
    ...(allowedModels.enabled ? [`models ${allowedModels.models.join(', ') || 'none'}`] : []),
  ].join('; ')
}
