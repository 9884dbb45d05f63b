import { SvcError } from '@svc/errors'
import type * as z from 'zod'
import type { ConfigStore } from '../../../catalog/folder-store.ts'
import { checkName } from '../../../files/safe-path.ts'
import type { BodyReader } from '../../../http/body.ts'
import type { Call } from '../../../http/call.ts'
import type { HttpReply } from '../../../http/http-reply.ts'
import { json } from '../../../http/json.ts'
import { defineRoute, type Route } from '../../../http/route.ts'
import { readJsonBody } from '../read-json-body.ts'
import type { ChangeOptions, ConfigFiles, WrittenConfig } from './config-files.ts'
import type { ConfigText, configWritten, patchBody } from './schemas.ts'

/** What the routes of model configurations need. */
export interface ModelConfigParts {
  readonly files: ConfigFiles
  readonly modelFiles: ConfigStore
  readonly bodies: BodyReader
}

const shared = { access: 'admin', family: 'flat', tag: 'models' } as const
const schemas = () => import('./schemas.ts')
const TOGGLES = {
  'toggle-state': { enable: { disabled: null }, disable: { disabled: true } },
  'toggle-pinned': { pin: { pinned: true }, unpin: { pinned: null } },
} as const

const CHANGED_MEANWHILE = { description: 'The file has another revision than `If-Match` names.' }

/** Model files over HTTP. */
export function modelConfigRoutes({ files, modelFiles, bodies }: ModelConfigParts): Route[] {
  return [
    defineRoute({
      ...shared,
      method: 'GET',
      path: '/api/models/config-json/:name{.+}',
      summary: 'The configuration of a model as JSON',
      responses: {
        200: {
          description: 'Every key of its file.',
          schema: async () => (await import('../model-facts/editor-schemas.ts')).modelConfig,
        },
        404: { description: 'There is no such file.' },
      },
      async handler(call) {
        const { model, revision } = await files.read(named(call))
        return json(model.raw, { headers: toRevisionHeaders(revision) })
      },
    }),
    defineRoute({
      ...shared,
      method: 'PATCH',
      path: '/api/models/config-json/:name{.+}',
      summary: 'Change keys of a model file; comments, order and other keys stay',
      audit: { change: 'model.edit', target: 'name' },
      body: async () => (await schemas()).patchBody,
      responses: {
        200: { description: 'Written and in force.', schema: async () => (await schemas()).configWritten },
        412: CHANGED_MEANWHILE,
      },
      async handler(call) {
        const name = named(call)
        const patch = await readPatch(call, bodies)
        call.noteChange({ details: Object.keys(patch).join(', ') })
        const written = await files.patch(name, patch, readPrecondition(call))
        return toWritten(`Model '${name}' updated successfully`, written)
      },
    }),
    defineRoute({
      ...shared,
      method: 'POST',
      path: '/models/import',
      summary: 'Write the file of a new model, from YAML or JSON',
      audit: { change: 'model.create' },
      body: async () => (await schemas()).fileText,
      bodyType: 'application/yaml',
      responses: {
        200: { description: 'The model is there.', schema: async () => (await schemas()).configWritten },
        409: { description: 'A model of this name exists.' },
      },
      async handler(call) {
        const written = await files.create(await readText(call, bodies))
        call.noteChange({ target: written.file })
        return toWritten('Model configuration created successfully', written)
      },
    }),
    defineRoute({
      ...shared,
      method: 'GET',
      path: '/models/edit/:name{.+}',
      aliases: ['/api/models/edit/:name{.+}'],
      summary: 'The text of a model file',
      responses: {
        200: { description: 'As it lies in the models folder.', schema: async () => (await schemas()).configText },
        404: { description: 'There is no such file.' },
      },
      async handler(call) {
        const { model, text, revision } = await files.read(named(call))
        return json(
          { config: text, name: model.name, filename: model.file, config_revision: revision } satisfies ConfigText,
          { headers: toRevisionHeaders(revision) },
        )
      },
    }),
    defineRoute({
      ...shared,
      method: 'POST',
      path: '/models/edit/:name{.+}',
      summary: 'Replace a model file; another name in it renames the model',
      audit: { change: 'model.edit', target: 'name' },
      body: async () => (await schemas()).fileText,
      bodyType: 'application/yaml',
      responses: {
        200: { description: 'Written and in force.', schema: async () => (await schemas()).configWritten },
        409: { description: 'The new name is taken.' },
        412: CHANGED_MEANWHILE,
      },
      async handler(call) {
        const written = await files.replace(named(call), await readText(call, bodies), readPrecondition(call))
        call.noteChange({ details: `the whole file, now ${written.file}` })
        return toWritten('Model configuration updated successfully', written)
      },
    }),
    ...(['toggle-state', 'toggle-pinned'] as const).map((verb) =>
      defineRoute({
        ...shared,
        method: 'PUT',
        path: `/models/${verb}/:name/:action`,
        summary: verb === 'toggle-state' ? 'Enable or disable a model' : 'Pin a model in memory, or unpin it',
        audit: { change: verb === 'toggle-state' ? 'model.state' : 'model.pin', target: 'name' },
        responses: {
          200: { description: 'Written and in force.', schema: async () => (await schemas()).configWritten },
        },
        async handler(call) {
          const name = named(call)
          const patch = new Map<string, Readonly<Record<string, unknown>>>(Object.entries(TOGGLES[verb])).get(
            call.param('action'),
          )
          if (patch === undefined) {
            const known = Object.keys(TOGGLES[verb]).join(' or ')
            throw new SvcError('invalid_request', `the action is not ${known}`, { code: 'unknown_action' })
          }
          call.noteChange({ details: call.param('action') })
          return toWritten(`Model '${name}' updated`, await files.patch(name, patch))
        },
      }),
    ),
    defineRoute({
      ...shared,
      method: 'GET',
      path: '/api/aliases',
      summary: 'Models that redirect to others',
      responses: {
        200: { description: 'In byte order.', schema: async () => (await schemas()).aliasList },
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

function toWritten(message: string, { file, revision }: WrittenConfig): HttpReply {
  return json({
    ...{ success: true, message, filename: file, config_revision: revision, pending_cleanup: 0 },
  } satisfies z.output<typeof configWritten>)
}

function toRevisionHeaders(revision: string): Record<string, string> {
  return { etag: `"${revision}"` }
}

/** The revision in `If-Match`; `*` asks for none in particular. */
function readPrecondition(call: Call): ChangeOptions {
  const asked = call.header('if-match')?.trim()
  return asked === undefined || asked === '*' ? {} : { revision: asked.replace(/^"(.*)"$/, '$1') }
}

async function readPatch(call: Call, bodies: BodyReader): Promise<z.output<typeof patchBody>> {
  try {
    return await readJsonBody(call, (await schemas()).patchBody, bodies)
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
