import { SvcError } from '@svc/errors'
import { Document } from 'yaml'
import { parseModelFile } from '../catalog/config-file.ts'
import { formatProblem } from '../catalog/config-problem.ts'
import { findFamily } from '../catalog/family-defaults.ts'
import type { ModelConfig } from '../catalog/model-config.ts'
import { checkName, isSafeName, toModelFileName } from '../files/safe-path.ts'
import { refuseForeignKeys } from './foreign-config.ts'
import type { EntryFile, ModelEntry } from './gallery.ts'
import { mergeConfig } from './merge-config.ts'
import type { ModelDocument } from './model-document.ts'
import { isFields } from './to-entry.ts'

type Fields = Readonly<Record<string, unknown>>

/** A request to install a model. */
export interface ModelRequest {
  /** Id of an entry: `name` or `gallery@name`. */
  readonly id?: string | undefined
  /** Address of a document, where no entry is named. */
  readonly url?: string | undefined
  /** Name of the model on this server. @default the name of the entry */
  readonly name?: string | undefined
  /** Name of the entry to take instead. @default the one that fits this machine best */
  readonly variant?: string | undefined
  readonly overrides?: Fields | undefined
  readonly configFile?: Fields | undefined
  readonly files?: readonly EntryFile[] | undefined
}

/** Everything that an installation writes. Names are relative to the models folder. */
export interface ModelPlan {
  readonly name: string
  readonly configFile: string
  readonly configText: string
  /** The content of the text. */
  readonly config: Fields
  readonly model: ModelConfig
  readonly files: readonly EntryFile[]
  /** Small files with their text. */
  readonly templates: readonly { readonly filename: string; readonly text: string }[]
  /** The backend that the model names; empty for none. */
  readonly backend: string
}

/** The name of the file that describes a model: one segment, `/` written as `__`. */
export function configFileName(name: string): string {
  return `${toModelFileName(name)}.yaml`
}

/**
 * Joins what the gallery, its document and the request say, and checks the result as a model file. Text of the gallery
 * and the document is foreign: only the request may set keys that reach further than the models folder.
 *
 * @throws {SvcError} `invalid_request` (`invalid_name`, `invalid_file`), `forbidden` (`foreign_key_refused`),
 *   `unprocessable` (`model_invalid`)
 */
export function planModel(
  entry: Pick<ModelEntry, 'name' | 'files' | 'configFile' | 'overrides'>,
  document: ModelDocument,
  request: ModelRequest,
): ModelPlan {
  const name = request.name ?? entry.name
  checkName(name, 'model')
  const asked = { config: request.configFile ?? {}, overrides: request.overrides ?? {} }
  const merged = mergeConfig(document.configFile, entry.configFile, asked.config, entry.overrides, asked.overrides)
  refuseForeignKeys(mergeConfig(document.configFile, entry.configFile, entry.overrides), {
    own: listAsked(request),
    merged,
  })
  const config = { ...withFamilyDefaults(merged, name), name }
  const configFile = configFileName(name)
  const { text: configText, model } = formatConfig(config, configFile)
  const files = distinct([...document.files, ...entry.files, ...(request.files ?? [])])
  const templates = document.promptTemplates.map(({ name: template, content }) => ({
    filename: `${template}.tmpl`,
    text: content,
  }))
  for (const { filename } of [...files, ...templates]) checkFileName(filename)
  return { name, configFile, configText, config, model, files, templates, backend: model.backend }
}

/** Keys of the model file that a request sets. */
export function listAsked({ configFile = {}, overrides = {} }: ModelRequest): Fields {
  return mergeConfig(configFile, overrides)
}

/** Sampling values of the model's family, where nothing sets them. */
function withFamilyDefaults(config: Fields, name: string): Fields {
  const parameters = isFields(config.parameters) ? config.parameters : {}
  const { model } = parameters
  if (config.embeddings === true || config.reranking === true || typeof model !== 'string') return config
  const defaults = (findFamily(model) ?? findFamily(name))?.defaults
  if (defaults === undefined) return config
  const { temperature, topP, topK, minP, repeatPenalty, presencePenalty } = defaults
  const keys = {
    temperature,
    top_p: topP,
    top_k: topK,
    min_p: minP,
    repeat_penalty: repeatPenalty,
    presence_penalty: presencePenalty,
  }
  const missing = Object.entries(keys).filter(([key, value]) => value !== undefined && parameters[key] === undefined)
  return { ...config, parameters: { ...parameters, ...Object.fromEntries(missing) } }
}

/** The plan with other values of keys. @throws {SvcError} `unprocessable` (`model_invalid`) */
export function withConfig(plan: ModelPlan, keys: Fields): ModelPlan {
  const config = { ...plan.config, ...keys }
  const { text: configText, model } = formatConfig(config, plan.configFile)
  return { ...plan, config, configText, model }
}

/** The text of a model file, checked. @throws {SvcError} `unprocessable` (`model_invalid`) */
function formatConfig(config: Fields, file: string): { readonly text: string; readonly model: ModelConfig } {
  const text = new Document(config).toString()
  return { text, model: parsePlanned(text, file) }
}

/** The model of a text that an installation has made. @throws {SvcError} `unprocessable` (`model_invalid`) */
export function parsePlanned(text: string, file: string): ModelConfig {
  const { models, problems } = parseModelFile(text, { file, folder: '', modifiedAt: 0 })
  const [model] = models
  if (model !== undefined) return model
  throw new SvcError('unprocessable', problems.map(formatProblem).join('; ') || 'it describes no model', {
    code: 'model_invalid',
  })
}

/** A file of a model never takes the place of something that the server reads as a model. */
function checkFileName(filename: string): void {
  const isModelFile = !filename.includes('/') && /\.ya?ml$/i.test(filename)
  if (isSafeName(filename) && !isModelFile && !/\.partial(\.json)?$/.test(filename)) return
  throw new SvcError('invalid_request', `a file of the model cannot be called ${JSON.stringify(filename)}`, {
    code: 'invalid_file',
  })
}

/** One file for each name; the later one counts. */
function distinct(files: readonly EntryFile[]): readonly EntryFile[] {
  return [...new Map(files.map((file) => [file.filename, file])).values()]
}
