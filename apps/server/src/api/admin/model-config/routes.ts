import { basename } from 'node:path'
import { SvcError } from '@svc/errors'
import type * as z from 'zod'
import type { ConfigStore } from '../../../catalog/folder-store.ts'
import type { ModelDirectory } from '../../../catalog/resolve.ts'
import { checkName } from '../../../files/safe-path.ts'
import type { BodyReader } from '../../../http/body.ts'
import type { Call } from '../../../http/call.ts'
import { HttpReply } from '../../../http/http-reply.ts'
import { json } from '../../../http/json.ts'
import { defineRoute, type Route } from '../../../http/route.ts'
import { wantsPage } from '../../../http/wants-page.ts'
import { readJsonBody } from '../../read-json-body.ts'
import type { ConfigFiles } from './config-files.ts'
import { type ChangeOptions, toConfigFile, type WrittenConfig } from './config-folder.ts'
import type { ConfigText, configPreview, configWritten, patchBody } from './schemas.ts'

/** Parts of the routes of model configurations. */
export interface ModelConfigParts {
  readonly files: ConfigFiles
  readonly modelFiles: ConfigStore
  /** The models with their defaults filled in. */
  readonly models: Pick<ModelDirectory, 'list'>
  readonly bodies: BodyReader
  /** Lets replicas of changed models go. @returns those whose processes have not ended yet */
  readonly settleReplicas: (models: readonly string[]) => Promise<number>
}

const shared = { access: 'admin', family: 'model-file', tag: 'models' } as const
const schemas = () => import('./schemas.ts')
const TOGGLES = {
  'toggle-state': { enable: { disabled: null }, disable: { disabled: true } },
  'toggle-pinned': { pin: { pinned: true }, unpin: { pinned: null } },
} as const

const CHANGED_MEANWHILE = { description: 'The file has another revision than `If-Match` names.' }

/** Model files over HTTP. */
export function modelConfigRoutes(parts: ModelConfigParts): Route[] {
  return [
    configRoute(parts),
    patchRoute(parts),
    previewRoute(parts),
    importRoute(parts),
    copyRoute(parts),
    fileTextRoute(parts),
    replaceRoute(parts),
    toggleRoute(parts, 'toggle-state'),
    toggleRoute(parts, 'toggle-pinned'),
    aliasesRoute(parts),
  ]
}

function configRoute({ files, models }: ModelConfigParts): Route {
  return defineRoute({
    ...shared,
    family: 'flat',
    method: 'GET',
    path: '/api/models/config-json/:name{.+}',
    summary: 'The configuration of a model as JSON',
    responses: {
      200: {
        description: 'Every key, with its value in the file or its default.',
        schema: async () => (await import('../model-facts/editor-schemas.ts')).modelConfig,
      },
      404: { description: 'There is no such file.' },
    },
    async handler(call) {
      const { model, revision } = await files.read(named(call))
      if (model === undefined)
        throw new SvcError('unprocessable', 'the model file has mistakes: see GET /system?include=problems', {
          code: 'model_invalid',
        })
      const filled = models.list({ includeReferenced: true }).find(({ name }) => name === model.name)
      const { describeConfig } = await import('../../../catalog/describe-config.ts')
      return json(describeConfig(filled ?? model), { headers: toRevisionHeaders(revision) })
    },
  })
}

function patchRoute(parts: ModelConfigParts): Route {
  const { files, modelFiles, bodies } = parts
  return defineRoute({
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
      return await naming(findFile(modelFiles, name), async () => {
        const patch = await readPatch(call, bodies)
        call.noteChange({ details: Object.keys(patch).join(', ') })
        const written = await files.patch(name, patch, readPrecondition(call))
        return await toWritten(`Model '${name}' updated successfully`, { written, before: name }, parts)
      })
    },
  })
}

function previewRoute({ files, bodies }: ModelConfigParts): Route {
  return defineRoute({
    ...shared,
    method: 'POST',
    path: '/api/models/preview/:name{.+}',
    summary: 'The difference that a change of a model file would make, without making it',
    audit: { unrecorded: 'it shows a change and makes none' },
    body: async () => (await schemas()).previewBody,
    bodyType: 'application/yaml',
    responses: {
      200: { description: 'The change is valid.', schema: async () => (await schemas()).configPreview },
      412: CHANGED_MEANWHILE,
    },
    async handler(call) {
      const isText = !isJsonType(call.header('content-type'))
      const change = isText ? await readText(call, bodies) : await readPatch(call, bodies)
      const { before, text } = await files.preview(named(call), change, readPrecondition(call))
      const { file, revision } = before
      const { showDifference } = await import('./show-difference.ts')
      return json({
        filename: file,
        config_revision: revision,
        config: text,
        diff: showDifference(file, before.text, text),
      } satisfies z.output<typeof configPreview>)
    },
  })
}

function isJsonType(type = ''): boolean {
  return (type.split(';')[0] ?? '').trim().toLowerCase() === 'application/json'
}

function importRoute(parts: ModelConfigParts): Route {
  const { files, bodies } = parts
  return defineRoute({
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
      const text = await readText(call, bodies)
      const { findModelName } = await import('../../../catalog/edit-config.ts')
      const name = findModelName(text)
      return await naming(name === undefined ? undefined : toConfigFile(name), async () => {
        const written = await files.create(text)
        call.noteChange({ target: written.file })
        return await toWritten('Model configuration created successfully', { written }, parts)
      })
    },
  })
}

function copyRoute(parts: ModelConfigParts): Route {
  const { files, bodies } = parts
  return defineRoute({
    ...shared,
    method: 'POST',
    path: '/api/models/copy/:name{.+}',
    summary: 'Copy a model that comes with the server into the models folder, so that its file can be changed',
    audit: { change: 'model.create', target: 'name' },
    body: async () => (await schemas()).copyBody,
    responses: {
      200: { description: 'The copy is there.', schema: async () => (await schemas()).configWritten },
      404: { description: 'There is no built-in model of this name.' },
      409: { description: 'A model or file of the new name exists.' },
    },
    async handler(call) {
      const { name } = await readJsonBody(call, (await schemas()).copyBody, bodies)
      const written = await files.copyBuiltIn(named(call), name)
      call.noteChange({ details: `copied as ${name}` })
      return await toWritten('Model copied', { written }, parts)
    },
  })
}

function fileTextRoute({ files }: ModelConfigParts): Route {
  return defineRoute({
    ...shared,
    method: 'GET',
    path: '/models/edit/:name{.+}',
    aliases: ['/api/models/edit/:name{.+}'],
    summary: 'The text of a model file; browsers are led to its page in the editor',
    responses: {
      302: { description: 'To the page of the editor, for a request that accepts HTML.' },
      200: { description: 'As it lies in the models folder.', schema: async () => (await schemas()).configText },
      404: { description: 'There is no such file.' },
    },
    async handler(call) {
      const { name, file, model, text, revision } = await files.read(named(call))
      if (call.path.startsWith('/models/') && wantsPage(call.header('accept'))) {
        const location = `${call.baseUrl}app/models/${encodeURIComponent(model?.name ?? name)}`
        return new HttpReply(null, { status: 302, headers: { location } })
      }
      return json(
        { config: text, name: model?.name ?? name, filename: file, config_revision: revision } satisfies ConfigText,
        { headers: toRevisionHeaders(revision) },
      )
    },
  })
}

function replaceRoute(parts: ModelConfigParts): Route {
  const { files, modelFiles, bodies } = parts
  return defineRoute({
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
      const name = named(call)
      return await naming(findFile(modelFiles, name), async () => {
        const written = await files.replace(name, await readText(call, bodies), readPrecondition(call))
        call.noteChange({ details: `the whole file, now ${written.file}` })
        return await toWritten('Model configuration updated successfully', { written, before: name }, parts)
      })
    },
  })
}

function toggleRoute(parts: ModelConfigParts, verb: keyof typeof TOGGLES): Route {
  const { files, modelFiles } = parts
  return defineRoute({
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
      return await naming(findFile(modelFiles, name), async () => {
        const patch = readToggle(verb, call.param('action'))
        call.noteChange({ details: call.param('action') })
        const written = await files.patch(name, patch)
        return await toWritten(`Model '${name}' updated`, { written, before: name }, parts)
      })
    },
  })
}

function aliasesRoute({ modelFiles }: ModelConfigParts): Route {
  return defineRoute({
    ...shared,
    method: 'GET',
    path: '/api/aliases',
    summary: 'Models that redirect to others',
    responses: {
      200: { description: 'In byte order.', schema: async () => (await schemas()).aliasList },
    },
    handler: () =>
      json(modelFiles.list().flatMap(({ name, alias }) => (alias === undefined ? [] : [{ name, target: alias }]))),
  })
}

/** Finds the file that describes a model. Returns undefined for weights without one. */
function findFile(modelFiles: ConfigStore, name: string): string | undefined {
  const model = modelFiles.get(name)
  return model?.source === 'yaml' || model?.source === 'list' ? basename(model.file) : undefined
}

function named(call: Call): string {
  const name = call.param('name')
  checkName(name, 'model')
  return name
}

/** Runs a change of a model file. Its failures carry the name of the file. */
async function naming(filename: string | undefined, change: () => Promise<HttpReply>): Promise<HttpReply> {
  try {
    return await change()
  } catch (thrown) {
    if (filename === undefined || !SvcError.is(thrown)) throw thrown
    const { kind, message, code, retryAfterMs } = thrown
    const details = { ...thrown.details, beside: { filename } }
    const retry = retryAfterMs === undefined ? {} : { retryAfterMs }
    throw new SvcError(kind, message, { code, details, cause: thrown, ...retry })
  }
}

function readToggle(verb: keyof typeof TOGGLES, action: string): Readonly<Record<string, unknown>> {
  const known: ReadonlyMap<string, Readonly<Record<string, unknown>>> = new Map(Object.entries(TOGGLES[verb]))
  const patch = known.get(action)
  if (patch !== undefined) return patch
  throw new SvcError('invalid_request', `the action is not ${[...known.keys()].join(' or ')}`, {
    code: 'unknown_action',
  })
}

/** @param change.before the model that was changed, which the file may name otherwise now */
async function toWritten(
  message: string,
  { written, before }: { readonly written: WrittenConfig; readonly before?: string },
  { modelFiles, settleReplicas }: Pick<ModelConfigParts, 'modelFiles' | 'settleReplicas'>,
): Promise<HttpReply> {
  const { file, revision } = written
  const inFile = modelFiles.list({ includeReferenced: true }).filter((model) => model.file === file)
  const names = new Set([...(before === undefined ? [] : [before]), ...inFile.map(({ name }) => name)])
  return json({
    success: true,
    message,
    filename: file,
    config_revision: revision,
    pending_cleanup: await settleReplicas([...names]),
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
