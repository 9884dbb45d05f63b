import * as z from 'zod'
import { type AssistantTool, defineRouteTool, name, whole, word } from '../tool.ts'

const limit = whole('The newest.', { min: 1, max: 500 }).default(50)
const time = (about: string) => z.iso.datetime({ offset: true }).describe(about).optional()
const router = { name: name('The router: a model with a router block.') }

/** The filter of private text, and the routers. */
export const FILTER_TOOLS: readonly AssistantTool[] = [
  defineRouteTool({
    name: 'get_pii_events',
    title: 'Events of the audit log',
    description:
      'Lists what the filter of private text found, never the text. With change or kind it lists changes too.',
    input: {
      correlation_id: word('Events of one request.').optional(),
      user_id: word('Events of one account.').optional(),
      pattern_id: word('Such as ner:EMAIL.').optional(),
      kind: word(
        'pii, proxy_connect, proxy_traffic, admission, administration, account; several with commas.',
      ).optional(),
      origin: z.enum(['middleware', 'proxy', 'pii_analyze', 'pii_redact', 'api', 'command']).optional(),
      change: word('A change such as user.role, or an area such as user.').optional(),
      target: word('What was changed.').optional(),
      since: time('The first moment.'),
      until: time('The moment after the last one.'),
      limit,
    },
    route: 'GET /api/pii/events',
    toRequest: (query) => ({ query }),
  }),
  defineRouteTool({
    name: 'get_middleware_status',
    title: 'State of the filters',
    description: 'Gives the state of the filter of private text for each model, of routers, interception and limits.',
    route: 'GET /api/middleware/status',
  }),
  defineRouteTool({
    name: 'get_router_status',
    title: 'State of routers',
    description: 'Gives the classifier, the labels and the candidates of each router.',
    route: 'GET /api/router/status',
  }),
  defineRouteTool({
    name: 'get_router_decisions',
    title: 'Decisions of routers',
    description: 'Lists the decisions made last, never a prompt.',
    input: {
      correlation_id: word('Of one request.').optional(),
      user_id: word('Of one account.').optional(),
      router_model: word('Of one router.').optional(),
      limit,
    },
    route: 'GET /api/router/decisions',
    toRequest: (query) => ({ query }),
  }),
  defineRouteTool({
    name: 'get_router_corpus_stats',
    title: 'Size of a corpus',
    description: 'Counts the labelled texts of a router, never showing one.',
    input: router,
    route: 'GET /api/router/:name/corpus/stats',
    toRequest: (params) => ({ params }),
  }),
  defineRouteTool({
    name: 'seed_router_corpus',
    title: 'Add to a corpus',
    description: 'Adds labelled texts to the corpus of a router. Texts that are there already are skipped.',
    effect: 'write',
    idempotent: true,
    input: {
      ...router,
      entries: z
        .array(
          z.strictObject({
            text: z.string().min(1).max(8192).describe('A prompt.'),
            labels: z.array(z.string().min(1).max(256)).min(1).max(64).describe('Labels that the router declares.'),
          }),
        )
        .min(1)
        .max(1000),
    },
    route: 'POST /api/router/:name/corpus',
    toRequest: ({ name: router, entries }) => ({ params: { name: router }, body: { entries } }),
  }),
  defineRouteTool({
    name: 'clear_router_corpus',
    title: 'Clear a corpus',
    description: 'Removes all labelled texts of a router.',
    effect: 'destructive',
    idempotent: true,
    input: router,
    route: 'DELETE /api/router/:name/corpus',
    toRequest: (params) => ({ params }),
  }),
]
