import { SvcError } from '@svc/errors'
import * as z from 'zod'
import type { ApiRequest } from '../api.ts'
import { type AssistantTool, defineRouteTool, defineTool, name, type ToolContext, word } from '../tool.ts'

const PREVIEW = 'POST /api/models/preview/:name{.+}'
const PATCH = 'PATCH /api/models/config-json/:name{.+}'
const REPLACE = 'POST /models/edit/:name{.+}'

const preview = z.looseObject({ diff: z.string(), config_revision: z.string() })
const written = z.looseObject({ filename: z.string(), config_revision: z.string() })

/** The body of a change: keys, or the whole text. */
type ChangeBody = Pick<ApiRequest, 'body' | 'text'>

/** Model files. */
export const MODEL_FILE_TOOLS: readonly AssistantTool[] = [
  defineRouteTool({
    name: 'get_model_config',
    title: 'File of a model',
    description: 'Gives the text of a model file with its revision.',
    input: { name: name('The model.') },
    route: 'GET /models/edit/:name{.+}',
    toRequest: (params) => ({ params }),
  }),
  defineRouteTool({
    name: 'describe_model_keys',
    title: 'Keys of model files',
    description: 'Describes the keys that model files can have: the sections, or the keys of one.',
    input: { section: word('A section.').optional() },
    route: 'GET /api/models/config-metadata',
    toRequest: (query) => ({ query }),
  }),
  defineTool({
    name: 'edit_model_config',
    title: 'Edit the file of a model',
    description:
      'Changes a model file: its keys by patch, or its whole text by config. Detector policy is edited here (pii, pii_detection). ' +
      'It shows the difference and writes nothing unless dry_run is false.',
    effect: 'destructive',
    input: {
      name: name('The model.'),
      patch: z
        .record(z.string().max(128), z.json())
        .refine((value) => Object.keys(value).length > 0, 'it has no key')
        .describe('Keys to set; null removes one. Other keys and comments stay.')
        .optional(),
      config: z.string().min(1).max(262_144).describe('The whole new text, YAML.').optional(),
      revision: word(
        'The revision that the change is meant for; it is refused where the file has another one.',
      ).optional(),
      dry_run: z.boolean().describe('Only show the difference.').default(true),
    },
    routes: [PREVIEW, PATCH, REPLACE],
    run: async ({ name: model, patch, config, revision, dry_run: isDryRun }, context) => {
      if ((patch === undefined) === (config === undefined)) throw refuse('give either patch or config')
      const body: ChangeBody =
        patch === undefined ? { text: { type: 'application/yaml', value: config ?? '' } } : { body: patch }
      return await edit({ model, body, revision, isDryRun }, context)
    },
  }),
  defineRouteTool({
    name: 'create_model_config',
    title: 'Write the file of a new model',
    description: 'Writes the file of a new model. Its name is in the text.',
    effect: 'write',
    input: { config: z.string().min(1).max(262_144).describe('The text, YAML.') },
    route: 'POST /models/import',
    toRequest: ({ config }) => ({ text: { type: 'application/yaml', value: config } }),
  }),
  defineRouteTool({
    name: 'reload_models',
    title: 'Read the model files again',
    description: 'Reads the models folder again.',
    effect: 'write',
    idempotent: true,
    route: 'POST /models/reload',
  }),
]

/** Shows a change, and makes it of the text that was shown. */
async function edit(
  change: {
    readonly model: string
    readonly body: ChangeBody
    readonly revision: string | undefined
    readonly isDryRun: boolean
  },
  { request }: ToolContext,
): Promise<{ readonly value: unknown }> {
  const { model, body, revision, isDryRun } = change
  const params = { name: model }
  const condition = (of: string | undefined) => (of === undefined ? {} : { headers: { 'if-match': `"${of}"` } })
  const shown = preview.parse((await request({ route: PREVIEW, params, ...body, ...condition(revision) })).json)
  const { diff, config_revision: before } = shown
  if (isDryRun || diff === '') return { value: { written: false, diff, config_revision: before } }
  const route = body.text === undefined ? PATCH : REPLACE
  const reply = written.parse((await request({ route, params, ...body, ...condition(before) })).json)
  return { value: { written: true, diff, filename: reply.filename, config_revision: reply.config_revision } }
}

function refuse(message: string): SvcError {
  return new SvcError('invalid_request', message, { code: 'invalid_arguments' })
}
