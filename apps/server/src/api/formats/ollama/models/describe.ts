import { createHash } from 'node:crypto'
import type { OllamaModelDetails } from '@svc/wire/ollama'
import { capabilitiesOf } from '../../../../catalog/capabilities.ts'
import type { ModelConfig } from '../../../../catalog/model-config.ts'
import { hasUsecase } from '../../../../catalog/usecases.ts'
import { readWeightsName } from '../../../../catalog/weights-name.ts'

/** A name as clients of this ecosystem show it: one without a tag has the tag `latest`. */
export function toTaggedName(name: string): string {
  return name.slice(name.lastIndexOf('/') + 1).includes(':') ? name : `${name}:latest`
}

/** Stable and different for each name: no weights are read for it. */
export function digestOf(name: string): string {
  return `sha256:${createHash('sha256').update(name).digest('hex')}`
}

/** What is known of the weights of a model, from their header and their name. */
export function detailsOf({ gguf, parameters, name }: ModelConfig): OllamaModelDetails {
  const weights = parameters.model ?? ''
  const { quantization, parameterSize } = readWeightsName(weights === '' ? name : weights)
  const family = gguf?.architecture ?? ''
  return {
    parent_model: '',
    format: gguf !== undefined || /\.gguf$/i.test(weights) ? 'gguf' : '',
    family,
    families: family === '' ? [] : [family],
    parameter_size: parameterSize,
    quantization_level: quantization,
  }
}

/** What a model can do, in the words of this ecosystem. */
export function ollamaCapabilitiesOf(model: ModelConfig): string[] {
  const known = new Set(capabilitiesOf(model))
  const isChat = known.has('chat')
  const listed: Readonly<Record<string, boolean>> = {
    completion: isChat || known.has('completion'),
    embedding: hasUsecase(model, 'embeddings'),
    vision: isChat && known.has('vision'),
    tools: known.has('tools') || (isChat && takesTools(model)),
    thinking: known.has('thinking'),
  }
  return Object.keys(listed).filter((name) => listed[name])
}

/** Whether its templates can show tools: one of its file, or the one that its weights carry. */
function takesTools({ template }: ModelConfig): boolean {
  return template.useTokenizerTemplate === true || (template.function ?? '') !== ''
}
