import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { Document } from 'yaml'
import { createBackendCatalog } from '../backends/catalog.ts'
import { addModel } from '../catalog/add-model.ts'
import { formatProblem } from '../catalog/config-problem.ts'
import { createConfigStore } from '../catalog/config-store.ts'
import { deleteModel } from '../catalog/delete-model.ts'
import { renderModelSchema } from '../catalog/keys/json-schema.ts'
import { findModel, formatModel, formatModelRows, toModelRows } from '../catalog/list-models.ts'
import type { DemoModelSource } from '../catalog/loose-weights.ts'
import type { ModelSource } from '../config/load.ts'
import type { ServerConfig } from '../config/schema.ts'
import { IN_PROCESS_BACKENDS } from '../inference/serving/upstream/in-process-backends.ts'
import { quietLogger } from '../logging/quiet-logger.ts'
import { removeStates } from '../slots/remove-states.ts'
import { recordLocalChange } from './local-changes.ts'
import { print, printErrorLine, printFile, printJson, printLine, redrawLine } from './terminal.ts'

/** `svc models list`: prints the models that the server would serve from this folder. */
export function listModelsCommand(
  config: ServerConfig,
  { demoModels, json }: { readonly demoModels: readonly DemoModelSource[]; readonly json: boolean },
): void {
  const store = createConfigStore({
    folder: config.modelsPath,
    listFile: config.modelsConfigFile,
    demo: { mode: config.demoModel, models: demoModels },
  })
  const rows = toModelRows(store)
  if (json) printJson(rows)
  else print(formatModelRows(rows))
  for (const problem of store.problems()) printErrorLine(formatProblem(problem))
}

/** `svc models add FILE`: copies a GGUF file into the models folder and gives it a name. */
export async function addModelCommand(config: ServerConfig, { file, name, transfer }: ModelSource): Promise<void> {
  const aborted = new AbortController()
  process.once('SIGINT', () => aborted.abort(new Error('interrupted, nothing was added')))
  let shown = 0
  const added = await addModel({
    source: file,
    name,
    transfer,
    folder: config.modelsPath,
    signal: aborted.signal,
    onProgress({ copiedBytes, totalBytes }) {
      const percent = Math.floor((copiedBytes / Math.max(1, totalBytes)) * 100)
      if (percent < shown + 10 || !process.stderr.isTTY) return
      shown = percent
      redrawLine(`copying ${percent} %`)
    },
  })
  if (shown > 0) redrawLine('')
  await recordLocalChange(config, { change: 'model.add', target: added.name, details: added.weightsFile })
  print(
    `added model "${added.name}": ${added.weightsFile} (${(added.sizeBytes / 1e6).toFixed(1)} MB), ${added.configFile}\n`,
  )
  if (added.keptSource !== undefined) printErrorLine(`${file} could not be removed: ${added.keptSource}`)
  if (added.continuesText) {
    print(
      `The file has no chat template: the model continues text. To chat, name a template in ${added.configFile} (template.chat_message).\n`,
    )
  }
}

/** The model that a command names, with its store. */
interface NamedModel {
  readonly name: string
  readonly demoModels: readonly DemoModelSource[]
}

/** `svc models show NAME`: prints the facts of a model, one on a line. */
export function showModelCommand(config: ServerConfig, { name, demoModels }: NamedModel): void {
  const store = createConfigStore({
    folder: config.modelsPath,
    listFile: config.modelsConfigFile,
    demo: { mode: config.demoModel, models: demoModels },
  })
  print(formatModel(findModel(store, name)))
}

/** `svc models delete NAME`: deletes a model with the files that only it uses. */
export async function deleteModelCommand(config: ServerConfig, { name, demoModels }: NamedModel): Promise<void> {
  const store = createConfigStore({
    folder: config.modelsPath,
    listFile: config.modelsConfigFile,
    demo: { mode: config.demoModel, models: demoModels },
  })
  const model = findModel(store, name)
  const files = await deleteModel(store, model)
  await removeStates(model)
  await recordLocalChange(config, { change: 'model.delete', target: name })
  print(`deleted model "${name}": ${files.join(', ')}\n`)
}

/** `svc models export-config NAME`: prints the file of a model, or for weights without one the file that says the same. */
export async function exportModelCommand(config: ServerConfig, { name, demoModels }: NamedModel): Promise<void> {
  const store = createConfigStore({
    folder: config.modelsPath,
    listFile: config.modelsConfigFile,
    demo: { mode: config.demoModel, models: demoModels },
  })
  const model = findModel(store, name)
  if (model.source === 'list') return printFile(new Document(model.raw).toString())
  if (model.source === 'yaml') return printFile(await readFile(join(model.folder, model.file), 'utf8'))
  printFile(new Document({ name, backend: model.backend, parameters: { model: model.parameters.model } }).toString())
}

/** `svc models schema`: the JSON Schema of model files. */
export function printModelSchemaCommand(): void {
  print(renderModelSchema())
}

/** `svc backends list`: the names that `backend:` of a model file can have here. */
export async function listBackendsCommand(
  config: ServerConfig,
  { builtIn, json }: { readonly builtIn: readonly string[]; readonly json: boolean },
): Promise<void> {
  const catalog = await createBackendCatalog({
    folders: [config.backendsPath, config.backendsSystemPath],
    builtIn: Object.fromEntries(builtIn.map((name) => [name, { entry: name, execArgv: [] }])),
    inProcess: Object.fromEntries(IN_PROCESS_BACKENDS.map((name) => [name, () => ({})])),
    external: Object.fromEntries(config.externalGrpcBackends.map(({ name, uri }) => [name, uri])),
    logger: quietLogger,
  })
  const names = catalog.names()
  if (json) printJson(names)
  else for (const name of names) printLine(name)
}
