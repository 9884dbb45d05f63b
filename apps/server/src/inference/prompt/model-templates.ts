import { SvcError } from '@svc/errors'
import { compileGoTemplate, type GoStruct, type GoTemplate, GoTemplateLimitError } from '@svc/templates'
import type { ModelConfig } from '../../catalog/model-config.ts'
import { type ModelFolder, openModelFolder } from '../../catalog/model-folder.ts'
import type { Logger } from '../../ports.ts'
import { toPromptData } from './template-data.ts'
import { openTemplateFile, type TemplateText } from './template-file.ts'

/** A template of a model file. */
export type TemplateKey = 'chat' | 'chat_message' | 'completion' | 'edit' | 'function' | 'multimodal'

/** Result of rendering; `exhausted` when the template reached a limit. */
export type Rendering = { readonly text: string } | { readonly failed: 'error' | 'exhausted' }

/** A template that compiled. */
export interface PromptTemplate {
  /** Renders the data of `toData`. Fails when template and data do not fit, and above a limit. */
  render(toData: () => GoStruct): Rendering
  /** Whether the data of a prompt shows its tools. Found once, by a sample. */
  showsTools(): boolean
}

/** The templates of one model, compiled once for each text they have. */
export interface ModelTemplates {
  /**
   * Gives the template of a key as its file is now; undefined when the model has none or it does not compile.
   *
   * A value is the template itself, or names `<value>.tmpl` in the models folder. A prompt template without a value is
   * `<weights>.tmpl` if that file exists.
   */
  find(key: TemplateKey): PromptTemplate | undefined
}

/** Options of {@link createModelTemplates}. */
export interface ModelTemplatesOptions {
  readonly logger?: Logger | undefined
  /** Opens the folder of a model. @default a folder of its own, whose files are looked at each time */
  readonly openFolder?: ((path: string) => ModelFolder) | undefined
  /** Wall time in milliseconds since the epoch. */
  readonly now: () => number
}

/** Templates that a file beside the weights may hold. */
const BY_WEIGHTS: ReadonlySet<TemplateKey> = new Set(['chat', 'completion', 'edit', 'function'])

interface Compiled {
  readonly text: string
  readonly template: PromptTemplate | undefined
}

/** Creates the templates of a model. A fault of a template is logged once, until its text changes. */
export function createModelTemplates(
  model: ModelConfig,
  { logger, now, openFolder = openModelFolder }: ModelTemplatesOptions,
): ModelTemplates {
  const folder = openFolder(model.folder)
  const sources = new Map<TemplateKey, () => TemplateText | undefined>()
  const compiled = new Map<TemplateKey, Compiled>()
  const faults = new Map<TemplateKey, string>()

  const warn = (key: TemplateKey, reason: string) =>
    logger?.warn({ model: model.name, key: `template.${key}`, reason }, 'prompt template has a problem')

  const openSource = (key: TemplateKey): (() => TemplateText | undefined) => {
    const value = readText(model, key)
    if (value !== '') {
      const file = openTemplateFile(folder, `${value}.tmpl`, { now })
      return () => file.read() ?? { text: value }
    }
    const weights = BY_WEIGHTS.has(key) ? (model.parameters.model ?? '') : ''
    const file = openTemplateFile(folder, weights === '' ? '' : `${weights}.tmpl`, { now })
    return () => file.read()
  }

  const compile = (key: TemplateKey, text: string): Compiled => {
    try {
      const template = compileGoTemplate(text)
      if (text === readText(model, key) && !text.includes('{{'))
        warn(key, 'names no file and shows nothing of requests')
      return {
        text,
        template: { render: guarded(template, (reason) => warn(key, reason)), showsTools: createToolProbe(template) },
      }
    } catch (error) {
      if (!SvcError.is(error)) throw error
      warn(key, error.message)
      return { text, template: undefined }
    }
  }

  return {
    find(key) {
      const source = sources.get(key) ?? openSource(key)
      sources.set(key, source)
      const content = source()
      if (content === undefined) return undefined
      if ('fault' in content) {
        if (faults.get(key) !== content.fault) warn(key, content.fault)
        faults.set(key, content.fault)
        return undefined
      }
      faults.delete(key)
      const before = compiled.get(key)
      const current = before?.text === content.text ? before : compile(key, content.text)
      compiled.set(key, current)
      return current.template
    },
  }
}

function readText({ template }: ModelConfig, key: TemplateKey): string {
  return (key === 'chat_message' ? template.chatMessage : template[key]) ?? ''
}

/**
 * Renders without throwing and reports the first failure. Messages of failures may quote data, so only codes are
 * reported.
 */
function guarded(template: GoTemplate, tell: (reason: string) => void): PromptTemplate['render'] {
  let wasTold = false
  return (toData) => {
    try {
      return { text: template.render(toData()) }
    } catch (error) {
      if (!SvcError.is(error)) throw error
      if (!wasTold) tell(`fails on a request: ${error.code}${readLine(error)}`)
      wasTold = true
      return { failed: error instanceof GoTemplateLimitError ? 'exhausted' : 'error' }
    }
  }
}

const PROBE = 'svcprobetool'

function createToolProbe(template: GoTemplate): PromptTemplate['showsTools'] {
  let isShown: boolean | undefined
  const functions = [{ name: PROBE, description: PROBE, strict: false, parameters: { type: 'object', properties: {} } }]
  const probe = (): boolean => {
    try {
      const prompt = template.render(toPromptData({ input: 'x', systemPrompt: 'x', functions }))
      return prompt.includes(PROBE)
    } catch (error) {
      if (!SvcError.is(error)) throw error
      return false
    }
  }
  return () => (isShown ??= probe())
}

function readLine({ details }: SvcError): string {
  return details?.line === undefined ? '' : ` at line ${String(details.line)}`
}
