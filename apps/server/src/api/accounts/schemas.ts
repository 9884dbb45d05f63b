import * as z from 'zod'
import { MAX_LENGTH } from './page.ts'

/** The query of lists. */
export const pageQuery = z.object({
  after: z.string().optional().describe('the entries behind the one with this id'),
  limit: z.string().optional().describe(`how many entries, at most ${MAX_LENGTH}`),
})

const time = z.string().describe('RFC 3339')
const permissions = z.record(z.string(), z.boolean())
const owner = z.object({ id: z.string(), email: z.string().optional(), name: z.string(), role: z.string() })
const quotaStatus = z.object({
  id: z.string(),
  model: z.string(),
  max_requests: z.int().nullable(),
  max_total_tokens: z.int().nullable(),
  window: z.string(),
  current_requests: z.int(),
  current_total_tokens: z.int(),
  resets_at: time,
})
const allowedModels = z.object({ enabled: z.boolean(), models: z.array(z.string()) })
const scopes = z.object({
  routes: z.array(z.string()).optional(),
  models: z.array(z.string()).optional(),
  addresses: z.array(z.string()).optional().describe('IPv4 and IPv6 addresses and CIDR ranges, at most 64'),
})
const profile = z.object({
  id: z.string(),
  email: z.string(),
  name: z.string(),
  avatarUrl: z.string(),
  role: z.string(),
  provider: z.string(),
  permissions,
  groups: z
    .array(z.object({ id: z.string(), name: z.string() }))
    .optional()
    .describe('absent for an account in no group'),
})
const key = z.object({
  id: z.string(),
  name: z.string(),
  keyPrefix: z.string(),
  role: z.string(),
  createdAt: time,
  expiresAt: time.optional(),
  scopes: scopes.optional(),
  note: z.string().optional(),
  blocked: z.boolean().optional().describe('present for a key that is out of use'),
  blockedBy: z.enum(['owner', 'admin']).optional(),
  blockReason: z.string().optional(),
  rotatedAt: time.optional().describe('when the key got its value; absent for the first one'),
  previousValidUntil: time.optional().describe('until when the value before is valid, too'),
})
const person = z.object({ id: z.string(), name: z.string() }).nullable()
const feature = z.object({ key: z.string(), label: z.string(), default: z.boolean() })

/** A reply that says what was done. */
export const doneReply = z.object({ message: z.string() })
/** The account that has signed in. */
export const signedInReply = z.object({ user: owner })
/** The reply of a registration that is not let in at once. */
export const registeredReply = z.object({ message: z.string(), pending: z.boolean().optional() })
export const statusReply = z.object({
  authEnabled: z.boolean(),
  staticApiKeyRequired: z.boolean(),
  providers: z.array(z.string()),
  hasUsers: z.boolean(),
  registrationMode: z.string(),
  user: profile.nullable(),
})
export const meReply = profile.extend({ quotas: z.array(quotaStatus) })
export const quotasReply = z.object({ quotas: z.array(quotaStatus) })
export const quotaReply = z.object({ message: z.string(), quota: quotaStatus })
export const profileReply = z.object({ message: z.string(), name: z.string(), avatarUrl: z.string() })
export const newKeyReply = key.extend({ key: z.string() })
/** A key without its value. */
export const keyReply = key.extend({ lastUsed: time.nullable() })
export const keysReply = z.object({ keys: z.array(keyReply) })
/** A key as admins see it. */
export const managedKeyReply = keyReply.extend({
  user: z
    .object({ id: z.string(), name: z.string(), email: z.string() })
    .nullable()
    .describe('the owner; null for a service'),
  createdBy: z.string().nullable().describe('the admin who made the key for somebody else'),
})
export const managedKeysReply = z.object({ keys: z.array(managedKeyReply) })
export const validReply = z.object({ valid: z.boolean() })
export const featuresReply = z.object({
  agent_features: z.array(feature),
  general_features: z.array(feature),
  api_features: z.array(feature),
  models: z.array(z.string()),
})
export const usersReply = z.object({
  users: z.array(
    profile.extend({
      status: z.string(),
      createdAt: time,
      allowed_models: allowedModels,
      lastSeen: time.nullable().describe('latest use of a key, or begin or renewal of a session'),
      quotas: z.array(quotaStatus),
    }),
  ),
})
export const permissionsReply = z.object({ message: z.string().optional(), user_id: z.string(), permissions })
export const modelsReply = z.object({ message: z.string(), user_id: z.string(), allowed_models: allowedModels })
export const newInviteReply = z.object({ id: z.string(), code: z.string(), expiresAt: time, createdAt: time })
export const invitesReply = z.object({
  invites: z.array(
    z.object({
      id: z.string(),
      codePrefix: z.string(),
      note: z.string(),
      expiresAt: time,
      createdAt: time,
      usedAt: time.nullable(),
      createdBy: person,
      usedBy: person,
    }),
  ),
})

/** A form with an address and a password. */
export const loginForm = z.looseObject({ email: z.string(), password: z.string() })
export const registrationForm = loginForm.extend({
  name: z.string().optional(),
  inviteCode: z.string().optional(),
  acknowledge_weak_password: z.boolean().optional(),
})
export const logoutForm = z.looseObject({ logout_token: z.string().describe('a logout token, signed by the issuer') })
export const refusedLogoutReply = z.object({ error: z.string(), error_description: z.string() })
export const tokenForm = z.looseObject({ token: z.string() })
export const profileForm = z.looseObject({ name: z.string(), avatar_url: z.string().optional() })
export const ownPasswordForm = z.looseObject({
  current_password: z.string(),
  new_password: z.string(),
  acknowledge_weak_password: z.boolean().optional(),
})
export const passwordForm = z.looseObject({
  password: z.string(),
  acknowledge_weak_password: z.boolean().optional(),
})
export const keyForm = z.looseObject({
  name: z.string(),
  note: z.string().max(1000).optional(),
  expiresIn: z.string().optional(),
  expiresAt: time.optional(),
  scopes: scopes.optional(),
})
export const managedKeyForm = keyForm.extend({
  user_id: z.string().nullable().optional().describe('the account of the key; without it the key is one of a service'),
})
export const keyEditForm = z.looseObject({
  name: z.string().optional(),
  note: z.string().max(1000).nullable().optional(),
  expiresIn: z.string().optional(),
  expiresAt: time.nullable().optional().describe('null lets the key live for ever'),
  scopes: scopes.nullable().optional().describe('they replace all limits; null takes them away'),
  blocked: z.boolean().optional(),
  blockReason: z.string().max(1000).optional(),
})
export const rotationForm = z.looseObject({
  grace: z.string().optional().describe('how long the present value stays valid: 24h without it, at most 30d, or 0'),
})
/** The query of the keys of all accounts and services. */
export const keyListQuery = pageQuery.extend({
  user_id: z.string().optional().describe('the keys of this account'),
  service: z.enum(['true', 'false']).optional().describe('whether only keys of services, or none of them'),
  blocked: z.enum(['true', 'false']).optional(),
  text: z.string().max(200).optional().describe('a part of the name, the note or the first characters of the value'),
})
export const roleForm = z.looseObject({ role: z.enum(['admin', 'user']) })
export const statusForm = z.looseObject({ status: z.enum(['active', 'disabled']) })
export const permissionsForm = permissions
export const modelsForm = allowedModels
export const quotaForm = z.looseObject({
  model: z.string().optional(),
  max_requests: z.int().nullable().optional(),
  max_total_tokens: z.int().nullable().optional(),
  window: z.string(),
})
const limitSubject = z.enum(['account', 'key', 'group', 'group_member', 'model', 'end_user'])
const bound = z.int().min(0).nullable()
const limitBounds = {
  model: z.string().describe('requests for this model alone; empty for all models together'),
  max_requests: bound,
  max_total_tokens: bound,
  max_cost_micros: bound.describe('money in whole millionths of `currency`'),
  currency: z.string().describe('code of three capital letters, such as USD'),
  max_parallel: bound.describe('requests that may run at a time'),
  window: z.string().describe('`minute`, `hour`, `day` or `month` in UTC, `rolling 5h`, or `fixed 7d`'),
  soft: z.boolean().describe('whether requests pass when the limit is full'),
  enabled: z.boolean(),
  note: z.string(),
}
const limitFields = z.object(limitBounds).partial().shape
export const limitForm = z.looseObject({
  subject_kind: limitSubject,
  subject_id: z.string().describe('id of the subject, name of the model, or `*` for each of the kind'),
  ...limitFields,
})
export const limitChangeForm = z.looseObject(limitFields)
export const limitQuery = z.looseObject({
  of: z.string().optional().describe('the one whose count of a limit for each is shown'),
})
const limitStatus = z.object({
  id: z.string(),
  subject_kind: limitSubject,
  subject_id: z.string(),
  ...limitBounds,
  created_at: z.string(),
  current: z
    .object({
      of: z.string(),
      requests: z.int(),
      total_tokens: z.int(),
      cost_micros: z.int(),
      parallel: z.int(),
      remaining_requests: z.int().nullable(),
      remaining_total_tokens: z.int().nullable(),
      remaining_cost_micros: z.int().nullable(),
      resets_at: z.string(),
    })
    .nullable()
    .describe('null for a limit of each, which has a count for every one'),
})
export const limitReply = z.object({ limit: limitStatus })
export const limitsReply = z.object({ limits: z.array(limitStatus) })
export const inviteForm = z.looseObject({
  expiresInHours: z.int().min(1).max(8760).optional().describe('how long the invite is valid; 168 without it'),
  note: z.string().max(200).optional().describe('a line that only admins see, such as the person the invite is for'),
})
