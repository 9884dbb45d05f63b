import * as z from 'zod'
import { type AssistantTool, defineRouteTool, defineTool, name, toAnswer, whole, word } from '../tool.ts'

const PERIOD = z.enum(['day', 'week', 'month', 'all']).describe('How far back.').default('month')
const time = (about: string) => z.iso.datetime({ offset: true }).describe(about).optional()
const filters = {
  model: word('Only this model.').optional(),
  q: word('Only traces with this text in a name, an id, the path or the error.').optional(),
  since: time('Only what began at this time or later.'),
  until: time('Only what began before this time.'),
  limit: whole('The newest.', { min: 1, max: 100 }).default(20),
  offset: whole('Traces before the page.', { min: 0, max: 100_000 }).default(0),
}
const SETTINGS = 'GET /api/settings'
const SOURCES = 'GET /api/settings/sources'
const USER = '/api/auth/admin/users/:id'

/** The server itself: its state, traces, settings, usage and accounts. */
export const SERVER_TOOLS: readonly AssistantTool[] = [
  defineRouteTool({
    name: 'get_version',
    title: 'Version of the server',
    description: 'Gives the version of this server.',
    route: 'GET /version',
  }),
  defineRouteTool({
    name: 'get_system_status',
    title: 'State of the server',
    description:
      'Gives the backends, the models in memory with their processes, memory and devices, and known problems.',
    route: 'GET /system',
    toRequest: () => ({ query: { include: 'resources,problems,states' } }),
  }),
  defineRouteTool({
    name: 'list_traces',
    title: 'List traces',
    description: 'Lists traces of inference requests, the newest first, without bodies. Tracing must be enabled.',
    input: { ...filters, status: word('Such as 5xx, 404, failed or running.').optional() },
    route: 'GET /api/traces',
    toRequest: (query) => ({ query }),
  }),
  defineRouteTool({
    name: 'get_trace',
    title: 'One trace',
    description: 'Gives one trace of an inference request with its bodies.',
    input: { id: name('Id of the trace.') },
    route: 'GET /api/traces/:id',
    toRequest: (params) => ({ params }),
  }),
  defineRouteTool({
    name: 'get_trace_summary',
    title: 'Summary of traces',
    description: 'Counts requests and failures of the last hours and gives the 95th percentile of durations.',
    input: { hours: whole('Hours before now.', { min: 1, max: 168 }).default(24) },
    route: 'GET /api/traces/summary',
    toRequest: (query) => ({ query }),
  }),
  defineRouteTool({
    name: 'list_backend_traces',
    title: 'List calls to backends',
    description: 'Lists traces of calls to backends and upstreams, the newest first.',
    input: { ...filters, status: z.enum(['running', 'completed', 'failed']).optional() },
    route: 'GET /api/backend-traces',
    toRequest: (query) => ({ query }),
  }),
  defineTool({
    name: 'get_settings',
    title: 'Settings',
    description:
      'Gives the runtime settings in force, secrets masked; with sources, what each comes from and what locks it.',
    input: { sources: z.boolean().default(false) },
    routes: [SETTINGS, SOURCES],
    run: async ({ sources }, { request }) => toAnswer(await request({ route: sources ? SOURCES : SETTINGS })),
  }),
  defineRouteTool({
    name: 'change_settings',
    title: 'Change settings',
    description: 'Changes runtime settings. Others keep their values.',
    effect: 'destructive',
    idempotent: true,
    input: {
      settings: z
        .record(z.string().max(128), z.json())
        .refine((value) => Object.keys(value).length <= 64, 'at most 64 settings')
        .describe('Values by the names that get_settings shows.'),
    },
    route: 'POST /api/settings',
    toRequest: ({ settings }) => ({ body: settings }),
  }),
  defineRouteTool({
    name: 'get_own_usage',
    title: 'Own usage',
    description: 'Gives the usage of the caller over time.',
    input: { period: PERIOD },
    route: 'GET /api/auth/usage',
    toRequest: (query) => ({ query }),
  }),
  defineRouteTool({
    name: 'get_usage',
    title: 'Usage of everybody',
    description: 'Gives the usage of all accounts, or of one, over time.',
    input: { period: PERIOD, user_id: word('Only this account.').optional() },
    route: 'GET /api/auth/admin/usage',
    toRequest: (query) => ({ query }),
  }),
  defineRouteTool({
    name: 'list_users',
    title: 'List accounts',
    description: 'Lists the accounts of this server.',
    route: 'GET /api/auth/admin/users',
  }),
  defineTool({
    name: 'get_user_rights',
    title: 'Rights of an account',
    description: 'Gives the features, models and quotas of an account.',
    input: { id: name('Id of the account.') },
    routes: [`GET ${USER}/permissions`, `GET ${USER}/quotas`],
    async run({ id }, { request }) {
      const [permissions, quotas] = [
        await request({ route: `GET ${USER}/permissions`, params: { id } }),
        await request({ route: `GET ${USER}/quotas`, params: { id } }),
      ]
      return { value: { permissions: permissions.json, quotas: quotas.json } }
    },
  }),
]
