import * as z from 'zod'

const fields = {
  name: z.string().describe('unique, also against names that look alike'),
  note: z.string(),
  default: z.boolean().describe('whether every new account joins it'),
  features: z.record(z.string(), z.boolean()).describe('switches of features; the others say nothing'),
  allowed_models: z
    .object({ enabled: z.boolean(), models: z.array(z.string()) })
    .describe('`enabled: false` says nothing about models'),
}
const group = z.object({
  id: z.string(),
  ...fields,
  members: z.int().describe('number of accounts'),
  created_at: z.string().describe('RFC 3339'),
})

export const groupReply = z.object({ group })
export const groupsReply = z.object({ groups: z.array(group) })
export const groupChangeForm = z.looseObject({
  ...z.object(fields).partial().shape,
  features: fields.features.nullable().optional(),
  allowed_models: fields.allowed_models.nullable().optional(),
})
export const groupForm = groupChangeForm.extend({ name: fields.name })
export const groupDoneReply = z.object({ message: z.string() })
export const membersReply = z.object({
  members: z.array(
    z.object({
      id: z.string(),
      email: z.string(),
      name: z.string(),
      origins: z.array(z.enum(['manual', 'provider', 'scim'])).describe('who put the account there'),
    }),
  ),
})
export const importQuery = z.object({
  dry_run: z.enum(['true', 'false']).optional().describe('`true`: nothing is changed'),
})
export const importReply = z.object({
  dry_run: z.boolean(),
  rows: z.int(),
  groups_created: z.int(),
  members_added: z.int(),
  members_present: z.int().describe('memberships that were there already'),
  faults: z.array(z.object({ line: z.int(), message: z.string() })).describe('lines that were left out; at most 100'),
  fault_count: z.int(),
})
