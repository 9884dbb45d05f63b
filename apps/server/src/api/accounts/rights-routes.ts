import { FEATURES } from '@svc/auth/access'
import type { QuotaStatus } from '@svc/auth/quotas'
import { json } from '../../http/json.ts'
import { defineRoute, type Route } from '../../http/route.ts'
import { describePermissions, describeQuota } from './describe.ts'
import { readFields, refuseUnknown } from './fields.ts'
import { readId } from './page.ts'
import { type AccountParts, ADMIN_ROUTE } from './parts.ts'

const schemas = () => import('./schemas.ts')

/** Further parts of the routes. */
export interface RightsParts extends AccountParts {
  readonly modelNames: () => readonly string[]
}

const USER = '/api/auth/admin/users/:id'

/** Features, models and quotas of accounts. */
export function rightsRoutes(parts: RightsParts): Route[] {
  return [featuresRoute(parts), ...permissionRoutes(parts), modelsRoute(parts), ...quotaRoutes(parts)]
}

function featuresRoute({ modelNames }: RightsParts): Route {
  const listGroup = (wanted: string) =>
    FEATURES.filter(({ group }) => group === wanted).map(({ key, label, default: isOn }) => ({
      key,
      label,
      default: isOn,
    }))
  return defineRoute({
    ...ADMIN_ROUTE,
    method: 'GET',
    path: '/api/auth/admin/features',
    summary: 'The feature switches and the models that can be granted',
    responses: {
      200: {
        description: 'Switches by group, and names of models.',
        schema: async () => (await schemas()).featuresReply,
      },
    },
    handler: () =>
      json({
        agent_features: listGroup('agent'),
        general_features: listGroup('general'),
        api_features: listGroup('api'),
        models: modelNames(),
      }),
  })
}

function permissionRoutes({ auth, bodies }: RightsParts): Route[] {
  const { accounts, groups } = auth
  return [
    defineRoute({
      ...ADMIN_ROUTE,
      method: 'GET',
      path: `${USER}/permissions`,
      summary: 'The features of an account',
      responses: { 200: { description: 'Every switch.', schema: async () => (await schemas()).permissionsReply } },
      async handler(call) {
        const user = await accounts.read(readId(call), call)
        return json({
          user_id: user.id,
          permissions: describePermissions(user, await groups.listByUser(user.id, call)),
        })
      },
    }),
    defineRoute({
      ...ADMIN_ROUTE,
      method: 'PUT',
      path: `${USER}/permissions`,
      summary: 'Switch features of an account on and off; the others have their defaults',
      audit: { change: 'user.features', target: 'id' },
      body: async () => (await schemas()).permissionsForm,
      responses: {
        200: { description: 'Every switch, as it is now.', schema: async () => (await schemas()).permissionsReply },
      },
      async handler(call) {
        const id = readId(call)
        const features = await accounts.setFeatures(id, await readFields(call, bodies), call)
        const user = await accounts.read(id, call)
        call.noteChange({ name: user.email, details: describeFeatures(features) })
        const permissions = describePermissions(user, await groups.listByUser(id, call))
        return json({ message: 'permissions updated', user_id: id, permissions })
      },
    }),
  ]
}

function modelsRoute({ auth, bodies }: RightsParts): Route {
  return defineRoute({
    ...ADMIN_ROUTE,
    method: 'PUT',
    path: `${USER}/models`,
    summary: 'Limit an account to some models, or lift the limit',
    audit: { change: 'user.models', target: 'id' },
    body: async () => (await schemas()).modelsForm,
    responses: {
      200: { description: 'The models of the account.', schema: async () => (await schemas()).modelsReply },
    },
    async handler(call) {
      const fields = await readFields(call, bodies)
      refuseUnknown(fields, ['enabled', 'models'])
      const { id, email } = await auth.accounts.read(readId(call), call)
      const allowed = await auth.accounts.setAllowedModels(id, fields, call)
      call.noteChange({ name: email, details: allowed.enabled ? `only ${allowed.models.join(', ')}` : 'all' })
      return json({ message: 'allowed models updated', user_id: id, allowed_models: allowed })
    },
  })
}

function quotaRoutes({ auth, bodies }: RightsParts): Route[] {
  const { accounts, quotas } = auth
  return [
    defineRoute({
      ...ADMIN_ROUTE,
      method: 'GET',
      path: `${USER}/quotas`,
      summary: 'The quotas of an account and what it has used of them',
      responses: { 200: { description: 'The quotas.', schema: async () => (await schemas()).quotasReply } },
      async handler(call) {
        const { id } = await accounts.read(readId(call), call)
        return json({ quotas: (await quotas.readStatus(id, call)).map(describeQuota) })
      },
    }),
    defineRoute({
      ...ADMIN_ROUTE,
      method: 'PUT',
      path: `${USER}/quotas`,
      summary: 'Set the quota of an account for a model, or for all models together',
      audit: { change: 'quota.set', target: 'id' },
      body: async () => (await schemas()).quotaForm,
      responses: {
        200: { description: 'The quota, whose window begins now.', schema: async () => (await schemas()).quotaReply },
      },
      async handler(call) {
        const fields = await readFields(call, bodies)
        refuseUnknown(fields, ['model', 'max_requests', 'max_total_tokens', 'window'])
        const { id, email } = await accounts.read(readId(call), call)
        const { model, max_requests: maxRequests, max_total_tokens: maxTokens, window } = fields
        const quota = await quotas.putRule(id, { model, maxRequests, maxTokens, window }, call)
        call.noteChange({ name: email, details: describeRule(quota) })
        return json({ message: 'quota updated', quota: describeQuota(quota) })
      },
    }),
    defineRoute({
      ...ADMIN_ROUTE,
      method: 'DELETE',
      path: `${USER}/quotas/:quota_id`,
      summary: 'Remove a quota of an account',
      audit: { change: 'quota.delete', target: 'id' },
      responses: { 200: { description: 'Removed.', schema: async () => (await schemas()).doneReply } },
      async handler(call) {
        const [id, userId] = [readId(call, 'quota_id'), readId(call)]
        const rule = (await quotas.readStatus(userId, call)).find((each) => each.id === id)
        await quotas.removeRule({ id, userId }, call)
        if (rule !== undefined) call.noteChange({ details: describeRule(rule) })
        return json({ message: 'quota deleted' })
      },
    }),
  ]
}

function describeFeatures(features: Readonly<Record<string, boolean>>): string {
  const switched = Object.entries(features).map(([name, isOn]) => `${name}=${isOn ? 'on' : 'off'}`)
  return switched.join(', ') || 'defaults'
}

function describeRule({ model, maxRequests, maxTokens, window }: QuotaStatus): string {
  const limits = [
    ...(maxRequests === undefined ? [] : [`${maxRequests} requests`]),
    ...(maxTokens === undefined ? [] : [`${maxTokens} tokens`]),
  ]
  return `${model === '' ? 'all models' : model}: ${limits.join(', ') || 'no limit'} in ${window}`
}
