import * as z from 'zod'
import { type AssistantTool, defineRouteTool, defineTool, name, toAnswer, whole, word } from '../tool.ts'

const job = 'Answers with the id of an operation; follow_operation waits for it.'
const NAMES = 'GET /api/backend-logs'
const LOGS = 'GET /api/backend-logs/*'

/** Backends: the programs that run models. */
export const BACKEND_TOOLS: readonly AssistantTool[] = [
  defineRouteTool({
    name: 'list_backends',
    title: 'List backends',
    description: 'Lists the installed backends, and whether newer builds of them are known.',
    route: 'GET /backends',
  }),
  defineRouteTool({
    name: 'search_backends',
    title: 'Search the backend galleries',
    description: 'Searches backends that can be installed, one page at a time.',
    input: {
      term: word('Words in the name, the description or the tags.').optional(),
      tag: word('A tag.').optional(),
      all: z.boolean().describe('List builds for other machines too.').default(false),
      page: whole('Counted from 1.', { min: 1, max: 10_000 }).default(1),
      items: whole('Entries of a page.', { min: 1, max: 50 }).default(10),
    },
    route: 'GET /api/backends',
    toRequest: (query) => ({ query }),
  }),
  defineRouteTool({
    name: 'install_backend',
    title: 'Install a backend',
    description: `Installs a backend of a gallery in the background. ${job}`,
    effect: 'write',
    idempotent: true,
    openWorld: true,
    input: {
      id: name('`name` or `gallery@name`.'),
      force: z.boolean().describe('Install it again where it is here.').default(false),
    },
    route: 'POST /backends/apply',
    toRequest: (body) => ({ body }),
  }),
  defineRouteTool({
    name: 'upgrade_backend',
    title: 'Upgrade a backend',
    description: `Installs the newer build of a backend. ${job}`,
    effect: 'write',
    idempotent: true,
    openWorld: true,
    input: { name: name('The backend.') },
    route: 'POST /backends/upgrade/:name',
    toRequest: (params) => ({ params }),
  }),
  defineRouteTool({
    name: 'delete_backend',
    title: 'Delete a backend',
    description: `Deletes an installed backend. Models that need it no longer work. ${job}`,
    effect: 'destructive',
    idempotent: true,
    input: { name: name('The backend.') },
    route: 'POST /backends/delete/:name',
    toRequest: (params) => ({ params }),
  }),
  defineTool({
    name: 'get_backend_logs',
    title: 'Output of backends',
    description: 'Gives the newest output of the backends of a model, or the models that have any.',
    input: {
      model: name('The model; without it the models with output are listed.').optional(),
      lines: whole('Newest lines.', { min: 1, max: 1000 }).default(100),
    },
    routes: [NAMES, LOGS],
    async run({ model, lines }, { request }) {
      if (model === undefined) return toAnswer(await request({ route: NAMES }))
      const reply = await request({ route: LOGS, params: { '*': model } })
      return Array.isArray(reply.json) ? { value: reply.json.slice(-lines) } : toAnswer(reply)
    },
  }),
]
