import * as z from 'zod'
import { type AssistantTool, defineRouteTool, name, whole, word } from '../tool.ts'

const page = {
  page: whole('Counted from 1.', { min: 1, max: 10_000 }).default(1),
  items: whole('Entries of a page.', { min: 1, max: 50 }).default(10),
}
const job = 'Answers with the id of an operation; follow_operation waits for it.'

/** Models: those that are here, and those of galleries. */
export const MODEL_TOOLS: readonly AssistantTool[] = [
  defineRouteTool({
    name: 'list_models',
    title: 'List models',
    description: 'Lists the models of this server that the caller may use, with what each can be asked for.',
    route: 'GET /api/models/capabilities',
  }),
  defineRouteTool({
    name: 'search_models',
    title: 'Search the model galleries',
    description: 'Searches models that can be installed, one page at a time.',
    input: {
      term: word('Words in the name, the description or the tags.').optional(),
      tag: word('A tag.').optional(),
      backend: word('A backend.').optional(),
      capability: word('A usecase, such as chat or embeddings.').optional(),
      fits: z.boolean().describe('Leave out models that are known not to fit this machine.').default(false),
      ...page,
    },
    route: 'GET /api/models',
    toRequest: (query) => ({ query }),
  }),
  defineRouteTool({
    name: 'get_model_variants',
    title: 'Variants of a model',
    description: 'Gives the forms of a model of a gallery, and which of them fits this machine.',
    input: { id: name('`name` or `gallery@name`.') },
    route: 'GET /api/models/variants/:id{.+}',
    toRequest: (params) => ({ params }),
    openWorld: true,
  }),
  defineRouteTool({
    name: 'estimate_model_memory',
    title: 'Memory of a model',
    description: 'Estimates how much memory a model of a gallery takes.',
    input: {
      id: name('`name` or `gallery@name`.'),
      contexts: z
        .array(z.int().min(1).max(10_000_000))
        .max(10)
        .describe('Sizes of the context in tokens.')
        .default([8192]),
    },
    route: 'GET /api/models/estimate/:id{.+}',
    toRequest: ({ id, contexts }) => ({ params: { id }, query: { contexts: contexts.join(',') } }),
    openWorld: true,
  }),
  defineRouteTool({
    name: 'install_model',
    title: 'Install a model',
    description: `Installs a model of a gallery in the background. ${job}`,
    effect: 'write',
    idempotent: true,
    openWorld: true,
    input: {
      id: name('`name` or `gallery@name`, as search_models shows it.'),
      variant: word('Name of the variant to take instead of the one that fits.').optional(),
    },
    route: 'POST /api/models/install/:id{.+}',
    toRequest: ({ id, variant }) => ({ params: { id }, query: { variant } }),
  }),
  defineRouteTool({
    name: 'import_model',
    title: 'Import a model',
    description: `Installs the model behind an address: a GGUF file, a model file, a repository, ollama://. ${job}`,
    effect: 'write',
    openWorld: true,
    input: {
      uri: z.string().min(1).max(2048).describe('The address.'),
      name: name('Name of the model.').optional(),
      backend: name('Backend of the model.').optional(),
    },
    route: 'POST /models/import-uri',
    toRequest: ({ uri, ...preferences }) => ({ body: { uri, preferences } }),
  }),
  defineRouteTool({
    name: 'delete_model',
    title: 'Delete a model',
    description: `Deletes a model with the files that only it uses. ${job}`,
    effect: 'destructive',
    idempotent: true,
    input: { name: name('The model.') },
    route: 'POST /models/delete/:name{.+}',
    toRequest: (params) => ({ params }),
  }),
  defineRouteTool({
    name: 'load_model',
    title: 'Load a model',
    description: 'Loads a model into memory and waits until it is ready.',
    effect: 'write',
    idempotent: true,
    input: { model: name('The model.') },
    route: 'POST /backend/load',
    toRequest: (body) => ({ body }),
  }),
  defineRouteTool({
    name: 'stop_model',
    title: 'Stop a model',
    description: 'Takes a model out of memory once its running calls have ended, or at once with force.',
    effect: 'destructive',
    idempotent: true,
    input: { model: name('The model.'), force: z.boolean().describe('End running calls.').default(false) },
    route: 'POST /backend/shutdown',
    toRequest: (body) => ({ body }),
  }),
  defineRouteTool({
    name: 'set_model_state',
    title: 'Enable or disable a model',
    description: 'Enables a model, or disables it so that no request reaches it.',
    effect: 'write',
    idempotent: true,
    input: { name: name('The model.'), action: z.enum(['enable', 'disable']) },
    route: 'PUT /models/toggle-state/:name/:action',
    toRequest: (params) => ({ params }),
  }),
  defineRouteTool({
    name: 'set_model_pin',
    title: 'Pin a model',
    description: 'Pins a model, so that it stays in memory, or unpins it.',
    effect: 'write',
    idempotent: true,
    input: { name: name('The model.'), action: z.enum(['pin', 'unpin']) },
    route: 'PUT /models/toggle-pinned/:name/:action',
    toRequest: (params) => ({ params }),
  }),
]
