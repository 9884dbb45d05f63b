import { SvcError } from '@svc/errors'
import * as z from 'zod'
import type { ConfigStore } from '../../../catalog/folder-store.ts'
import { checkName } from '../../../files/safe-path.ts'
import type { BodyReader } from '../../../http/body.ts'
import type { Call } from '../../../http/call.ts'
import { json } from '../../../http/json.ts'
import { defineRoute, type Route } from '../../../http/route.ts'
import { readJsonBody } from '../read-json-body.ts'
import type { ConfigFiles } from './config-files.ts'

/** What the routes of model configurations need. */
export interface ModelConfigParts {
  readonly files: ConfigFiles
  readonly modelFiles: ConfigStore
  readonly bodies: BodyReader
}

const patchBody = z.record(z.string(), z.unknown())
const changed = z.object({
  success: z.literal(true),
  message: z.string(),
  config_revision: z.string(),
  pending_cleanup: z.int(),
})
const created = z.object({
  success: z.literal(true),
  message: z.string(),
  filename: z.string(),
  pending_cleanup: z.int(),
})

const shared = { access: 'admin', family: 'flat', tag: 'models' } as const
const TOGGLES = {
  'toggle-state': { enable: { disabled: null }, disable: { disabled: true } },
  'toggle-pinned': { pin: { pinned: true }, unpin: { pinned: null } },
} as const

/** Model files over HTTP. */
export function modelConfigRoutes({ files, modelFiles, bodies }: ModelConfigParts): Route[] {
  return [
    defineRoute({
      ...shared,
      method: 'GET',
      path: '/api/models/config-json/:name{.+}',
      summary: 'The configuration of a model as JSON',
      responses: { 200: { description: 'Every key of its file.' }, 404: { description: 'There is no such file.' } },
      handler: async (call) => json((await files.read(named(call))).model.raw),
    }),
    defineRoute({
      ...shared,
      method: 'PATCH',
      path: '/api/models/config-json/:name{.+}',
      summary: 'Change keys of a model file; comments, order and other keys stay',
      body: async () => patchBody,
      responses: { 200: { description: 'Written and in force.', schema: async () => changed } },
      async handler(call) {
        const name = named(call)
        const { revision } = await files.patch(name, await readPatch(call, bodies))
        const message = `Model '${name}' updated successfully`
        return json({ success: true, message, config_revision: revision, pending_cleanup: 0 })
      },
    }),
    defineRoute({
      ...shared,
      method: 'POST',
      path: '/models/import',
      summary: 'Write the file of a new model, from YAML or JSON',
      responses: { 200: { description: 'The model is there.', schema: async () => created } },
      async handler(call) {
        const { file } = await files.create(await readText(call, bodies))
        const message = 'Model configuration created successfully'
        return json({ success: true, message, filename: file, pending_cleanup: 0 })
      },
    }),
    defineRoute({
      ...shared,
      method: 'GET',
      path: '/api/models/edit/:name{.+}',
      summary: 'The text of a model file',
      responses: { 200: { description: 'As it lies in the models folder.' } },
      async handler(call) {
        const { model, text } = await files.read(named(call))
        return json({ config: text, name: model.name })
      },
    }),
    defineRoute({
      ...shared,
      method: 'POST',
      path: '/models/edit/:name{.+}',
      summary: 'Replace a model file; another name in it renames the model',
      responses: {
        200: { description: 'Written and in force.', schema: async () => created },
        409: { description: 'The new name is taken.' },
      },
      async handler(call) {
        const { file } = await files.replace(named(call), await readText(call, bodies))
        const message = 'Model configuration updated successfully'
        return json({ success: true, message, filename: file, pending_cleanup: 0 })
      },
    }),
    ...(['toggle-state', 'toggle-pinned'] as const).map((verb) =>
      defineRoute({
        ...shared,
        method: 'PUT',
        path: `/models/${verb}/:name/:action`,
        summary: verb === 'toggle-state' ? 'Enable or disable a model' : 'Pin a model in memory, or unpin it',
        responses: { 200: { description: 'Written and in force.', schema: async () => created } },
        async handler(call) {
          const name = named(call)
          const patch = new Map<string, Readonly<Record<string, unknown>>>(Object.entries(TOGGLES[verb])).get(
            call.param('action'),
          )
          if (patch === undefined) {
            const known = Object.keys(TOGGLES[verb]).join(' or ')
            throw new SvcError('invalid_request', `the action is not ${known}`, { code: 'unknown_action' })
          }
          await files.patch(name, patch)
          const { model } = await files.read(name)
          return json({ success: true, message: `Model '${name}' updated`, filename: model.file, pending_cleanup: 0 })
        },
      }),
    ),
    defineRoute({
      ...shared,
      method: 'GET',
      path: '/api/aliases',
      summary: 'Models that redirect to others',
      responses: {
        200: {
          description: 'In byte order.',
          schema: async () => z.array(z.object({ name: z.string(), target: z.string() })),
        },
      },
      handler: () =>
        json(modelFiles.list().flatMap(({ name, alias }) => (alias === undefined ? [] : [{ name, target: alias }]))),
    }),
  ]
}

function named(call: Call): string {
  const name = call.param('name')
  checkName(name, 'model')
  return name
}

async function readPatch(call: Call, bodies: BodyReader): Promise<z.output<typeof patchBody>> {
  try {
    return await readJsonBody(call, patchBody, bodies)
  } catch (error) {
    if (!SvcError.is(error) || error.kind !== 'invalid_request') throw error
    const message =
      error.code === 'empty_body' ? 'request body is empty or unreadable' : `invalid JSON: ${error.message}`
    throw new SvcError('invalid_request', message, { code: 'invalid_body' })
  }
}

async function readText(call: Call, bodies: BodyReader): Promise<string> {
  const held = await bodies.read(call)
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(held.bytes)
    if (text.trim() !== '') return text
  } catch {
    throw new SvcError('invalid_request', 'the request body is not UTF-8 text', { code: 'invalid_body' })
  } finally {
    held.release()
  }
  throw new SvcError('invalid_request', 'the request body is empty', { code: 'empty_body' })
}
